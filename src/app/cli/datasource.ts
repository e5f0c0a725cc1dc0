import { LIMITS } from "../../domains/data/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { withData } from "./with-data.ts";

interface TestInput {
  args: { datasource: string };
  options: { workspace: string; json: boolean };
}

export async function testDatasource({ args, options }: TestInput, terminal: Terminal): Promise<number> {
  return withData(async ({ data, callerFor }) => {
    const { workspace } = await callerFor(options.workspace);
    const { datasourcesStore: store, datasources } = data;
    const wanted = args.datasource;
    const found =
      (await store.findByName(workspace.id, wanted)) ??
      (isId(wanted) ? await store.find(workspace.id, Number(wanted)) : undefined);
    if (found === undefined) {
      throw new AppError("not_found", `There is no datasource "${wanted}" in ${options.workspace}.`);
    }
    const report = await datasources.test(found, AbortSignal.timeout(LIMITS.datasources.metadataMs));
    if (options.json) terminal.out(`${JSON.stringify({ name: found.name, ...report }, null, 2)}\n`);
    else terminal.out(`${found.name} (${found.type}): ${report.message}\n`);
    return report.ok ? 0 : 1;
  });
}

/** Names come first: nothing keeps a name from being a number. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}
