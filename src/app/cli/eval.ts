import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import type { Trace } from "../../domains/agent/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { Terminal } from "./command.ts";
import { assertFolder, inPlaceOfItsOwn, type TestBed } from "./eval-place.ts";
import { evaluate, type Line } from "./eval-questions.ts";
import { Progress } from "./output.ts";

interface Input {
  options: TestBed & { questions: string; out: string | undefined; "at-least": string | undefined };
}

const question = z.object({
  id: z.union([z.string(), z.number()]).transform(String).optional(),
  question: z.string().min(1),
  /** The id of the question before it that it builds on. */
  follows: z.union([z.string(), z.number()]).transform(String).optional(),
  as_of: z.iso.date().optional(),
  kind: z.string().optional(),
  expect: z.enum(["answer", "clarify", "refuse"]).optional(),
  rows: z.array(z.array(z.json())).optional(),
  alt_rows: z.array(z.array(z.json())).optional(),
  ordered: z.boolean().optional(),
  distinct: z.boolean().optional(),
});
export type EvalQuestion = z.output<typeof question>;

/** Asks all questions of a file over a model and its tables, in a place of their own that is gone afterwards. */
export async function evalQuestions({ options }: Input, terminal: Terminal): Promise<number> {
  const questions = readQuestions(options.questions);
  const wanted = percentOf(options["at-least"]);
  // Found out now, and not when all answers are there.
  if (options.out !== undefined) assertFolder(dirname(resolve(options.out)));
  const lines = await inPlaceOfItsOwn(options, terminal, ({ place, caller, published, signal }) => {
    const progress = new Progress(terminal);
    return evaluate(questions, place.asker(caller, published, signal), (done) =>
      progress.show("questions", done / questions.length),
    ).finally(() => progress.end());
  });
  if (options.out !== undefined) writeFileSync(options.out, lines.map(lineText).join(""));
  const { judged, right } = printReport(lines, terminal);
  if (wanted === undefined || right >= (judged * wanted) / 100) return 0;
  terminal.err(`Fewer than ${wanted} % are right.\n`);
  return 1;
}

function percentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(?:\d{1,2}(?:\.\d+)?|100)$/.test(text)) return Number(text);
  throw new AppError("bad_request", "--at-least is a number from 0 to 100.");
}

/** One line of the result; what was expected is in the file of questions. */
function lineText({ verdict: _, kind: __, ...line }: Line): string {
  return `${JSON.stringify(line)}\n`;
}

function readQuestions(path: string): EvalQuestion[] {
  const lines = readFileOf(path).split("\n");
  const questions = lines.flatMap((line, i) => {
    if (line.trim() === "") return [];
    try {
      const read = question.parse(JSON.parse(line));
      return [{ ...read, id: read.id ?? String(i + 1) }];
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      throw new AppError("bad_request", `${path}:${i + 1} is no question: ${clip(reason, 300)}`);
    }
  });
  questions.forEach(({ follows }, i) => {
    if (follows === undefined || questions.slice(0, i).some(({ id }) => id === follows)) return;
    throw new AppError(
      "bad_request",
      `${path}: no question before "${questions[i]?.id}" has the id "${follows}".`,
    );
  });
  if (questions.length === 0) throw new AppError("bad_request", `There is no question in ${path}.`);
  return questions;
}

function readFileOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new AppError("not_found", `There is no file ${path}.`);
  }
  return readFileSync(path, "utf8");
}

/** Wrong answers that are listed. */
const LISTED = 50;

