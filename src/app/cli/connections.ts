import type { DataServices, Datasource } from "../../domains/data/index.ts";
import { LIMITS } from "../../domains/data/limits.ts";
import { LIMITS as LLM } from "../../domains/llm/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Services } from "../slices.ts";
import type { Terminal } from "./command.ts";
import { untilStopped, withData } from "./with-services.ts";

interface TestInput {
  args: { datasource: string };
  options: { workspace: string; json: boolean };
}

export async function testDatasource({ args, options }: TestInput, terminal: Terminal): Promise<number> {
  return withData(async ({ data, callerFor }) => {
    const { workspace } = await callerFor(options.workspace);
    const found = await findDatasource(data, workspace, args.datasource);
    const report = await data.datasources.test(found, AbortSignal.timeout(LIMITS.datasources.metadataMs));
    if (options.json) terminal.out(`${JSON.stringify({ name: found.name, ...report }, null, 2)}\n`);
    else terminal.out(`${found.name} (${found.type}): ${report.message}\n`);
    return report.ok ? 0 : 1;
  });
}

async function findDatasource(
  { datasourcesStore: store }: Pick<Services["data"], "datasourcesStore">,
  { id: workspaceId, slug }: Caller["workspace"],
  wanted: string,
): Promise<Datasource> {
  const found =
    (await store.findByName(workspaceId, wanted)) ??
    (isId(wanted) ? await store.find(workspaceId, Number(wanted)) : undefined);
  if (found !== undefined) return found;
  throw new AppError("not_found", `There is no datasource "${wanted}" in ${slug}.`);
}

/** Names come first: nothing keeps a name from being a number. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

interface RunInput {
  args: { query: string };
  options: { workspace: string; json: boolean };
}

/** Runs a query here, whether a server runs or not; what others have asked for is left to servers. */
export async function runQuery({ args, options }: RunInput, terminal: Terminal): Promise<number> {
  return withData(async ({ data, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const { queriesStore, runs } = data;
    const wanted = args.query;
    const query =
      (await queriesStore.findByName(caller.workspace.id, wanted)) ??
      (isId(wanted) ? await queriesStore.find(caller.workspace.id, Number(wanted)) : undefined);
    if (query === undefined) {
      throw new AppError("not_found", `There is no query "${wanted}" in ${options.workspace}.`);
    }
    const onRows = (rows: number) => terminal.err(`${rows} rows …\n`);
    const run = await untilStopped(async (signal) => {
      const { run: begun, isNew } = await runs.start(caller, query);
      const ended = await runs.finish(begun, { signal, onRows });
      if (!signal.aborted) return ended;
      // What somebody else asked for goes on without us.
      if (isNew) await runs.cancel(begun);
      return runs.require(caller, begun.id);
    });
    const { status, rowCount: rows, truncated, rejectedRows, error } = run;
    const { name } = query;
    if (options.json)
      terminal.out(`${JSON.stringify({ name, status, rows, truncated, rejectedRows, error }, null, 2)}\n`);
    else terminal.out(`${name}: ${outcomeOf(run)}\n`);
    return status === "succeeded" ? 0 : 1;
  });
}

type Run = Awaited<ReturnType<DataServices["runs"]["require"]>>;

function outcomeOf({ status, rowCount, truncated, rejectedRows, error }: Run): string {
  if (status === "failed") return `the run failed: ${error}`;
  if (status === "cancelled") return "the run was cancelled.";
  if (status !== "succeeded") return `the run is ${status}, and goes on where a server runs.`;
  const cut = truncated === null ? "" : ` The limit on ${truncated} cut the result off.`;
  const rejected = rejectedRows ? ` Rows that could not be read and are left out: ${rejectedRows}.` : "";
  return `${rowCount} rows.${cut}${rejected}`;
}

interface NamedInput {
  args: { name: string };
  options: { workspace: string };
}

export async function testProvider({ args, options }: NamedInput, terminal: Terminal): Promise<number> {
  const signal = AbortSignal.timeout(LLM.llm.longestTimeoutMs);
  const { name, model } = await withData(async ({ identity, llm: { llm } }) =>
    llm.test((await identity.workspaces.bySlug(options.workspace)).id, args.name, signal),
  );
  terminal.out(`${name}: ${model} answers.\n`);
  return 0;
}
