import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import type { Rule, Schedules } from "../../platform/schedules/index.ts";
import type { SearchText } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import type { alertEvents, alerts, reportRuns, reports } from "./automation.tables.ts";

const KEPT_DAYS = 30;

type Table = typeof alerts | typeof reports;

interface Kind<Row> {
  /** As schedules and people call it. */
  name: "alert" | "report";
  table: Table;
  perWorkspace: number;
  /** When it comes due; null while it does not. */
  ruleOf(row: Row): Omit<Rule, "anchor"> | null;
  /** By what it is found beside its name. */
  searchBody: SQL<string>;
  /** Its history, of which the newest entries are retained. */
  past: { table: typeof alertEvents | typeof reportRuns; of: AnyPgColumn; kept: number };
}

/** Base store of alerts and reports: find, delete, restore, purge, and what is due. */
export class ScheduledStore<Row extends { id: number; workspaceId: number }> {
  protected readonly catalog: Catalog;
  protected readonly clock: Clock;
  readonly #schedules: Schedules;
  readonly #kind: Kind<Row>;

  constructor(catalog: Catalog, schedules: Schedules, clock: Clock, kind: Kind<Row>) {
    this.catalog = catalog;
    this.clock = clock;
    this.#schedules = schedules;
    this.#kind = kind;
  }

  /** Those that are there; the one with this id if there is one. */
  protected own(workspaceId: number, id?: number): SQL | undefined {
    const { table } = this.#kind;
    return and(
      eq(table.workspaceId, workspaceId),
      isNull(table.deletedAt),
      id === undefined ? undefined : eq(table.id, id),
    );
  }

  async find(workspaceId: number, id: number): Promise<Row | undefined> {
    const [found] = await this.catalog.db.select().from(this.#kind.table).where(this.own(workspaceId, id));
    return found as Row | undefined;
  }

  protected async assertRoom(tx: CatalogTx, workspaceId: number): Promise<void> {
    const { table, name, perWorkspace } = this.#kind;
    if ((await tx.$count(table, this.own(workspaceId))) < perWorkspace) return;
    const message = `This workspace has ${perWorkspace} ${name}s, which is as many as it can.`;
    throw new AppError("plan_limit", message, {
      hint: "Delete those that nobody needs with {tool:delete_asset}.",
    });
  }

  protected async schedule(tx: CatalogTx, row: Row): Promise<void> {
    const { name, ruleOf } = this.#kind;
    const rule = ruleOf(row);
    if (rule === null) await this.#schedules.remove(tx, name, row.id);
    else await this.#schedules.set(tx, name, row.id, rule);
  }

  async remove(workspaceId: number, id: number): Promise<void> {
    const { name, table } = this.#kind;
    await this.catalog.transaction(async (tx) => {
      await this.#schedules.remove(tx, name, id);
      await tx.update(table).set({ deletedAt: this.clock.now() }).where(this.own(workspaceId, id));
    });
  }

  /** Brings one back for a caller who may see it. Unless it is their own, it tells no more than they may see as well. */
  async restore(
    { workspace, user }: Caller,
    id: number,
    maySee: (row: Row) => Promise<boolean>,
  ): Promise<void> {
    const { name, table } = this.#kind;
    const deleted = and(eq(table.workspaceId, workspace.id), eq(table.id, id), isNotNull(table.deletedAt));
    const none = new AppError("not_found", `There is no deleted ${name} with id ${id}.`);
    const [found] = await this.catalog.db.select().from(table).where(deleted);
    if (found === undefined || !(await maySee(found as unknown as Row))) throw none;
    const boundBy = found.ownerId === user.id ? found.boundBy : [...new Set([...found.boundBy, user.id])];
    await this.catalog.transaction(async (tx) => {
      const [restored] = await tx.update(table).set({ deletedAt: null, boundBy }).where(deleted).returning();
      if (restored === undefined) throw none;
      await this.assertRoom(tx, workspace.id);
      await this.schedule(tx, restored as unknown as Row);
    });
  }

  searchTexts(workspaceId: number): Promise<SearchText[]> {
    const { table, searchBody } = this.#kind;
    return this.catalog.db
      .select({ id: table.id, title: table.name, body: searchBody })
      .from(table)
      .where(this.own(workspaceId));
  }

  /** Forgets those that were deleted long ago, and the oldest of what happened to the others. */
  async sweep(): Promise<void> {
    const { table, past } = this.#kind;
    const { db } = this.catalog;
    await db.delete(table).where(sql`${table.deletedAt} < now() - ${KEPT_DAYS} * interval '1 day'`);
    await keepNewest(this.catalog, { table: past.table, id: past.table.id, owner: past.of, kept: past.kept });
  }
}

const LISTED = {
  alert: "{tool:list_alerts} shows what there is.",
  report: "{tool:list_reports} shows what there is.",
};

export function noneWith(name: "alert" | "report", id: number): AppError {
  return new AppError("not_found", `There is no ${name} with id ${id}.`, { hint: LISTED[name] });
}

/** Of the rows that belong to one alert or report, deletes all but the newest so many. */
export async function keepNewest(
  { db }: Catalog,
  { table, id, owner, kept }: { table: PgTable; id: AnyPgColumn; owner: AnyPgColumn; kept: number },
): Promise<void> {
  await db.execute(sql`DELETE FROM ${table} WHERE ${id} IN (SELECT old.id FROM (
    SELECT ${id} AS id, row_number() OVER (PARTITION BY ${owner} ORDER BY ${id} DESC) AS nth FROM ${table}
  ) AS old WHERE old.nth > ${kept})`);
}
