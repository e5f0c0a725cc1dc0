import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { z } from "zod";
import { agentSlice, openAgent } from "../../domains/agent/index.ts";
import { LIMITS } from "../../domains/agent/limits.ts";
import { replaceRows } from "../../domains/data/index.ts";
import { examine, type ModelFile, publishAll } from "../../domains/models/index.ts";
import { clip } from "../../kernel/clip.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import { Registry } from "../../registry/registry.ts";
import { loadConfig } from "../config.ts";
import { createLog } from "../log.ts";
import { open } from "../open.ts";
import type { Terminal } from "./command.ts";
import { type AskOne, evaluate, type Line } from "./eval-questions.ts";
import { printReport } from "./eval-report.ts";
import { printProblems, readFiles } from "./model.ts";
import { Progress } from "./progress.ts";
import { quiet } from "./with-identity.ts";

interface Input {
  options: {
    model: string | undefined;
    tables: string;
    questions: string;
    out: string | undefined;
    "at-least": string | undefined;
  };
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
  const tables = tablesIn(options.tables);
  const files = options.model === undefined ? [] : readFiles(options.model);
  // Found out now, and not when all answers are there.
  if (options.out !== undefined) assertFolder(dirname(resolve(options.out)));
  const home = mkdtempSync(join(tmpdir(), "kenning-eval-"));
  const end = new AbortController();
  const stop = () => end.abort();
  process.once("SIGINT", stop);
  try {
    await using place = await openPlace(home);
    const admin = await place.member("admin");
    for (const table of tables) await place.load(admin, table, end.signal);
    const published = files.length === 0 ? undefined : await place.publish(admin, files, terminal);
    const contributor = await place.member("contributor");
    const progress = new Progress(terminal);
    const ask = place.asker(contributor, published, end.signal);
    const lines = await evaluate(questions, ask, (done) =>
      progress.show("questions", done / questions.length),
    ).finally(() => progress.end());
    if (options.out !== undefined) writeFileSync(options.out, lines.map(lineText).join(""));
    const { judged, right } = printReport(lines, terminal);
    if (wanted === undefined || right >= (judged * wanted) / 100) return 0;
    terminal.err(`Fewer than ${wanted} % are right.\n`);
    return 1;
  } finally {
    process.off("SIGINT", stop);
    rmSync(home, { recursive: true, force: true });
  }
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

/** The server's engines in an empty home, without its endpoints. */
async function openPlace(home: string) {
  const config = quiet(loadConfig({ env: { KENNING_HOME: home }, cwd: home }));
  const { engines, services, close } = await open(config);
  const { identity, data, models, llm } = services;
  const workspace = await identity.workspaces.create({ slug: "eval", name: "Evaluation" });
  let today = new Date();
  const clock = { now: () => today };
  const { rows } = LIMITS.agent;
  const agent = openAgent(
    { ...engines, identity, data, models, llm, clock },
    { shownRows: rows, askedRows: rows },
  );
  const registry = new Registry().add({ ...agentSlice, services: agent });
  return {
    /** The name of the one model in these files. */
    async publish(caller: Caller, files: readonly ModelFile[], terminal: Terminal): Promise<string> {
      const examination = await examine(models.models, caller, files, new AbortController().signal);
      printProblems(examination, terminal);
      const [published, ...others] = await publishAll(models.models, caller, examination);
      if (published !== undefined && others.length === 0) return published.name;
      throw new AppError("bad_request", `There must be one model, not ${others.length + 1}.`);
    },
    async member(role: "admin" | "contributor"): Promise<Caller> {
      const email = `${role}@example.com`;
      const { member } = await identity.users.create({ email, workspace: "eval", role });
      return identity.callerFor({ workspaceId: workspace.id, userId: member.userId });
    },
    async load(caller: Caller, path: string, signal: AbortSignal): Promise<void> {
      const file = {
        source: { path },
        scope: String(caller.workspace.id),
        key: data.data.newPartKey(),
        fileType: undefined,
        options: {},
        signal,
      };
      const { part } = await data.imports.importFile(file).catch((error: unknown) => {
        if (!isAppError(error)) throw error;
        throw new AppError(error.code, `${path} could not be read: ${error.message}`);
      });
      const name = basename(path, extname(path));
      const source = { kind: "import" as const, detail: { file: basename(path) } };
      await replaceRows(data.data, caller, { name, part, source, allowEmpty: true });
    },
    asker(caller: Caller, model: string | undefined, signal: AbortSignal): AskOne {
      const { authorizer, limiter, audit } = identity;
      const ports = { authorizer, limiter, audit, log: createLog(config) };
      const setToday = (day: Date) => {
        today = day;
      };
      return { ports, registry, caller, model, signal, setToday };
    },
    async [Symbol.asyncDispose]() {
      await close();
    },
  };
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

function tablesIn(folder: string): string[] {
  assertFolder(folder);
  const names = readdirSync(folder)
    .filter((name) => /\.csv$/i.test(name))
    .sort();
  if (names.length === 0) throw new AppError("bad_request", `There are no .csv files in ${folder}.`);
  return names.map((name) => resolve(folder, name));
}

function assertFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new AppError("not_found", `There is no folder ${path}.`);
}

function readFileOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new AppError("not_found", `There is no file ${path}.`);
  }
  return readFileSync(path, "utf8");
}
