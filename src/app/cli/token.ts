import type { MadeTokenKind, TokenInfo } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { MS, parseDuration } from "../../kernel/time.ts";
import type { TokenLimits } from "../../registry/caller.ts";
import type { Terminal } from "./command.ts";
import { printListing } from "./output.ts";
import { withIdentity } from "./with-services.ts";

interface CreateInput {
  options: {
    user: string;
    workspace: string;
    kind: MadeTokenKind;
    name: string | undefined;
    scopes: string | undefined;
    "read-only": boolean;
    toolsets: string | undefined;
    models: string | undefined;
    "knowledge-bases": string | undefined;
    expires: string | undefined;
  };
}

export async function createToken({ options }: CreateInput, terminal: Terminal): Promise<number> {
  const { user, workspace, kind, name, scopes, expires } = options;
  const limits: TokenLimits = {
    readOnly: options["read-only"],
    toolsets: words(options.toolsets),
    models: words(options.models),
    knowledgeBases: words(options["knowledge-bases"])?.map(knowledgeBaseId) ?? null,
  };
  const wanted = {
    email: user,
    workspace,
    kind,
    limits,
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: words(scopes) ?? [] }),
    ...(expires === undefined ? {} : { expiresInMs: parseDuration(expires) }),
  };
  const { token, info } = await withIdentity(({ tokens }) => tokens.create(wanted));
  const end = info.expiresAt === null ? "" : `, good until ${lifeText(info.expiresAt)}`;
  terminal.err(
    `Made token ${info.id} of kind ${info.kind} for ${info.email} in ${info.workspace}${end}; it is shown only this once.\n`,
  );
  terminal.out(`${token}\n`);
  return 0;
}

interface ListInput {
  options: { user: string | undefined; workspace: string | undefined; all: boolean; json: boolean };
}

export async function listTokens({ options }: ListInput, terminal: Terminal): Promise<number> {
  const { user, workspace, all, json } = options;
  const filter = {
    includeEnded: all,
    ...(user === undefined ? {} : { email: user }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const items = await withIdentity(({ tokens }) => tokens.list(filter));
  printListing(terminal, {
    items,
    json,
    columns: {
      id: ({ id }) => id,
      kind: ({ kind }) => kind,
      token: ({ hintText }) => hintText,
      name: ({ name }) => name,
      user: ({ email }) => email,
      workspace: ({ workspace }) => workspace,
      limits: limitsText,
      expires: ({ expiresAt }) => expiresAt,
      "last used": ({ lastUsedAt }) => lastUsedAt,
      state: stateText,
    },
    empty:
      "There are no tokens; make one with: kenning token create --user EMAIL --workspace SLUG --kind KIND",
  });
  return 0;
}

export async function revokeToken({ args }: { args: { id: string } }, terminal: Terminal): Promise<number> {
  const id = Number(args.id);
  if (!/^\d+$/.test(args.id) || !Number.isSafeInteger(id)) {
    throw new AppError("bad_request", `${JSON.stringify(args.id)} is not the number of a token.`, {
      hint: "Find it with: kenning token list",
    });
  }
  await withIdentity(({ tokens }) => tokens.revoke(id));
  terminal.err(`Token ${id} is revoked.\n`);
  return 0;
}

/** The day, and how long that is from now: nobody counts days by himself. */
function lifeText(expiresAt: Date): string {
  const days = Math.round((expiresAt.getTime() - Date.now()) / MS.day);
  const life = days > 1 ? ` (${days} days; --expires sets another time)` : "";
  return `${expiresAt.toISOString().slice(0, 10)}${life}`;
}

function words(list: string | undefined): string[] | null {
  if (list === undefined) return null;
  return list.split(",").flatMap((part) => part.trim() || []);
}

function knowledgeBaseId(word: string): number {
  const id = Number(word);
  if (/^\d+$/.test(word) && Number.isSafeInteger(id)) return id;
  throw new AppError(
    "bad_request",
    `${JSON.stringify(word)} is not the id of a knowledge base: ids are whole numbers.`,
  );
}

function limitsText({ scopes, limits }: TokenInfo): string {
  return [
    limits.readOnly ? "read-only" : "",
    scopes?.join(",") ?? "",
    limits.toolsets === null ? "" : `toolsets ${limits.toolsets.join(",")}`,
    limits.models === null ? "" : `models ${limits.models.join(",")}`,
    limits.knowledgeBases === null ? "" : `knowledge bases ${limits.knowledgeBases.join(",")}`,
  ]
    .filter((text) => text !== "")
    .join("; ");
}

function stateText({ revokedAt, expiresAt }: TokenInfo): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= new Date() ? "expired" : "active";
}

interface CreateClientInput {
  options: { user: string; workspace: string; json: boolean };
}

export async function createClient({ options }: CreateClientInput, terminal: Terminal): Promise<number> {
  const { user, workspace, json } = options;
  const client = await withIdentity(({ clients }) => clients.create({ email: user, workspace }));
  const { clientId, clientSecret } = client;
  terminal.err(`Made a client for ${user} in ${workspace}; its secret is shown only this once.\n`);
  terminal.out(
    json
      ? `${JSON.stringify({ clientId, clientSecret }, null, 2)}\n`
      : `clientId: ${clientId}\nclientSecret: ${clientSecret}\n`,
  );
  return 0;
}

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
