import type { Terminal } from "./command.ts";
import { printListing } from "./listing.ts";
import { makeHomeWith, withIdentity } from "./with-identity.ts";

export async function createWorkspace(
  { args, options }: { args: { slug: string }; options: { name: string | undefined } },
  terminal: Terminal,
): Promise<number> {
  const input = options.name === undefined ? { slug: args.slug } : { slug: args.slug, name: options.name };
  const workspace = await makeHomeWith(({ workspaces }) => workspaces.create(input));
  terminal.err(`Made the workspace ${workspace.slug} ("${workspace.name}").\n`);
  return 0;
}

export async function listWorkspaces(
  { options }: { options: { json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withIdentity(({ workspaces }) => workspaces.list());
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      slug: ({ slug }) => slug,
      name: ({ name }) => name,
      plan: ({ plan }) => plan,
      created: ({ createdAt }) => createdAt,
    },
    empty: "There are no workspaces yet; make one with: kenning workspace create SLUG",
  });
  return 0;
}
