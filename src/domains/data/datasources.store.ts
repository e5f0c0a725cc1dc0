import { and, asc, eq, isNotNull, isNull, lt, notExists, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import {
  type Catalog,
  type CatalogTx,
  contains,
  isUniqueViolation,
  pageOf,
  Store,
} from "../../platform/catalog/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { Secrets } from "./connectors/index.ts";
import { datasets, datasources, queries } from "./data.tables.ts";
import type { Dataset } from "./dataset.ts";

export interface Datasource {
  id: number;
  workspaceId: number;
  name: string;
  type: string;
  /** Nothing secret. */
  settings: Record<string, unknown>;
  hasSecrets: boolean;
  /** Groups whose contributors may query it beside admins; null for all contributors. */
  queryGroups: readonly number[] | null;
  /** Null once they are gone. */
  createdBy: number | null;
  createdAt: Date;
}

interface NewDatasource extends Access {
  workspaceId: number;
  userId: number;
  name: string;
  type: string;
}

export interface ListFilter {
  query?: string | undefined;
  limit: number;
  offset: number;
}

/** A deleted datasource or query can be restored this long. */
const DELETED_KEPT_MS = 30 * MS.day;

/** Catalog records of datasources. Their secrets are stored sealed only. */
export class DatasourcesStore extends Store {
  readonly #vault: Vault;

  constructor(catalog: Catalog, vault: Vault, clock: Clock) {
    super(catalog, clock);
    this.#vault = vault;
  }

  async create({ workspaceId, userId, name, type, settings, secrets }: NewDatasource): Promise<Datasource> {
    const values = { workspaceId, name, type, settings, createdBy: userId, createdAt: this.clock.now() };
    try {
      return await this.catalog.transaction(async (tx) => {
        const [made] = await tx.insert(datasources).values(values).returning({ id: datasources.id });
        const id = made!.id;
        const [row] = await tx
          .update(datasources)
          .set({ sealedSecrets: this.#seal({ workspaceId, id }, secrets) })
          .where(eq(datasources.id, id))
          .returning();
        return shown(row!);
      });
    } catch (error) {
      if (!isUniqueViolation(error, "datasources_name")) throw error;
      throw new AppError("conflict", `There is already a datasource called ${name}.`, {
        hint: "Choose another name, or use that one. {tool:create_datasource(replace)} with replace: true changes it.",
      });
    }
  }

  /** Other settings and secrets, in place of all that there were. */
  async change({ workspaceId, id }: Datasource, { settings, secrets }: Access): Promise<Datasource> {
    const [row] = await this.catalog.db
      .update(datasources)
      .set({ settings, sealedSecrets: this.#seal({ workspaceId, id }, secrets) })
      .where(and(own(workspaceId), eq(datasources.id, id)))
      .returning();
    if (row === undefined) throw noDatasource(id);
    return shown(row);
  }

  async setQueryGroups(
    { workspaceId, id }: Pick<Datasource, "workspaceId" | "id">,
    queryGroups: readonly number[] | null,
  ): Promise<Datasource> {
    const [row] = await this.catalog.db
      .update(datasources)
      .set({ queryGroups })
      .where(and(own(workspaceId), eq(datasources.id, id)))
      .returning();
    if (row === undefined) throw noDatasource(id);
    return shown(row);
  }

  #seal({ workspaceId, id }: Pick<Datasource, "workspaceId" | "id">, secrets: SealedSecrets): string | null {
    if (Object.keys(secrets).length === 0) return null;
    return this.#vault.seal(JSON.stringify(secrets), sealContext(workspaceId, id));
  }

  async find(workspaceId: number, id: number): Promise<Datasource | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(datasources)
      .where(and(own(workspaceId), eq(datasources.id, id)));
    return row && shown(row);
  }

  /** The datasets that queries on it have filled, and those that are live in it. */
  async filledFrom({ id, workspaceId }: Datasource): Promise<Pick<Dataset, "name" | "policies">[]> {
    const columns = { name: datasets.name, policies: datasets.policies };
    const filled = await this.catalog.db
      .select(columns)
      .from(queries)
      .innerJoin(datasets, eq(datasets.id, queries.datasetId))
      .where(eq(queries.datasourceId, id));
    const live = await this.catalog.db.select(columns).from(datasets).where(isLiveIn(workspaceId, id));
    return [...filled, ...live];
  }

  async findByName(workspaceId: number, name: string): Promise<Datasource | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(datasources)
      .where(and(own(workspaceId), sql`lower(${datasources.name}) = lower(${name})`));
    return row && shown(row);
  }

  /** Datasources with restricted access. */
  async restricted(workspaceId: number): Promise<Datasource[]> {
    const rows = await this.catalog.db
      .select()
      .from(datasources)
      .where(and(own(workspaceId), isNotNull(datasources.queryGroups)));
    return rows.map(shown);
  }

  async list(
    workspaceId: number,
    { query, limit, offset }: ListFilter,
  ): Promise<{ total: number; items: Datasource[] }> {
    const condition = and(own(workspaceId), contains(datasources.name, query));
    const order = asc(datasources.name);
    const page = await pageOf(this.catalog.db, datasources, condition, { order, limit, offset });
    return { total: page.total, items: page.items.map(shown) };
  }

  /** For the one place that connects. */
  async secrets({ id, workspaceId }: Datasource): Promise<SealedSecrets> {
    const [row] = await this.catalog.db
      .select({ sealed: datasources.sealedSecrets })
      .from(datasources)
      .where(eq(datasources.id, id));
    if (row === undefined || row.sealed === null) return {};
    return JSON.parse(this.#vault.open(row.sealed, sealContext(workspaceId, id)).reveal()) as SealedSecrets;
  }

  /** Refuses while queries depend on it. Whoever makes a query at the same time waits, and then finds it gone. */
  async remove(workspaceId: number, id: number): Promise<void> {
    await this.catalog.transaction(async (tx) => {
      const [row] = await tx
        .select({ name: datasources.name })
        .from(datasources)
        .where(and(own(workspaceId), eq(datasources.id, id)))
        .for("update");
      if (row === undefined) return;
      const users = await tx
        .select({ name: queries.name })
        .from(queries)
        .where(and(eq(queries.datasourceId, id), isNull(queries.deletedAt)))
        .orderBy(asc(queries.name));
      if (users.length > 0) throw inUse(row.name, users);
      const live = await tx
        .select({ name: datasets.name })
        .from(datasets)
        .where(and(isLiveIn(workspaceId, id), isNull(datasets.deletedAt)))
        .orderBy(asc(datasets.name));
      if (live.length > 0) throw inUse(row.name, live, "live datasets");
      await tx.update(datasources).set({ deletedAt: this.clock.now() }).where(eq(datasources.id, id));
    });
  }

  /** Deleted ones count as well: who may query one may restore it, and queries on it. */
  async findAny(workspaceId: number, id: number): Promise<Datasource | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(datasources)
      .where(and(eq(datasources.workspaceId, workspaceId), eq(datasources.id, id)));
    return row && shown(row);
  }

  async restore(workspaceId: number, id: number, mayRestore: (found: Datasource) => void): Promise<void> {
    const deleted = and(
      eq(datasources.workspaceId, workspaceId),
      eq(datasources.id, id),
      isNotNull(datasources.deletedAt),
    );
    try {
      await this.catalog.transaction(async (tx) => {
        const [row] = await tx.update(datasources).set({ deletedAt: null }).where(deleted).returning();
        if (row === undefined)
          throw new AppError("not_found", `There is no deleted datasource with id ${id}.`);
        mayRestore(shown(row));
      });
    } catch (error) {
      if (!isUniqueViolation(error, "datasources_name")) throw error;
      throw new AppError("conflict", "There is another datasource of that name by now.", {
        hint: "Delete that one first, then restore this one.",
      });
    }
  }

  /** Forgets what can no longer be restored, with its secrets. Queries first: they refer to it. */
  async forget(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - DELETED_KEPT_MS);
    await this.catalog.transaction(async (tx) => {
      await tx.delete(queries).where(lt(queries.deletedAt, before));
      const used = tx.select().from(queries).where(eq(queries.datasourceId, datasources.id));
      await tx.delete(datasources).where(and(lt(datasources.deletedAt, before), notExists(used)));
    });
  }
}

/** The datasource, held in place until the transaction ends. */
export async function lockDatasource(tx: CatalogTx, workspaceId: number, id: number): Promise<void> {
  const rows = await tx
    .select({ id: datasources.id })
    .from(datasources)
    .where(and(own(workspaceId), eq(datasources.id, id)))
    .for("share");
  if (rows.length === 0) throw noDatasource(id);
}

export function noDatasource(id: number): AppError {
  return new AppError("not_found", `There is no datasource with id ${id}.`, {
    hint: "{tool:list_datasources} shows what there is.",
  });
}

function own(workspaceId: number) {
  return and(eq(datasources.workspaceId, workspaceId), isNull(datasources.deletedAt));
}

function shown({ sealedSecrets, ...row }: typeof datasources.$inferSelect): Datasource {
  const { deletedAt: _, ...rest } = row;
  return { ...rest, hasSecrets: sealedSecrets !== null };
}

function sealContext(workspaceId: number, id: number): string {
  return `datasource:${workspaceId}:${id}`;
}

const NAMED_USERS = 10;

/** Whether a dataset, deleted or not, is live in a datasource. */
function isLiveIn(workspaceId: number, datasourceId: number) {
  return and(
    eq(datasets.workspaceId, workspaceId),
    sql`${datasets.source} ->> 'kind' = 'live' AND ${datasets.source} -> 'detail' ->> 'datasource_id' = ${String(datasourceId)}`,
  );
}

function inUse(name: string, users: readonly { name: string }[], kind = "queries"): AppError {
  const named = users.slice(0, NAMED_USERS).map((user) => user.name);
  const more = users.length > NAMED_USERS ? ` and ${users.length - NAMED_USERS} more` : "";
  return new AppError("conflict", `${name} is used by ${named.join(", ")}${more}.`, {
    hint: `Delete these ${kind} first.`,
    data: { queries: named },
  });
}

/** All that is sealed. Any header and any parameter of a URL may say who asks, so nobody guesses which do. */
interface SealedSecrets extends Secrets {
  headers?: Record<string, string>;
  /** The query of the URL, with its question mark. */
  search?: string;
}

export interface Access {
  settings: Record<string, unknown>;
  secrets: SealedSecrets;
}

/** Splits settings into plain ones and secrets to be sealed; of headers and URL parameters only names stay plain. */
export function sealable({ settings, secrets }: Access): Access {
  if (typeof settings.url !== "string") return { settings, secrets };
  const url = webAddress(settings.url);
  const headers = (settings.headers ?? {}) as Record<string, string>;
  return {
    settings: shownSettings(settings),
    secrets: {
      ...secrets,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(url.search !== "" && { search: url.search }),
    },
  };
}

/** The settings and secrets that a connector takes. */
export function unsealed({ settings, secrets }: Access): { settings: Access["settings"]; secrets: Secrets } {
  const { headers, search = "", ...rest } = secrets;
  if (typeof settings.url !== "string") return { settings, secrets: rest };
  const { parameters: _parameters, headers: _names, ...plain } = settings;
  return { settings: { ...plain, url: settings.url + search, headers: headers ?? {} }, secrets: rest };
}

/** An allow-list: an address without its query, and names. */
export function shownSettings(settings: Record<string, unknown>): Record<string, unknown> {
  if (typeof settings.url !== "string") return settings;
  const url = URL.parse(settings.url);
  const headers = settings.headers ?? {};
  return {
    ...settings,
    url: url === null ? "" : url.origin + url.pathname,
    parameters: settings.parameters ?? [...new Set(url?.searchParams.keys())],
    headers: Array.isArray(headers) ? headers : Object.keys(headers),
  };
}

export function webAddress(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new AppError("bad_request", "This is not the URL of a web service.", {
    hint: "Write it in full, such as https://example.com/orders.",
  });
}
