import { and, asc, desc, eq, ilike, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { likeText } from "../../kernel/sql-text.ts";
import { MS } from "../../kernel/time.ts";
import { type Catalog, type CatalogTx, Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { boardVersions, dashboards, widgets } from "./bi.tables.ts";
import { LIMITS } from "./limits.ts";
import type { DashboardAccess, Place } from "./shapes.ts";

export type Dashboard = typeof dashboards.$inferSelect;
export type Widget = typeof widgets.$inferSelect;
export type DashboardContent = Pick<Dashboard, "name" | "description" | "filters" | "access" | "settings">;
type WidgetContent = Pick<Widget, "name" | "spec" | "datasetId" | "dashboardId" | "place">;
type Authored = Pick<Widget, "authorIds">;

export interface FormerVersion {
  version: number;
  changedAt: Date;
  changedBy: number | null;
}

/** A widget with its dashboard, whose rights are the widget's. */
export interface FoundWidget {
  widget: Widget;
  dashboard: Dashboard | null;
}

/** Catalog records of dashboards and widgets. Each change keeps the former version. */
export class BoardsStore extends Store {
  /** All of it is kept, or nothing. */
  transaction<T>(work: (tx: CatalogTx) => Promise<T>): Promise<T> {
    return this.catalog.transaction(work);
  }

  async findDashboard(workspaceId: number, id: number): Promise<Dashboard | undefined> {
    const [row] = await this.catalog.db.select().from(dashboards).where(ownDashboard(workspaceId, id));
    return row;
  }

  async findWidget(workspaceId: number, id: number): Promise<FoundWidget | undefined> {
    const [row] = await this.#joined(and(ownWidget(workspaceId), eq(widgets.id, id)));
    return row;
  }

  /** From top to bottom, as people read them. */
  async widgetsOf(dashboardId: number): Promise<Widget[]> {
    const rows = await this.catalog.db
      .select()
      .from(widgets)
      .where(and(eq(widgets.dashboardId, dashboardId), isNull(widgets.deletedAt)));
    return rows.toSorted(inReadingOrder);
  }

  async listDashboards(
    caller: Caller,
    { query, limit, offset }: { query?: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: (Dashboard & { widgetCount: number })[] }> {
    const named = query === undefined ? undefined : ilike(dashboards.name, `%${likeText(query)}%`);
    const condition = and(visibleTo(caller), named);
    const counted = sql<number>`(SELECT count(*)::int FROM ${widgets} w WHERE w.dashboard_id = ${dashboards}.id AND w.deleted_at IS NULL)`;
    const [total, items] = await Promise.all([
      this.catalog.db.$count(dashboards, condition),
      this.catalog.db
        .select({ dashboard: dashboards, widgetCount: counted })
        .from(dashboards)
        .where(condition)
        .orderBy(asc(sql`lower(${dashboards.name})`), asc(dashboards.id))
        .limit(limit)
        .offset(offset),
    ]);
    return { total, items: items.map(({ dashboard, widgetCount }) => ({ ...dashboard, widgetCount })) };
  }

  async listWidgets(
    caller: Caller,
    {
      name,
      dashboardId,
      limit,
      offset,
    }: { name: string; dashboardId?: number | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: FoundWidget[] }> {
    const condition = and(
      ownWidget(caller.workspace.id),
      ilike(widgets.name, `%${likeText(name)}%`),
      dashboardId === undefined ? undefined : eq(widgets.dashboardId, dashboardId),
      or(isNull(widgets.dashboardId), visibleTo(caller)),
    );
    const [[counted], items] = await Promise.all([
      this.catalog.db
        .select({ total: sql<number>`count(*)::int` })
        .from(widgets)
        .leftJoin(dashboards, eq(dashboards.id, widgets.dashboardId))
        .where(condition),
      this.#joined(condition)
        .orderBy(asc(sql`lower(${widgets.name})`), asc(widgets.id))
        .limit(limit)
        .offset(offset),
    ]);
    return { total: counted?.total ?? 0, items };
  }

  #joined(condition: SQL | undefined) {
    return this.catalog.db
      .select({ widget: widgets, dashboard: dashboards })
      .from(widgets)
      .leftJoin(dashboards, eq(dashboards.id, widgets.dashboardId))
      .where(condition)
      .$dynamic();
  }

  async createDashboard(
    tx: CatalogTx,
    { workspace, user }: Caller,
    content: DashboardContent & Authored,
  ): Promise<Dashboard> {
    const own = and(eq(dashboards.workspaceId, workspace.id), isNull(dashboards.deletedAt));
    assertRoom(await tx.$count(dashboards, own), LIMITS.bi.dashboards, "dashboards");
    const [row] = await tx
      .insert(dashboards)
      .values({ ...content, workspaceId: workspace.id, ...this.#stamp(user.id) })
      .returning();
    return row!;
  }

  async createWidgets(
    tx: CatalogTx,
    { workspace, user }: Caller,
    contents: readonly WidgetContent[],
  ): Promise<Widget[]> {
    if (contents.length === 0) return [];
    const { widgets: most, widgetsPerDashboard } = LIMITS.bi;
    assertRoom((await tx.$count(widgets, ownWidget(workspace.id))) + contents.length - 1, most, "widgets");
    const stamp = this.#stamp(user.id);
    const rows = await tx
      .insert(widgets)
      .values(
        contents.map((content) => ({
          ...content,
          workspaceId: workspace.id,
          authorIds: [user.id],
          ...stamp,
        })),
      )
      .returning();
    const [dashboardId] = contents.flatMap(({ dashboardId }) => dashboardId ?? []);
    if (dashboardId !== undefined) {
      const there = and(eq(widgets.dashboardId, dashboardId), isNull(widgets.deletedAt));
      if ((await tx.$count(widgets, there)) > widgetsPerDashboard)
        throw new AppError("plan_limit", `A dashboard has at most ${widgetsPerDashboard} widgets.`);
    }
    return rows;
  }

  #stamp(userId: number) {
    const changed = this.#changed(userId);
    return { createdBy: userId, createdAt: changed.changedAt, ...changed };
  }

  #changed(userId: number) {
    return { changedBy: userId, changedAt: this.clock.now() };
  }

  /** The dashboard, which nobody else changes until the transaction ends. */
  async lockDashboard(tx: CatalogTx, workspaceId: number, id: number): Promise<Dashboard | undefined> {
    const [row] = await tx.select().from(dashboards).where(ownDashboard(workspaceId, id)).for("update");
    return row;
  }

  async lockWidgetsOf(tx: CatalogTx, dashboardId: number): Promise<Widget[]> {
    const rows = await tx
      .select()
      .from(widgets)
      .where(and(eq(widgets.dashboardId, dashboardId), isNull(widgets.deletedAt)))
      .orderBy(asc(widgets.id))
      .for("update");
    return rows.toSorted(inReadingOrder);
  }

  async lockWidget(tx: CatalogTx, workspaceId: number, id: number): Promise<Widget | undefined> {
    const [row] = await tx
      .select()
      .from(widgets)
      .where(and(ownWidget(workspaceId), eq(widgets.id, id)))
      .for("update");
    return row;
  }

  async changeDashboard(
    tx: CatalogTx,
    { user }: Caller,
    before: Dashboard,
    content: Partial<DashboardContent & Authored>,
    places: ReadonlyMap<number, Place | null>,
  ): Promise<Dashboard> {
    const { id, workspaceId, version, changedBy, changedAt } = before;
    const { name, description, filters, access, settings, authorIds } = before;
    const former = {
      name,
      description,
      filters,
      access,
      settings,
      authorIds,
      places: Object.fromEntries(places),
    };
    await this.#keep(
      tx,
      { kind: "dashboard", assetId: id, workspaceId, version, changedBy, changedAt },
      former,
    );
    const [row] = await tx
      .update(dashboards)
      .set({ ...content, version: version + 1, ...this.#changed(user.id) })
      .where(eq(dashboards.id, id))
      .returning();
    return row!;
  }

  async setPlaces(tx: CatalogTx, dashboardId: number, places: ReadonlyMap<number, Place>): Promise<void> {
    for (const [id, place] of places)
      await tx.update(widgets).set({ dashboardId, place }).where(eq(widgets.id, id));
  }

  /** A widget that stood alone comes onto a dashboard, where others see it: whoever put it there answers for it too. */
  async join(tx: CatalogTx, { user }: Caller, { id, authorIds }: Widget): Promise<void> {
    await tx
      .update(widgets)
      .set({ authorIds: withAuthor(authorIds, user.id), ...this.#changed(user.id) })
      .where(eq(widgets.id, id));
  }

  async changeWidget(
    tx: CatalogTx,
    { user }: Caller,
    before: Widget,
    content: Partial<WidgetContent & Authored>,
  ): Promise<Widget> {
    const { id, workspaceId, version, changedBy, changedAt, name, spec, datasetId, authorIds } = before;
    await this.#keep(
      tx,
      { kind: "widget", assetId: id, workspaceId, version, changedBy, changedAt },
      { name, spec, datasetId, authorIds },
    );
    const [row] = await tx
      .update(widgets)
      .set({ ...content, version: version + 1, ...this.#changed(user.id) })
      .where(eq(widgets.id, id))
      .returning();
    return row!;
  }

  async #keep(
    tx: CatalogTx,
    key: Omit<typeof boardVersions.$inferInsert, "content">,
    content: Record<string, unknown>,
  ): Promise<void> {
    await tx.insert(boardVersions).values({ ...key, content });
    const old = lt(boardVersions.version, key.version - LIMITS.bi.keptVersions);
    await tx.delete(boardVersions).where(and(ofAsset(key.kind, key.assetId), old));
  }

  async versions(kind: "dashboard" | "widget", id: number): Promise<FormerVersion[]> {
    return this.catalog.db
      .select({
        version: boardVersions.version,
        changedAt: boardVersions.changedAt,
        changedBy: boardVersions.changedBy,
      })
      .from(boardVersions)
      .where(ofAsset(kind, id))
      .orderBy(desc(boardVersions.version))
      .limit(LIMITS.bi.listedVersions);
  }

  /** Includes the authors at that time; of older versions only the author of the change is known. */
  async version(
    kind: "dashboard" | "widget",
    id: number,
    version: number,
  ): Promise<(Record<string, unknown> & Authored) | undefined> {
    const [row] = await this.catalog.db
      .select({ content: boardVersions.content, changedBy: boardVersions.changedBy })
      .from(boardVersions)
      .where(and(ofAsset(kind, id), eq(boardVersions.version, version)));
    return row && { authorIds: [row.changedBy ?? 0], ...row.content };
  }

  /** A dashboard goes with its widgets. */
  async removeDashboard(id: number): Promise<void> {
    const deletedAt = this.clock.now();
    await this.catalog.transaction(async (tx) => {
      await tx
        .update(dashboards)
        .set({ deletedAt })
        .where(and(eq(dashboards.id, id), isNull(dashboards.deletedAt)));
      await tx
        .update(widgets)
        .set({ deletedAt })
        .where(and(eq(widgets.dashboardId, id), isNull(widgets.deletedAt)));
    });
  }

  async removeWidget(id: number, tx: CatalogTx | Catalog["db"] = this.catalog.db): Promise<void> {
    const gone = { deletedAt: this.clock.now() };
    await tx
      .update(widgets)
      .set(gone)
      .where(and(eq(widgets.id, id), isNull(widgets.deletedAt)));
  }

  async deletedDashboard(workspaceId: number, id: number): Promise<Dashboard | undefined> {
    const gone = and(
      eq(dashboards.workspaceId, workspaceId),
      eq(dashboards.id, id),
      isNotNull(dashboards.deletedAt),
    );
    const [row] = await this.catalog.db.select().from(dashboards).where(gone);
    return row;
  }

  /** Widgets that were deleted before their dashboard stay deleted. */
  async restoreDashboard({ user }: Caller, { id, deletedAt, authorIds }: Dashboard): Promise<void> {
    await this.catalog.transaction(async (tx) => {
      const back = { deletedAt: null, authorIds: withAuthor(authorIds, user.id), ...this.#changed(user.id) };
      await tx.update(dashboards).set(back).where(eq(dashboards.id, id));
      const together = and(eq(widgets.dashboardId, id), eq(widgets.deletedAt, deletedAt as Date));
      await tx.update(widgets).set({ deletedAt: null }).where(together);
    });
  }

  async deletedWidget(workspaceId: number, id: number): Promise<FoundWidget | undefined> {
    const gone = and(eq(widgets.workspaceId, workspaceId), eq(widgets.id, id), isNotNull(widgets.deletedAt));
    const [row] = await this.#joined(gone);
    return row;
  }

  async restoreWidget(
    tx: CatalogTx,
    { user }: Caller,
    { id, authorIds }: Widget,
    place: Place | null,
  ): Promise<void> {
    const authors = withAuthor(authorIds, user.id);
    const back = { deletedAt: null, place, authorIds: authors, ...this.#changed(user.id) };
    await tx.update(widgets).set(back).where(eq(widgets.id, id));
  }

  /** Texts for the search index: name and words of each, with a text that changes when they do. */
  async searchTexts(
    workspaceId: number,
    kind: "dashboard" | "widget",
  ): Promise<{ id: number; title: string; body: string; content?: string }[]> {
    if (kind === "dashboard") {
      const rows = await this.catalog.db
        .select({
          id: dashboards.id,
          title: dashboards.name,
          body: sql<string>`coalesce(${dashboards.description}, '')`,
          content: sql<string>`coalesce(string_agg(${widgets.name}, '. ' order by ${widgets.id}), '')`,
        })
        .from(dashboards)
        .leftJoin(widgets, and(eq(widgets.dashboardId, dashboards.id), isNull(widgets.deletedAt)))
        .where(and(eq(dashboards.workspaceId, workspaceId), isNull(dashboards.deletedAt)))
        .groupBy(dashboards.id);
      return rows;
    }
    const rows = await this.#joined(and(ownWidget(workspaceId)));
    // Without its fields: some may be hidden from whoever searches.
    return rows.map(({ widget: { id, name, spec }, dashboard }) => ({
      id,
      title: name,
      body: [dashboard?.name ?? "", spec.chart].join(" ").trim(),
    }));
  }

  /** Removes what has been in the bin for long. */
  async sweep(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - LIMITS.bi.binDays * MS.day);
    await this.catalog.db.delete(widgets).where(lt(widgets.deletedAt, before));
    await this.catalog.db.delete(dashboards).where(lt(dashboards.deletedAt, before));
  }
}

export function withAuthor(authorIds: readonly number[], userId: number): number[] {
  return [...new Set([...authorIds, userId])];
}

function ofAsset(kind: "dashboard" | "widget", id: number): SQL | undefined {
  return and(eq(boardVersions.kind, kind), eq(boardVersions.assetId, id));
}

function ownDashboard(workspaceId: number, id: number): SQL | undefined {
  return and(eq(dashboards.workspaceId, workspaceId), eq(dashboards.id, id), isNull(dashboards.deletedAt));
}

function ownWidget(workspaceId: number): SQL | undefined {
  return and(eq(widgets.workspaceId, workspaceId), isNull(widgets.deletedAt));
}

function inReadingOrder(a: Widget, b: Widget): number {
  const at = ({ place }: Widget) => (place === null ? Number.MAX_SAFE_INTEGER : place.row * 100 + place.col);
  return at(a) - at(b) || a.id - b.id;
}

function assertRoom(count: number, most: number, what: string): void {
  if (count < most) return;
  throw new AppError("plan_limit", `This workspace has ${most} ${what}, which is as many as it can.`, {
    hint: "Delete those that nobody needs with {tool:delete_asset}.",
  });
}

/** The part of a dashboard that decides who may do what with it. */
interface Guarded {
  workspaceId: number;
  createdBy: number | null;
  access: DashboardAccess;
}

/** The one check of who may see or change a dashboard and its widgets; a widget without a dashboard is everybody's. */
export function may(
  caller: Caller,
  { workspaceId, createdBy, access }: Guarded,
  verb: "read" | "write",
): boolean {
  if (workspaceId !== caller.workspace.id || !caller.permissions.includes(`bi:${verb}`)) return false;
  if (createdBy === caller.user.id || caller.role === "admin") return true;
  const { shared, groups = [] } = access;
  if (groups.length > 0 && !groups.some((id) => caller.groups.includes(id))) return false;
  return shared === "edit" || (shared === "view" && verb === "read");
}

/** Authorization to change sharing: otherwise somebody it is shared with could lock out the others. */
export function mayShare({ user, role }: Caller, { createdBy }: Pick<Guarded, "createdBy">): boolean {
  return createdBy === user.id || role === "admin";
}

/** The same as `may(…, "read")`, for lists. */
function visibleTo({ workspace, user, role, groups }: Caller): SQL | undefined {
  const own = and(eq(dashboards.workspaceId, workspace.id), isNull(dashboards.deletedAt));
  if (role === "admin") return own;
  const ofGroups = sql`coalesce(${dashboards.access}->'groups', '[]'::jsonb)`;
  const mine = sql`${JSON.stringify(groups)}::jsonb`;
  const inGroup = sql`(${ofGroups} = '[]'::jsonb OR EXISTS (SELECT 1 FROM jsonb_array_elements(${ofGroups}) g WHERE ${mine} @> g))`;
  const shared = and(sql`${dashboards.access}->>'shared' <> 'private'`, inGroup);
  return and(own, or(eq(dashboards.createdBy, user.id), shared));
}
