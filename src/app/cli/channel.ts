import type { ChannelKind } from "../../platform/delivery/index.ts";
import type { Terminal } from "./command.ts";
import { printListing, readSecret } from "./output.ts";
import { withData } from "./with-services.ts";

interface SetInput {
  args: { name: string };
  options: {
    workspace: string;
    kind: ChannelKind;
    room: string | undefined;
    url: string | undefined;
    "secret-file": string | undefined;
    "secret-stdin": boolean;
    rotate: boolean;
  };
}

export async function setChannel({ args: { name }, options }: SetInput, terminal: Terminal): Promise<number> {
  const { kind, room, url, rotate } = options;
  const source = { file: options["secret-file"], isStdin: options["secret-stdin"] };
  const secret = await readSecret("secret", source, terminal);
  const signing = await withData(async ({ identity, automation: { deliveries } }) => {
    const { id: workspaceId } = await identity.workspaces.bySlug(options.workspace);
    const wish = { workspaceId, name, kind, secret, room, url, rotate };
    return (await deliveries.channels.set(wish)).signingSecret;
  });
  terminal.err(`${name} is a channel of ${options.workspace}.\n`);
  if (signing !== undefined) terminal.out(`${signing}\n`);
  return 0;
}

export async function listChannels(
  { options }: { options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const all = await withData(async ({ identity, automation: { deliveries } }) =>
    deliveries.channels.list((await identity.workspaces.bySlug(options.workspace)).id),
  );
  const items = all.map(({ workspaceId: _, ...shown }) => shown);
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      kind: ({ kind }) => kind,
      room: ({ room }) => room,
      address: ({ url }) => url,
      "switched off": ({ disabled }) => disabled,
    },
    empty: "There are no channels yet: alerts and reports go by mail and to webhooks.",
  });
  return 0;
}

export async function removeChannel(
  { args: { name }, options }: { args: { name: string }; options: { workspace: string } },
  terminal: Terminal,
): Promise<number> {
  await withData(async ({ identity, automation: { deliveries } }) =>
    deliveries.channels.remove((await identity.workspaces.bySlug(options.workspace)).id, name),
  );
  terminal.err(`${name} is removed, and its secret with it.\n`);
  return 0;
}
