import type { DataServices, Datasource } from "../../domains/data/index.ts";
import { LIMITS } from "../../domains/data/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Services } from "../slices.ts";
import type { Terminal } from "./command.ts";
import { untilStopped } from "./dataset.ts";
import { withData } from "./with-services.ts";

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

interface AccessInput {
  args: { datasource: string };
  options: { workspace: string; contributors: boolean; groups?: string | undefined; admins: boolean };
}

export async function setAccess({ args, options }: AccessInput, terminal: Terminal): Promise<number> {
  const { contributors, groups, admins } = options;
  if ([contributors, groups !== undefined, admins].filter(Boolean).length !== 1)
    throw new AppError("bad_request", "Give one of --contributors, --groups A,B and --admins.");
  return withData(async ({ data, identity, callerFor }) => {
    const { workspace } = await callerFor(options.workspace);
    const found = await findDatasource(data, workspace, args.datasource);
    const names = (groups ?? "").split(",").flatMap((name) => name.trim() || []);
    const known = await identity.groups.list(options.workspace);
    const ids = names.map((name) => {
      const group = known.find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (group !== undefined) return group.id;
      throw new AppError("not_found", `There is no group "${name}" in ${options.workspace}.`);
    });
    if (groups !== undefined && ids.length === 0)
      throw new AppError("bad_request", "--groups names at least one group.");
    await data.datasourcesStore.setQueryGroups(found, contributors ? null : ids);
    const others = contributors ? " and all contributors" : admins ? "" : ` and ${names.join(", ")}`;
    terminal.err(`${found.name} may be queried by admins${others}.\n`);
    return 0;
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
