import { AppError, isAppError } from "../../kernel/errors.ts";
import { isSecretName } from "../../kernel/excerpt.ts";
import type { Caller } from "../../registry/caller.ts";
import {
  type Connector,
  type ConnectorType,
  checkSettings,
  connectorType,
  type OpenOptions,
  openConnector,
  type PlainFields,
  type Secrets,
} from "./connectors/index.ts";
import { assertName } from "./data.ts";
import { type Datasource, type DatasourcesStore, noDatasource } from "./datasources.store.ts";

export interface DatasourceWish extends PlainFields {
  name: string;
  type: string;
  password?: string | undefined;
  token?: string | undefined;
  settings?: Record<string, unknown> | undefined;
  /** Whether to connect now, and whether that has to work. */
  connectionTest: "report" | "require" | "skip";
}

export interface ConnectionReport {
  ok: boolean;
  message: string;
  server_version?: string;
}

interface Checked {
  type: string;
  settings: Record<string, unknown>;
  secrets: Secrets;
}

/** Datasources, and the only way to a connection to one. */
export class Datasources {
  readonly #store: DatasourcesStore;
  readonly #options: OpenOptions;

  constructor(store: DatasourcesStore, options: OpenOptions) {
    this.#store = store;
    this.#options = options;
  }

  async require({ workspace }: Caller, id: number): Promise<Datasource> {
    const datasource = await this.#store.find(workspace.id, id);
    if (datasource === undefined) throw noDatasource(id);
    return datasource;
  }

  /** Stored even when nobody answers: a firewall may open later. The report says how it is. */
  async create(
    { workspace, user }: Caller,
    wish: DatasourceWish,
    signal: AbortSignal,
  ): Promise<{ datasource: Datasource; connection: ConnectionReport | null }> {
    assertName(wish.name);
    const checked = check(wish);
    const test = () => this.#use(checked, checked.secrets, (connector) => connector.test(signal));
    if (wish.connectionTest === "require") await test();
    const datasource = await this.#store.create({
      workspaceId: workspace.id,
      userId: user.id,
      name: wish.name,
      ...checked,
    });
    return { datasource, connection: wish.connectionTest === "skip" ? null : await report(test()) };
  }

  test(datasource: Datasource, signal: AbortSignal): Promise<ConnectionReport> {
    return report(this.connect(datasource, (connector) => connector.test(signal)));
  }

  /** Lets `work` have a connector, which is closed afterwards. */
  async connect<T>(datasource: Datasource, work: (connector: Connector) => Promise<T>): Promise<T> {
    return this.#use(datasource, await this.#store.secrets(datasource), work);
  }

  async #use<T>(
    { type, settings }: { type: string; settings: Record<string, unknown> },
    secrets: Secrets,
    work: (connector: Connector) => Promise<T>,
  ): Promise<T> {
    const connector = await openConnector(type, settings, secrets, this.#options);
    try {
      return await work(connector);
    } finally {
      await connector.close();
    }
  }
}

async function report(testing: Promise<{ ok: true; serverVersion?: string }>): Promise<ConnectionReport> {
  try {
    const { serverVersion } = await testing;
    const version = serverVersion === undefined ? {} : { server_version: serverVersion };
    return { ok: true, message: "The connection works.", ...version };
  } catch (error) {
    if (!isAppError(error) || error.code === "cancelled") throw error;
    return { ok: false, message: error.advice };
  }
}

const PLAIN_FIELDS = ["host", "port", "dbName", "dbUser"] as const;

/** The settings to store and the secrets to seal. What a type cannot use is an error, not silently dropped. */
function check(wish: DatasourceWish): Checked {
  const type = connectorType(wish.type);
  const isWeb = type.secretFields.includes("token");
  const given = PLAIN_FIELDS.filter((field) => wish[field] !== undefined);
  const unused = given.filter((field) => Object.keys(type.fromPlain({ [field]: wish[field] })).length === 0);
  const refused = unused.filter((field) => !(isWeb && field === "dbUser"));
  if (refused.length > 0) {
    throw new AppError("bad_request", `A ${type.type} datasource takes no ${refused.join(", ")}.`, {
      hint: isWeb ? "Give the whole URL as host." : `Leave out ${refused.join(", ")}.`,
    });
  }
  const plain = type.fromPlain(Object.fromEntries(given.map((field) => [field, wish[field]])));
  const draft = { settings: { ...plain, ...wish.settings }, secrets: secretsOf(type, wish) };
  const { settings, secrets } = isWeb ? webAccess(draft, wish) : draft;
  return { type: type.type, settings: checkSettings(type, settings) as Record<string, unknown>, secrets };
}

function secretsOf(type: ConnectorType, { password, token }: DatasourceWish): Secrets {
  const given = Object.entries({ password, token }).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  for (const [field] of given) {
    if (!(type.secretFields as readonly string[]).includes(field))
      throw new AppError("bad_request", `A ${type.type} datasource takes no ${field}.`);
  }
  return Object.fromEntries(given) as Secrets;
}

interface Draft {
  settings: Record<string, unknown>;
  secrets: Secrets;
}

/** How the secret of a web service is sent, where that follows from what was given. */
function webAccess({ settings, secrets }: Draft, { dbUser }: DatasourceWish): Draft {
  const fromUrl = takeSecretsOut(settings.url);
  const withUrl = fromUrl === undefined ? settings : { ...settings, url: fromUrl.url };
  if (settings.auth !== undefined) {
    if (fromUrl?.auth !== undefined) throw twoSecrets();
    return { settings: withUrl, secrets };
  }
  if (fromUrl?.auth !== undefined) {
    if (Object.keys(secrets).length > 0) throw twoSecrets();
    return { settings: { ...withUrl, auth: fromUrl.auth }, secrets: fromUrl.secrets };
  }
  if (dbUser !== undefined)
    return { settings: { ...withUrl, auth: { kind: "basic", user: dbUser } }, secrets };
  const token = secrets.token ?? secrets.password;
  if (token === undefined) return { settings: withUrl, secrets };
  return { settings: { ...withUrl, auth: { kind: "bearer" } }, secrets: { token } };
}

/** A password or key inside the URL would be stored and shown with it, so it becomes a secret. */
function takeSecretsOut(
  text: unknown,
): { url: string; auth?: Record<string, unknown>; secrets: Secrets } | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null) return undefined;
  const names = [...new Set(url.searchParams.keys())].filter(isSecretName);
  const hasLogin = url.username !== "" || url.password !== "";
  if (names.length + (hasLogin ? 1 : 0) > 1) throw twoSecrets();
  if (hasLogin) {
    const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
    url.username = "";
    url.password = "";
    return { url: url.href, auth: { kind: "basic", user }, secrets: { password } };
  }
  const [name] = names;
  if (name === undefined) return undefined;
  const token = url.searchParams.get(name) ?? "";
  url.searchParams.delete(name);
  return { url: url.href, auth: { kind: "query", name }, secrets: { token } };
}

function twoSecrets(): AppError {
  return new AppError("bad_request", "The URL carries a secret, and there is another one.", {
    hint: "Take it out of the URL, and say in settings.auth how the secret is sent.",
  });
}