/** Answers that look right and are not come first: they are what a model must not do. */
export function printReport(lines: readonly Line[], terminal: Terminal): { judged: number; right: number } {
  const judged = lines.filter(({ verdict }) => verdict !== "unknown");
  const wrong = judged
    .filter(({ verdict, outcome }) => verdict === "wrong" && outcome === "answer")
    .toSorted((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0));
  if (wrong.length > 0) {
    terminal.out(`Answered, but wrong: ${ratio(wrong.length, judged.length)}\n`);
    for (const line of wrong.slice(0, LISTED)) terminal.out(`  ${describe(line)}\n`);
    if (wrong.length > LISTED) terminal.out(`  and ${wrong.length - LISTED} more\n`);
  }
  if (judged.length > 0) {
    terminal.out("\nRight by kind:\n");
    const kinds = [...new Set(judged.map(({ kind }) => kind))].sort();
    for (const kind of kinds)
      printKind(
        judged.filter((line) => line.kind === kind),
        kind,
        terminal,
      );
    if (kinds.length > 1) printKind(judged, "in all", terminal);
  }
  terminal.out(`\nOutcomes: ${outcomes(lines)}\n`);
  printTimes(lines, terminal);
  return { judged: judged.length, right: judged.filter(({ verdict }) => verdict === "right").length };
}

export function printTimes(lines: readonly { ms: number }[], terminal: Terminal): void {
  const times = lines.map(({ ms }) => ms).toSorted((a, b) => a - b);
  terminal.out(`Time: p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms\n`);
}

function printKind(lines: readonly Line[], kind: string, terminal: Terminal): void {
  const right = lines.filter(({ verdict }) => verdict === "right").length;
  terminal.out(`  ${kind}: ${ratio(right, lines.length)}\n`);
}

function describe({ id, question, confidence, reading }: Line): string {
  return `${id} (${confidence ?? 0}) ${clip(question, 120)} — understood as: ${clip(reading ?? "", 160)}`;
}

function outcomes(lines: readonly Line[]): string {
  const counts = Map.groupBy(lines, ({ outcome }) => outcome);
  return [...counts].map(([outcome, those]) => `${outcome} ${those.length}`).join(", ") || "none";
}

export function ratio(part: number, whole: number): string {
  return `${part} of ${whole}${whole === 0 ? "" : ` (${((part / whole) * 100).toFixed(1)} %)`}`;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

interface TraceInput {
  args: { question: string };
  options: TestBed & { "as-of": string | undefined };
}

/** Shows how a question is read, stage by stage, for whoever wonders why it is read so. */
export async function evalTrace({ args, options }: TraceInput, terminal: Terminal): Promise<number> {
  const day = z.iso.date().optional().safeParse(options["as-of"]);
  if (!day.success) throw new AppError("bad_request", "--as-of is a date, such as 2026-03-31.");
  const traces = await inPlaceOfItsOwn(options, terminal, async ({ place, caller }) => {
    if (day.data !== undefined) place.setToday(new Date(`${day.data}T12:00:00Z`));
    return place.agent.datasetQuestions.trace(caller, args.question);
  });
  for (const trace of traces) printTrace(trace, terminal);
  return 0;
}

function printTrace({ datasets, words, readings, missing, unclear }: Trace, terminal: Terminal): void {
  terminal.out(`Over ${datasets.join(", ")}\n\nWords:\n`);
  for (const { text, isEmpty, meanings } of words) {
    const found = meanings.map(({ words: said, means, cost }) => `${said}: ${means} (${cost})`);
    terminal.out(`  ${text}${isEmpty ? " (says nothing here)" : ""}\n`);
    for (const meaning of found) terminal.out(`      ${meaning}\n`);
  }
  terminal.out("\nReadings, the best first:\n");
  if (readings.length === 0) terminal.out("  none\n");
  for (const { said, cost, loose, left } of readings) {
    const without = left.length === 0 ? "" : `, leaves out: ${left.join(", ")}`;
    terminal.out(`  ${said} (${cost}, ${loose} of it beside the words${without})\n`);
  }
  for (const word of missing) terminal.out(`\nMissing: ${word}\n`);
  for (const question of unclear) terminal.out(`\nTo be asked: ${question}\n`);
  terminal.out("\n");
}
