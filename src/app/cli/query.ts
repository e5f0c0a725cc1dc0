import { AppError } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { isId } from "./datasource.ts";
import { withData } from "./with-data.ts";

interface RunInput {
  args: { query: string };
  options: { workspace: string; json: boolean };
}

export async function runQuery({ args, options }: RunInput, terminal: Terminal): Promise<number> {
  return withData(async ({ data, callerFor, startJobs }) => {
    const caller = await callerFor(options.workspace);
    const { queriesStore, runs } = data;
    const wanted = args.query;
    const query =
      (await queriesStore.findByName(caller.workspace.id, wanted)) ??
      (isId(wanted) ? await queriesStore.find(caller.workspace.id, Number(wanted)) : undefined);
    if (query === undefined) {
      throw new AppError("not_found", `There is no query "${wanted}" in ${options.workspace}.`);
    }
    await startJobs();
    const { run: begun } = await runs.start(caller, query);
    const onRows = (rows: number) => terminal.err(`${rows} rows …\n`);
    const run = await runs.waitFor(begun, {
      waitMs: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
      onRows,
    });
    const { status, rowCount: rows, error } = run;
    if (options.json) terminal.out(`${JSON.stringify({ name: query.name, status, rows, error }, null, 2)}\n`);
    else if (status === "succeeded") terminal.out(`${query.name}: ${rows} rows.\n`);
    else
      terminal.out(`${query.name}: the run ${status === "failed" ? `failed: ${error}` : "was cancelled."}\n`);
    return status === "succeeded" ? 0 : 1;
  });
}
