import { createHash } from "node:crypto";
import { isAppError } from "../../../kernel/errors.ts";
import { maskQuestion } from "../../../kernel/mask-literals.ts";
import type { Caller } from "../../../registry/caller.ts";
import { InputNeeded } from "../../../registry/context.ts";
import type { AuditEvent, AuditSink } from "../../../registry/ports.ts";
import type { PublishedModel } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import { valuesIn } from "../verified/query-text.ts";
import type { Assisted } from "../work.ts";

/** How a question ended. */
interface Ending {
  outcome: string;
  answer?: Answer;
  /** The language model that had a part in it. */
  llm?: string | undefined;
}

const MARK_CHARACTERS = 16;

/** The values of the data that a question names; nobody who reads the audit log is told them. */
export function namedValues(query: Answer["query"]): string[] {
  return valuesIn(query?.ask).flatMap(({ values }) => values.map(String));
}

/** A question, or how it was read, without its literals and the values of the data that it names. */
export function withoutValues(text: string, query: Answer["query"]): string {
  return maskQuestion(text, namedValues(query));
}

/** Answers a question, and writes down how that ended. */
export async function recorded(
  audit: Pick<AuditSink, "record">,
  caller: Caller,
  asked: { model: PublishedModel; question: string },
  work: () => Promise<Assisted>,
): Promise<Answer> {
  const started = performance.now();
  const record = (end: Ending) =>
    audit.record(questionEvent(caller, asked, end, performance.now() - started));
  try {
    const { answer, llm } = await work();
    record({ outcome: answer.outcome, answer, llm });
    return answer;
  } catch (error) {
    // Whoever waits for the client asks again.
    if (!(error instanceof InputNeeded)) record({ outcome: isAppError(error) ? error.code : "internal" });
    throw error;
  }
}

/** What the audit log keeps of a question; nothing of the data, which policies may hide from whoever reads the log. */
function questionEvent(
  { workspace, user }: Caller,
  { model: { record }, question }: { model: PublishedModel; question: string },
  { outcome, answer, llm }: Ending,
  durationMs: number,
): AuditEvent {
  const response = answer && {
    characters: answer.narrative.length,
    columns: answer.columns.length,
    rows: answer.rows.length,
    sha256: createHash("sha256").update(answer.narrative).digest("base64url").slice(0, MARK_CHARACTERS),
  };
  return {
    action: "agent.question",
    workspaceId: workspace.id,
    userId: user.id,
    resourceType: "semantic_model",
    resourceId: record.uuid,
    success: answer !== undefined,
    outcome,
    durationMs,
    metadata: {
      model: record.name,
      question: withoutValues(question, answer?.query),
      response: response ?? null,
      llm: llm ?? null,
    },
  };
}
