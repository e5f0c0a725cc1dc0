import { and, desc, eq, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import { randomText } from "../../../kernel/text.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { requireName } from "../members/names.ts";
import { oauthRecords } from "./oauth.tables.ts";

export interface RegisteredClient {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
}

const MODEL = "Client";
const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** OAuth clients that the operator, or the clients themselves, have registered. All of them are public: PKCE instead of a secret. */
export class RegisteredClients {
  readonly #db: Catalog["db"];

  constructor({ db }: Catalog) {
    this.#db = db;
  }

  async register(client: Omit<RegisteredClient, "clientId">): Promise<RegisteredClient> {
    const { redirectUris } = client;
    const name = requireName(client.name, "client");
    if (redirectUris.length === 0)
      throw new AppError("bad_request", "A client needs at least one redirect URI.");
    for (const uri of redirectUris) assertRedirect(uri);
    const clientId = randomText(12);
    const isNative = redirectUris.some((uri) => !uri.startsWith("https:"));
    const payload = {
      client_id: clientId,
      client_name: name,
      redirect_uris: [...redirectUris],
      application_type: isNative ? "native" : "web",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
    await this.#db.insert(oauthRecords).values({ model: MODEL, id: clientId, payload });
    return { clientId, name, redirectUris };
  }

  async list(): Promise<RegisteredClient[]> {
    const rows = await this.#db
      .select({ id: oauthRecords.id, payload: oauthRecords.payload })
      .from(oauthRecords)
      .where(eq(oauthRecords.model, MODEL))
      .orderBy(desc(sql`${oauthRecords.payload} ->> 'client_id_issued_at'`), oauthRecords.id);
    return rows.map(({ id, payload }) => ({
      clientId: id,
      name: String(payload.client_name ?? id),
      redirectUris: (payload.redirect_uris ?? []) as string[],
    }));
  }

  async remove(clientId: string): Promise<void> {
    const removed = await this.#db
      .delete(oauthRecords)
      .where(and(eq(oauthRecords.model, MODEL), eq(oauthRecords.id, clientId)))
      .returning({ id: oauthRecords.id });
    if (removed.length === 0) throw new AppError("not_found", `There is no registered client ${clientId}.`);
  }
}

/** https anywhere, http on loopback, or an app's own scheme such as com.example.app:/callback. */
function assertRedirect(uri: string): void {
  const url = URL.parse(uri);
  const isPlain = url !== null && url.username === "" && url.password === "" && !uri.includes("#");
  const isSafe =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname)) ||
    /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url?.protocol ?? "");
  if (isPlain && isSafe) return;
  throw new AppError("bad_request", `${uri} cannot be a redirect URI.`, {
    hint: "Use https, http on localhost, or the app's own scheme such as com.example.app:/callback.",
  });
}
