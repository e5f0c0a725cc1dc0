import { isAppError } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { PublishedModel } from "../../models/index.ts";
import type { Agent } from "../agent.ts";
import type { Answer } from "../answer.ts";
import { queryText } from "./query-text.ts";
import type { VerifiedQuestion } from "./verified.store.ts";

/** What has become of a verified question. */
export interface CheckedQuestion {
  question: string;
  /** How it was verified, in words. */
  reading: string;
  /** Why the model cannot answer it any more; null where it can. */
  failure: string | null;
  /** How the rules read it, where that is something else. */
  otherwise: string | null;
  ms: number;
}

interface Checking {
  agent: Agent;
  caller: Caller;
  model: PublishedModel;
  signal: AbortSignal;
}

/** Runs a verified question on the present model, and has the rules read it again at the time at which it was asked. */
export async function checkVerified(
  { question, query }: VerifiedQuestion,
  { agent, caller, model, signal }: Checking,
): Promise<CheckedQuestion> {
  const started = performance.now();
  const again = await attempt(() => agent.again(caller, { model, query, outcome: "answer", signal }));
  const { now, timeZone } = query;
  const asked = {
    model,
    question,
    word: "semantic model",
    signal,
    isTrial: true,
    rulesAt: { now, timeZone },
  };
  const read = await attempt(() => agent.ask(caller, asked));
  const isSame =
    typeof read !== "string" && read.query != null && queryText(read.query.ask) === queryText(query.ask);
  return {
    question,
    reading: query.said,
    failure: typeof again === "string" ? again : again.outcome === "answer" ? null : again.narrative,
    otherwise: isSame ? null : saidOf(read),
    ms: Math.round((performance.now() - started) * 10) / 10,
  };
}

function saidOf(read: Answer | string): string {
  if (typeof read === "string") return read;
  if (read.outcome === "answer") return `read as: ${read.reading}`;
  if (read.outcome === "refuse") return `refused: ${read.narrative}`;
  return `asked back: ${read.questions.map(({ question }) => question).join(" ")}`;
}

/** The answer, or why there is none. */
async function attempt(work: () => Promise<Answer>): Promise<Answer | string> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error) && error.code !== "cancelled") return error.advice;
    throw error;
  }
}
