import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { agentSlice, openAgent } from "../../domains/agent/index.ts";
import { LIMITS } from "../../domains/agent/limits.ts";
import { replaceRows } from "../../domains/data/index.ts";
import { examine, type ModelFile, publishAll } from "../../domains/models/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import { Registry } from "../../registry/registry.ts";
import { loadConfig } from "../config.ts";
import { createLog } from "../log.ts";
import { open } from "../open.ts";
import type { Terminal } from "./command.ts";
import type { AskOne } from "./eval-questions.ts";
import { printProblems, readFiles } from "./model.ts";
import { quiet } from "./with-services.ts";

/** What a model is tested on. */
export interface TestBed {
  model: string | undefined;
  tables: string;
}

type Place = Awaited<ReturnType<typeof openPlace>>;

/** Who asks in a place that holds the tables, and the name of the model that is published there, if there is one. */
interface Ready {
  place: Place;
  caller: Caller;
  published: string | undefined;
  signal: AbortSignal;
}

/** Works on tables and a model in a place of their own that is gone afterwards. */
export async function inPlaceOfItsOwn<T>(
  { model, tables }: TestBed,
  terminal: Terminal,
  work: (ready: Ready) => Promise<T>,
): Promise<T> {
  const paths = tablesIn(tables);
  const files = model === undefined ? [] : readFiles(model);
  const home = mkdtempSync(join(tmpdir(), "kenning-eval-"));
  const end = new AbortController();
  const { signal } = end;
  const stop = () => end.abort();
  process.once("SIGINT", stop);
  try {
    await using place = await openPlace(home);
    const admin = await place.member("admin");
    for (const path of paths) await place.load(admin, path, signal);
    const published = files.length === 0 ? undefined : await place.publish(admin, files, terminal);
    return await work({ place, caller: await place.member("contributor"), published, signal });
  } finally {
    process.off("SIGINT", stop);
    rmSync(home, { recursive: true, force: true });
  }
}

/** The server's engines in an empty home, without its endpoints. */
async function openPlace(home: string) {
  const config = quiet(loadConfig({ env: { KENNING_HOME: home }, cwd: home }));
  const { engines, services, close } = await open(config);
  const { identity, data, models } = services;
  const workspace = await identity.workspaces.create({ slug: "eval", name: "Evaluation" });
  let today = new Date();
  const clock = { now: () => today };
  const { rows } = LIMITS.agent;
  const agent = openAgent({ ...engines, ...services, clock }, { shownRows: rows, askedRows: rows });
  const registry = new Registry().add({ ...agentSlice, services: agent });
  return {
    setToday(day: Date): void {
      today = day;
    },
    agent,
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
      return identity.callerFor({ workspaceId: workspace.id, userId: member.userId, operator: true });
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
      const ports = { admission: engines.admission, authorizer, limiter, audit, log: createLog(config) };
      return { ports, registry, caller, model, signal, setToday: (day) => this.setToday(day) };
    },
    async [Symbol.asyncDispose]() {
      await close();
    },
  };
}

function tablesIn(folder: string): string[] {
  assertFolder(folder);
  const names = readdirSync(folder)
    .filter((name) => /\.csv$/i.test(name))
    .sort();
  if (names.length === 0) throw new AppError("bad_request", `There are no .csv files in ${folder}.`);
  return names.map((name) => resolve(folder, name));
}

export function assertFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new AppError("not_found", `There is no folder ${path}.`);
}
