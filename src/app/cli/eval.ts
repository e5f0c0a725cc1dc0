import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { Terminal } from "./command.ts";
import { assertFolder, inPlaceOfItsOwn, type TestBed } from "./eval-place.ts";
import { evaluate, type Line } from "./eval-questions.ts";
import { printReport } from "./eval-report.ts";
import { Progress } from "./progress.ts";

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
