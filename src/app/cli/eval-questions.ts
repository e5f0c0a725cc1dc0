import { type Answer, judge, type Verdict } from "../../domains/agent/index.ts";
import { plainToolNames } from "../../kernel/errors.ts";
import { MS } from "../../kernel/time.ts";
import { type CallPorts, call, toolOperation } from "../../registry/call.ts";
import type { Caller, CallMeta } from "../../registry/caller.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import type { EvalQuestion } from "./eval.ts";

/** What asking a question takes. */
export interface AskOne {
  ports: CallPorts;
  registry: Registry;
  caller: Caller;
  /** Without one the datasets are asked, and how they belong together is guessed. */
  model: string | undefined;
  signal: AbortSignal;
  setToday(day: Date): void;
}

export interface Line {
  id: string;
  question: string;
  outcome: Answer["outcome"] | "error";
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  sql: string | null;
  confidence: number | null;
  reading: string | null;
  ms: number;
  /** Why the question could not be asked. */
  error?: string;
  /** What was said instead of an answer. */
  said?: string;
  kind: string;
  verdict: Verdict;
}

/** Asks the questions one after the other, each on its own day. */
export async function evaluate(
  questions: readonly EvalQuestion[],
  ask: AskOne,
  onDone: (done: number) => void,
): Promise<Line[]> {
  const lines: Line[] = [];
  const answers = new Map<string, string>();
  for (const question of questions) {
    // Noon is the same day in every time zone that matters here; a second apart, what follows comes after.
    const noon = question.as_of === undefined ? Date.now() : Date.parse(`${question.as_of}T12:00:00Z`);
    ask.setToday(new Date(noon + lines.length * MS.second));
    const { answerId, ...line } = await askOne(question, ask, answers.get(question.follows ?? ""));
    if (answerId !== undefined) answers.set(line.id, answerId);
    lines.push(line);
    onDone(lines.length);
  }
  return lines;
}

async function askOne(
  question: EvalQuestion,
  ask: AskOne,
  before: string | undefined,
): Promise<Line & { answerId?: string }> {
  const { caller, signal, model } = ask;
  const tool = ask.registry.tool("all", model === undefined ? "ask_data" : "ask_question") as WireTool;
  const args = { question: question.question, ...(model !== undefined && { model }), follow_up_to: before };
  const called = await call(ask.ports, toolOperation(tool), args, {
    caller,
    meta: META,
    signal,
    client: NO_CLIENT,
    say: plainToolNames,
  });
  ask.signal.throwIfAborted();
  const { id = "", kind = "all" } = question;
  const base = { id, question: question.question, kind, ms: Math.round(called.ms * 10) / 10 };
  if (called.status !== "done") {
    const error =
      called.status === "failed" ? called.error.advice : "It waits for an answer that nobody gives.";
    const isExpected = question.rows !== undefined || question.expect !== undefined;
    return { ...base, ...NOTHING, error, verdict: isExpected ? "wrong" : "unknown" };
  }
  const {
    outcome,
    columns,
    rows,
    sql,
    confidence,
    reading,
    narrative,
    id: answerId,
  } = model === undefined ? answerOf(called.output as DataOutput) : (called.output as Answer & Identified);
  // Gold rows without `expect` were written for a comparison in which each row counts once.
  const expected = { distinct: question.expect === undefined, ...question };
  const verdict = judge(expected, { outcome, rows });
  const said = outcome === "answer" ? {} : { said: narrative };
  return {
    ...base,
    outcome,
    columns,
    rows,
    sql,
    confidence,
    reading,
    ...said,
    verdict,
    ...(answerId !== undefined && { answerId }),
  };
}

interface Identified {
  id: string;
}

interface DataOutput extends Identified, Pick<Answer, "outcome" | "confidence" | "reading"> {
  answer: string;
  query: string | null;
  fields: { name: string }[];
  rows: Record<string, Answer["rows"][number][number]>[];
}

function answerOf({ answer, query, fields, rows, ...rest }: DataOutput) {
  const columns = fields.map(({ name }) => name);
  return {
    ...rest,
    narrative: answer,
    sql: query,
    columns,
    rows: rows.map((row) => columns.map((name) => row[name] ?? null)),
  };
}

const NOTHING = {
  outcome: "error",
  columns: [],
  rows: [],
  sql: null,
  confidence: null,
  reading: null,
} as const;

const META: CallMeta = {
  surface: "all",
  requestId: "eval",
  address: "127.0.0.1",
  tokenHash: "",
  sessionId: null,
  client: { name: "kenning eval", version: "" },
};
