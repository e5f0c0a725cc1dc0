import type { Terminal } from "./command.ts";
import { printListing } from "./listing.ts";
import { withData } from "./with-data.ts";

interface ReindexInput {
  options: { workspace: string | undefined; json: boolean };
}

/** Builds search indexes anew; a server that runs builds its own beside those that go on answering. */
export async function reindex({ options }: ReindexInput, terminal: Terminal): Promise<number> {
  const items = await withData(async ({ identity: { workspaces }, retrieval }) => {
    const { workspace } = options;
    const all = workspace === undefined ? await workspaces.list() : [await workspaces.bySlug(workspace)];
    const built = [];
    for (const { id, slug } of all)
      for (const kind of retrieval.kinds) {
        const collection = retrieval.of(kind);
        await collection.rebuild(id);
        const { entries, vectors } = await collection.stats(id);
        built.push({ workspace: slug, kind, entries, vectors });
      }
    return built;
  });
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      workspace: ({ workspace }) => workspace,
      kind: ({ kind }) => kind,
      entries: ({ entries }) => entries,
      "with vectors": ({ vectors }) => vectors,
    },
    empty: "There are no workspaces yet; make one with: kenning workspace create SLUG",
  });
  return 0;
}
