import type { Terminal } from "./command.ts";
import { printListing } from "./listing.ts";
import { withIdentity } from "./with-identity.ts";

interface OfGroup {
  args: { group: string };
  options: { workspace: string };
}

interface OfMember extends OfGroup {
  args: { group: string; email: string };
}

export async function createGroup({ args, options }: OfGroup, terminal: Terminal): Promise<number> {
  const { workspace } = options;
  const { id, name } = await withIdentity(({ groups }) => groups.create({ workspace, name: args.group }));
  terminal.err(`Made the group ${name} with the id ${id} in ${workspace}.\n`);
  return 0;
}

export async function listGroups(
  { options }: { options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withIdentity(({ groups }) => groups.list(options.workspace));
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      members: ({ members }) => members.join(", "),
    },
    empty: "There are no groups yet; make one with: kenning group create NAME --workspace SLUG",
  });
  return 0;
}

export async function addToGroup({ args, options }: OfMember, terminal: Terminal): Promise<number> {
  await withIdentity(({ groups }) => groups.addMember({ ...options, ...args }));
  terminal.err(`${args.email} is in ${args.group} now.\n`);
  return 0;
}

export async function removeFromGroup({ args, options }: OfMember, terminal: Terminal): Promise<number> {
  await withIdentity(({ groups }) => groups.removeMember({ ...options, ...args }));
  terminal.err(`${args.email} is not in ${args.group} any more.\n`);
  return 0;
}
