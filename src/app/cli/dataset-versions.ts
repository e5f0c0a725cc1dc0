import type { Terminal } from "./command.ts";
import { type OfDataset, requireDataset } from "./dataset.ts";
import { printListing } from "./listing.ts";
import { versionIn } from "./model.ts";
import { withData } from "./with-data.ts";

interface VersionsInput extends OfDataset {
  options: { workspace: string; json: boolean };
}

interface RestoreInput extends OfDataset {
  options: { workspace: string; version: string | undefined };
}

/** More than one import an hour for as long as versions are kept. */
const MOST_LISTED = 1_000;

export async function listVersions({ args, options }: VersionsInput, terminal: Terminal): Promise<number> {
  const items = await withData(async ({ data: { datasets }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    return datasets.versions.list(await requireDataset(datasets, caller, args.dataset), MOST_LISTED);
  });
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      version: ({ version }) => version,
      rows: ({ rowCount }) => rowCount,
      changed: ({ refreshedAt }) => refreshedAt,
      by: ({ refreshedBy }) => refreshedBy,
      replaced: ({ replacedAt }) => replacedAt,
      "replaced by": ({ replacedBy }) => replacedBy,
    },
    empty: "There are none.",
  });
  return 0;
}

/** A deleted dataset, or with a version the rows that one had. */
export async function restoreDataset({ args, options }: RestoreInput, terminal: Terminal): Promise<number> {
  const said = await withData(async ({ data: { datasets }, assets: { assets }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    if (options.version === undefined) {
      const deleted = await datasets.findDeleted(caller.workspace.id, args.dataset);
      const id = deleted?.id ?? (/^\d{1,15}$/.test(args.dataset) ? Number(args.dataset) : 0);
      await assets.require("dataset", "restore").restore(caller, id);
      return `The dataset ${deleted?.name ?? args.dataset} is back.`;
    }
    const { id, name } = await requireDataset(datasets, caller, args.dataset);
    const former = versionIn(options.version);
    const { version } = await assets.require("dataset", "restoreVersion").restoreVersion(caller, id, former);
    return `The dataset ${name} has the rows of version ${former} again, as version ${version}.`;
  });
  terminal.err(`${said}\n`);
  return 0;
}
