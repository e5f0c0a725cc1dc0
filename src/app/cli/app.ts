import type { Terminal } from "./command.ts";
import { printListing } from "./listing.ts";
import { withIdentity } from "./with-identity.ts";

export async function registerApp(
  { args, options }: { args: { name: string }; options: { "redirect-uri": string } },
  terminal: Terminal,
): Promise<number> {
  const redirectUris = options["redirect-uri"].split(",").map((uri) => uri.trim());
  const { clientId } = await withIdentity(({ oauthClients }) =>
    oauthClients.register({ name: args.name, redirectUris }),
  );
  terminal.err(`Registered ${args.name}; it is public, so PKCE stands in for a secret.\n`);
  terminal.out(`${clientId}\n`);
  return 0;
}

export async function listApps(
  { options }: { options: { json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withIdentity(({ oauthClients }) => oauthClients.list());
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      "client id": ({ clientId }) => clientId,
      name: ({ name }) => name,
      "redirect uris": ({ redirectUris }) => redirectUris.join(" "),
    },
    empty: "No app is registered. Most clients register themselves when they first connect.",
  });
  return 0;
}

export async function removeApp({ args }: { args: { id: string } }, terminal: Terminal): Promise<number> {
  await withIdentity(({ oauthClients }) => oauthClients.remove(args.id));
  terminal.err(`Removed ${args.id}.\n`);
  return 0;
}
