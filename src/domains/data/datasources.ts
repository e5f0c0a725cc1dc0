import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import {
  type Connector,
  type ConnectorType,
  checkSettings,
  connectorType,
  type OpenOptions,
  openConnector,
  type PlainFields,
  type Reached,
  type Secrets,
} from "./connectors/index.ts";
import { assertName } from "./dataset.ts";
import {
  type Access,
  type Datasource,
  type DatasourcesStore,
  noDatasource,
  sealable,
  shownSettings,
  unsealed,
  webAddress,
} from "./datasources.store.ts";
import { assertMayDestroy } from "./policies.ts";

interface DatasourceWish extends PlainFields {
  name: string;
  type: string;
  password?: string | undefined;
  token?: string | undefined;
  settings?: Record<string, unknown> | undefined;
  /** Test the connection now, and does it have to work? */
  connectionTest: "report" | "require" | "skip";
  /** Changes the datasource of that name if there is one. */
  replace?: boolean | undefined;
  /** The caller's names of these arguments, for errors. */
  calls?: { dbName: string; dbUser: string; password: string };
}

interface ConnectionReport {
  ok: boolean;
  message: string;
  server_version?: string;
}

interface Checked extends Access {
  type: string;
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
    caller: Caller,
    wish: DatasourceWish,
    signal: AbortSignal,
  ): Promise<{ datasource: Datasource; connection: ConnectionReport | null }> {
    assertName(wish.name);
    const checked = check(wish);
    await this.#assertNoWayAround(caller, checked);
    const test = () => this.#use(checked, checked.secrets, (connector) => connector.test(signal));
    const required = wish.connectionTest === "require" ? succeeded(await test()) : undefined;
    const datasource = await this.#keep(caller, wish, checked);
    const connection = required ?? (wish.connectionTest === "skip" ? null : await report(test()));
    return { datasource, connection };
  }

  /** No bypass: who may not query a datasource cannot create another one to the same place. */
  async #assertNoWayAround(caller: Caller, { settings }: Pick<Checked, "settings">): Promise<void> {
    for (const other of await this.#store.restricted(caller.workspace.id)) {
      if (mayQuery(caller, other) || !(await isSamePlace(settings, other.settings))) continue;
      const message = `This is where ${other.name} connects to, which ${whoMayQuery(other)}.`;
      throw new AppError("forbidden", message, {
        hint: "Use the datasets that its queries fill, or ask an admin.",
      });
    }
  }

  /** What replaces a datasource replaces all of it: a secret must not be sent to where it was not given for. */
  async #keep(caller: Caller, wish: DatasourceWish, checked: Checked): Promise<Datasource> {
    const { workspace, user } = caller;
    const { name } = wish;
    const sealed = sealable(checked);
    const existing = wish.replace === true ? await this.#store.findByName(workspace.id, name) : undefined;
    if (existing === undefined) {
      const owner = { workspaceId: workspace.id, userId: user.id };
      return this.#store.create({ ...owner, name, type: checked.type, ...sealed });
    }
    if (existing.type !== checked.type) {
      throw new AppError("conflict", `${name} is a ${existing.type} datasource.`, {
        hint: "Its type stays as it is, because queries are written for it. Make another datasource.",
      });
    }
    assertMayQuery(caller, existing);
    // What comes from another place looks like what came from theirs.
    if (caller.role !== "admin" && existing.createdBy !== user.id)
      throw new AppError("forbidden", `${name} was made by somebody else.`, {
        hint: "Whoever made it or an admin can replace it. Choose another name for one of your own.",
      });
    // Another place is other rows at the next run of its queries.
    for (const dataset of await this.#store.filledFrom(existing))
      assertMayDestroy(caller, dataset, "replace its rows");
    return this.#store.change(existing, sealed);
  }

  /** For the operator: it tells nothing of what is in the datasource. */
  test(datasource: Datasource, signal: AbortSignal): Promise<ConnectionReport> {
    return report(this.#connect(datasource, (connector) => connector.test(signal)));
  }

  /** Lets `work` have a connector, for a caller who may query the datasource. No policy holds in it. */
  async connect<T>(
    caller: Caller,
    datasource: Datasource,
    work: (connector: Connector) => Promise<T>,
  ): Promise<T> {
    assertMayQuery(caller, datasource);
    return this.#connect(datasource, work);
  }

  /** For datasets that are live: who may see which of their rows was decided before. */
  connectLive<T>(datasource: Datasource, work: (connector: Connector) => Promise<T>): Promise<T> {
    return this.#connect(datasource, work);
  }

  async #connect<T>(datasource: Datasource, work: (connector: Connector) => Promise<T>): Promise<T> {
    const stored = { settings: datasource.settings, secrets: await this.#store.secrets(datasource) };
    const { settings, secrets } = unsealed(stored);
    return this.#use({ type: datasource.type, settings }, secrets, work);
  }

  async #use<T>(
    { type, settings }: { type: string; settings: Record<string, unknown> },
    secrets: Secrets,
    work: (connector: Connector) => Promise<T>,
  ): Promise<T> {
    return work(await openConnector(type, settings, secrets, this.#options));
  }
}

/** Authorization to query a datasource: admins, and contributors unless it is restricted to some groups. */
export function mayQuery(
  { role, groups }: Caller,
  { queryGroups }: Pick<Datasource, "queryGroups">,
): boolean {
  return role === "admin" || queryGroups === null || queryGroups.some((id) => groups.includes(id));
}

export function assertMayQuery(caller: Caller, datasource: Pick<Datasource, "name" | "queryGroups">): void {
  if (mayQuery(caller, datasource)) return;
  throw new AppError("forbidden", `${datasource.name} ${whoMayQuery(datasource)}.`, {
    hint: "Use the datasets that its queries fill, or ask an admin.",
  });
}

function whoMayQuery({ queryGroups }: Pick<Datasource, "queryGroups">): string {
  const who = queryGroups?.length === 0 ? "admins" : "admins and members of some groups";
  return `may be queried by ${who} only`;
}

/** Where it connects to is told to those who may ask it anything, never with a secret. */
export function toldOf(
  caller: Caller,
  datasource: Datasource,
): { settings: Record<string, unknown>; may_query: boolean } {
  const isAllowed = caller.permissions.includes("bi:write") && mayQuery(caller, datasource);
  return { settings: isAllowed ? shownSettings(datasource.settings) : {}, may_query: isAllowed };
}

function succeeded({ serverVersion, note }: Reached): ConnectionReport {
  const version = serverVersion === undefined ? {} : { server_version: serverVersion };
  return { ok: true, message: note ?? "The connection works.", ...version };
}

async function report(testing: Promise<Reached>): Promise<ConnectionReport> {
  try {
    return succeeded(await testing);
  } catch (error) {
    if (!isAppError(error) || error.code === "cancelled") throw error;
    return { ok: false, message: error.advice };
  }
}

const PLAIN_FIELDS = ["host", "port", "dbName", "dbUser"] as const;
const OUR_NAMES = { dbName: "database", dbUser: "user", password: "password" };

/** The settings to store and the secrets to seal. What a type cannot use is an error, not silently dropped. */
function check(wish: DatasourceWish): Checked {
  const type = connectorType(wish.type);
  const isWeb = type.secretFields.includes("token");
  const given = PLAIN_FIELDS.filter((field) => wish[field] !== undefined);
  const unused = given.filter((field) => Object.keys(type.fromPlain({ [field]: wish[field] })).length === 0);
  const refused = unused.filter((field) => !(isWeb && field === "dbUser"));
  const names = { host: "host", port: "port", token: "token", ...OUR_NAMES, ...wish.calls };
  if (refused.length > 0) {
    const list = refused.map((field) => names[field]).join(", ");
    throw new AppError("bad_request", `A ${type.type} datasource takes no ${list}.`, {
      hint: isWeb ? "Give the whole URL as host." : `Leave out ${list}.`,
    });
  }
  const plain = type.fromPlain(Object.fromEntries(given.map((field) => [field, wish[field]])));
  const draft = { settings: { ...plain, ...wish.settings }, secrets: secretsOf(type, wish, names) };
  const { settings, secrets } = isWeb ? webAccess(draft, wish) : draft;
  const { dbName, dbUser, host } = names;
  const checked = checkSettings(type, settings, { database: dbName, path: dbName, user: dbUser, url: host });
  return { type: type.type, settings: checked as Record<string, unknown>, secrets };
}

function secretsOf(
  type: ConnectorType,
  { password, token }: DatasourceWish,
  names: Record<"password" | "token", string>,
): Secrets {
  const given = Object.entries({ password, token }).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const refused = given.find(([field]) => !(type.secretFields as readonly string[]).includes(field));
  if (refused !== undefined)
    throw new AppError(
      "bad_request",
      `A ${type.type} datasource takes no ${names[refused[0] as "password"]}.`,
    );
  return Object.fromEntries(given) as Secrets;
}

interface Draft {
  settings: Record<string, unknown>;
  secrets: Secrets;
}

/** How the secret of a web service is sent, where that follows from what was given. */
function webAccess({ settings: given, secrets }: Draft, { dbUser }: DatasourceWish): Draft {
  const { url, login } = withoutLogin(given.url);
  const settings = { ...given, url };
  if (login !== undefined) {
    if (given.auth !== undefined || Object.keys(secrets).length > 0) throw twoSecrets();
    const { user, password } = login;
    return { settings: { ...settings, auth: { kind: "basic", user } }, secrets: { password } };
  }
  if (given.auth !== undefined) return { settings, secrets };
  if (dbUser !== undefined)
    return { settings: { ...settings, auth: { kind: "basic", user: dbUser } }, secrets };
  const token = secrets.token ?? secrets.password;
  if (token === undefined) return { settings, secrets };
  return { settings: { ...settings, auth: { kind: "bearer" } }, secrets: { token } };
}

/** A login inside the URL becomes a secret of its own. What is no text, the settings' schema complains of. */
function withoutLogin(text: unknown): { url: unknown; login?: { user: string; password: string } } {
  if (typeof text !== "string") return { url: text };
  const url = webAddress(text);
  const { username, password } = url;
  if (username === "" && password === "") return { url: text };
  url.username = "";
  url.password = "";
  return { url: url.href, login: { user: decoded(username), password: decoded(password) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError("bad_request", "The login in the URL is not written correctly.", {
      hint: "Write % as %25, or give user and password by themselves.",
    });
  }
}

function twoSecrets(): AppError {
  return new AppError("bad_request", "The URL carries a login, and there is another secret.", {
    hint: "Take it out of the URL, and say in settings.auth how the secret is sent.",
  });
}

type Settings = Record<string, unknown>;

/**
 * Whether two datasources connect to the same place, as far as their settings tell: the same file, a database of the
 * same name on the same server, or web addresses of which one lies below the other.
 */
async function isSamePlace(one: Settings, other: Settings): Promise<boolean> {
  if (typeof one.path === "string" && typeof other.path === "string") return isSameFile(one.path, other.path);
  if (typeof one.url === "string" && typeof other.url === "string") return isSameSite(one.url, other.url);
  if (typeof one.host !== "string" || typeof other.host !== "string") return false;
  // Without a database the login may reach all that the server has.
  const isSameDatabase =
    one.database === undefined || other.database === undefined || one.database === other.database;
  return hostOf(one.host) === hostOf(other.host) && one.port === other.port && isSameDatabase;
}

/** By what the file system says it is, so that no link is another file. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  if (a !== undefined && b !== undefined) return a.dev === b.dev && a.ino === b.ino;
  const [from, to] = await Promise.all([one, other].map((path) => realpath(path).catch(() => resolve(path))));
  return from === to;
}

/** Queries go to what lies below an address, so either may hold the other. */
function isSameSite(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)];
  if (a === null || b === null) return false;
  const [from, to] = [pathOf(a), pathOf(b)];
  const isSameServer = hostOf(a.hostname) === hostOf(b.hostname) && a.port === b.port;
  return isSameServer && (from.startsWith(to) || to.startsWith(from));
}

function pathOf({ pathname }: URL): string {
  const plain = pathname.replace(/%[0-9a-f]{2}/gi, (code) =>
    String.fromCharCode(parseInt(code.slice(1), 16)),
  );
  return `${plain}/`.replace(/\/+/g, "/");
}

function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
