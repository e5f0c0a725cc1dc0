import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../kernel/errors.ts";
import { assertVisible } from "../../kernel/text.ts";
import type { CatalogTx } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import {
  type BoardsStore,
  type Dashboard,
  type DashboardContent,
  type FoundWidget,
  may,
  mayShare,
  type Widget,
  withAuthor,
} from "./boards.store.ts";
import { arrange, firstFree, inShelves, usualSize } from "./layout.ts";
import { LIMITS } from "./limits.ts";
import { dashboardAccess, type Place, type WidgetSpec, widgetSpec } from "./shapes.ts";

/** A widget as somebody wants it. */
export interface WidgetWish {
  name: string;
  /** None for one on a semantic model. */
  datasetId: number | null;
  spec: WidgetSpec;
  place?: Place | undefined;
}

export interface DashboardChange extends Partial<DashboardContent> {
  /** Who answers for the filters beside the caller. */
  authorIds?: readonly number[];
  add?: readonly WidgetWish[];
  places?: ReadonlyMap<number, Place>;
  remove?: readonly number[];
}

/** Dashboards and their widgets, with the one check of who may see and change them. */
export class Boards {
  readonly store: BoardsStore;
  /** Throws if the dataset or a field of it is not there. */
  readonly #check: (caller: Caller, wish: Pick<WidgetWish, "datasetId" | "spec">) => Promise<void>;

  constructor(
    store: BoardsStore,
    check: (caller: Caller, wish: Pick<WidgetWish, "datasetId" | "spec">) => Promise<void>,
  ) {
    this.store = store;
    this.#check = check;
  }

  async dashboard(caller: Caller, id: number, verb: "read" | "write" = "read"): Promise<Dashboard> {
    const found = await this.store.findDashboard(caller.workspace.id, id);
    return assertMay(caller, found, verb, `dashboard with id ${id}`, found);
  }

  async widget(caller: Caller, id: number, verb: "read" | "write" = "read"): Promise<FoundWidget> {
    const found = await this.store.findWidget(caller.workspace.id, id);
    return assertMay(caller, found && guardOf(found), verb, `widget with id ${id}`, found);
  }

  /** The dashboard with its widgets, all or nothing. */
  async create(
    caller: Caller,
    {
      add = [],
      places: _,
      remove: __,
      ...content
    }: Omit<DashboardChange, "authorIds"> & Pick<DashboardContent, "name">,
  ): Promise<{ dashboard: Dashboard; widgets: Widget[] }> {
    assertName(content.name);
    for (const wish of add) await this.#admit(caller, wish);
    const all = {
      description: null,
      filters: [],
      access: dashboardAccess.parse({}),
      settings: {},
      ...content,
      // Who has chosen no filters has not decided what widgets of others show.
      authorIds: content.filters === undefined || content.filters.length === 0 ? [] : [caller.user.id],
    };
    return this.store.transaction(async (tx) => {
      const dashboard = await this.store.createDashboard(tx, caller, all);
      return { dashboard, widgets: await this.#add(tx, caller, dashboard, [], add) };
    });
  }

  async update(
    caller: Caller,
    id: number,
    { add = [], places = new Map(), remove = [], authorIds: former = [], ...rest }: DashboardChange,
  ): Promise<{ dashboard: Dashboard; widgets: Widget[]; moved: number[] }> {
    if (rest.name !== undefined) assertName(rest.name);
    for (const wish of add) await this.#admit(caller, wish);
    const authorIds = withAuthor(former, caller.user.id);
    const content = { ...rest, ...(rest.filters !== undefined && { authorIds }) };
    return this.store.transaction(async (tx) => {
      const before = await this.store.lockDashboard(tx, caller.workspace.id, id);
      const dashboard = assertMay(caller, before, "write", `dashboard with id ${id}`, before);
      const isShared = rest.access !== undefined && !isDeepStrictEqual(rest.access, dashboard.access);
      if (isShared && !mayShare(caller, dashboard))
        throw new AppError("forbidden", "Only its creator and admins may change the access of a dashboard.", {
          hint: "Leave access out; all else can be changed.",
        });
      const there = await this.store.lockWidgetsOf(tx, id);
      const gone = remove.map((each) => requireOn(dashboard, there, each));
      const joining = await this.#joining(tx, caller, there, [...places.keys()]);
      const left = [...there, ...joining].filter((widget) => !gone.includes(widget));
      const arranged = arrange(left, places);
      const former = new Map(there.map((widget) => [widget.id, widget.place]));
      const changed = await this.store.changeDashboard(tx, caller, dashboard, content, former);
      await this.store.setPlaces(tx, id, arranged);
      for (const widget of joining) await this.store.join(tx, caller, widget);
      for (const widget of gone) await this.store.removeWidget(widget.id, tx);
      await this.#add(tx, caller, changed, [...arranged.values()], add);
      const moved = left.filter(
        (widget) => !places.has(widget.id) && !isSame(widget.place, arranged.get(widget.id)),
      );
      return {
        dashboard: changed,
        widgets: await this.store.lockWidgetsOf(tx, id),
        moved: moved.map((widget) => widget.id),
      };
    });
  }

  /** Widgets that stand alone, and are given a place on a dashboard. */
  async #joining(
    tx: CatalogTx,
    caller: Caller,
    there: readonly Widget[],
    ids: readonly number[],
  ): Promise<Widget[]> {
    const joining: Widget[] = [];
    for (const id of ids.filter((each) => !there.some((widget) => widget.id === each))) {
      const widget = await this.store.lockWidget(tx, caller.workspace.id, id);
      if (widget === undefined || widget.dashboardId !== null)
        throw new AppError("not_found", `There is no widget ${id} on this dashboard.`, {
          hint: "{tool:get_details} of the dashboard lists its widgets.",
        });
      joining.push({ ...widget, place: widget.place ?? null });
    }
    return joining;
  }

  async #add(
    tx: CatalogTx,
    caller: Caller,
    dashboard: Dashboard,
    taken: readonly Place[],
    wishes: readonly WidgetWish[],
  ): Promise<Widget[]> {
    // Those with a place of their own come first, so that the others find room around them.
    const given = wishes.map((wish, i) => ({ id: -1 - i, name: wish.name, place: wish.place ?? null }));
    const known = taken.map((place, i) => ({ id: -1_000 - i, name: "another widget", place }));
    const wanted = new Map(given.flatMap(({ id, place }) => (place === null ? [] : [[id, place] as const])));
    const fixed = new Map([...wanted, ...known.map(({ id, place }) => [id, place] as const)]);
    const placed = [...arrange([...known, ...given], fixed).values()];
    const sizes = wishes.filter(({ place }) => place === undefined).map(({ spec }) => usualSize(spec.chart));
    const [only, ...more] = sizes;
    const free =
      only === undefined || more.length > 0 ? inShelves(sizes, placed, true) : [firstFree(only, placed)];
    const contents = wishes.map(({ name, spec, datasetId, place }) => ({
      name,
      spec,
      datasetId,
      dashboardId: dashboard.id,
      place: place ?? (free.shift() as Place),
    }));
    return this.store.createWidgets(tx, caller, contents);
  }

  async createWidget(caller: Caller, wish: WidgetWish, dashboardId: number | undefined): Promise<Widget> {
    await this.#admit(caller, wish);
    return this.store.transaction(async (tx) => {
      if (dashboardId === undefined) {
        const { name, spec, datasetId, place = null } = wish;
        const [alone] = await this.store.createWidgets(tx, caller, [
          { name, spec, datasetId, dashboardId: null, place },
        ]);
        return alone!;
      }
      const found = await this.store.lockDashboard(tx, caller.workspace.id, dashboardId);
      const dashboard = assertMay(caller, found, "write", `dashboard ${dashboardId}`, found);
      const taken = (await this.store.lockWidgetsOf(tx, dashboardId)).flatMap(({ place }) => place ?? []);
      const [made] = await this.#add(tx, caller, dashboard, taken, [wish]);
      return made!;
    });
  }

  /** Whoever says what it shows answers for that, even where it stays the same; a new name alone changes nothing of it. */
  async updateWidget(
    caller: Caller,
    id: number,
    change: (before: Widget) => Partial<Pick<Widget, "name" | "spec" | "datasetId" | "authorIds">>,
  ): Promise<Widget> {
    const { widget } = await this.widget(caller, id, "write");
    const wanted = change(widget);
    const [name, spec] = [wanted.name ?? widget.name, widgetSpec.parse(wanted.spec ?? widget.spec)];
    const datasetId = spec.model === undefined ? (wanted.datasetId ?? widget.datasetId) : null;
    if (datasetId === null && spec.model === undefined && spec.chart !== "text") throw datasetGone(widget);
    const isSameSpec = isDeepStrictEqual(JSON.parse(JSON.stringify(spec)), widget.spec);
    const isSaid = wanted.spec !== undefined || wanted.datasetId !== undefined;
    const said = withAuthor(wanted.authorIds ?? [], caller.user.id);
    const authorIds = isSaid ? said : widget.authorIds;
    const isSameShown = isSameSpec && datasetId === widget.datasetId;
    if (isSameShown && name === widget.name && isDeepStrictEqual(authorIds, widget.authorIds)) return widget;
    await this.#admit(caller, { name, spec, datasetId });
    return this.store.transaction(async (tx) => {
      const before = await this.store.lockWidget(tx, caller.workspace.id, id);
      if (before?.version !== widget.version) throw concurrentChange(`widget ${id}`);
      return this.store.changeWidget(tx, caller, before, { name, spec, datasetId, authorIds });
    });
  }

  async restoreWidget(caller: Caller, id: number): Promise<void> {
    const found = await this.store.deletedWidget(caller.workspace.id, id);
    const { widget, dashboard } = assertMay(
      caller,
      found && guardOf(found),
      "write",
      `deleted widget ${id}`,
      found,
    );
    if (dashboard?.deletedAt != null)
      throw new AppError("conflict", `The dashboard of ${widget.name} is deleted.`, {
        hint: `Restore the dashboard ${dashboard.id} first.`,
      });
    await this.store.transaction(async (tx) => {
      const others = dashboard === null ? [] : await this.store.lockWidgetsOf(tx, dashboard.id);
      const fixed = new Map(
        others.flatMap(({ id, place }) => (place === null ? [] : [[id, place] as const])),
      );
      const place = arrange([...others, widget], fixed).get(id) ?? null;
      await this.store.restoreWidget(tx, caller, widget, place);
    });
  }

  async #admit(caller: Caller, wish: Pick<WidgetWish, "name" | "datasetId" | "spec">): Promise<void> {
    assertName(wish.name);
    await this.#check(caller, wish);
  }
}

/** Rights of a widget are those of its dashboard; one that stands alone is everybody's, as datasets are. */
export function guardOf({ widget, dashboard }: FoundWidget) {
  return (
    dashboard ?? {
      workspaceId: widget.workspaceId,
      createdBy: widget.createdBy,
      access: dashboardAccess.parse({}),
    }
  );
}

/** What may not be seen looks as if it were not there. */
function assertMay<T>(
  caller: Caller,
  guarded: Parameters<typeof may>[1] | undefined,
  verb: "read" | "write",
  what: string,
  found: T | undefined,
): T {
  if (guarded === undefined || found === undefined || !may(caller, guarded, "read"))
    throw new AppError("not_found", `There is no ${what}.`, {
      hint: "{tool:list_dashboards} shows what there is.",
    });
  if (!may(caller, guarded, verb))
    throw new AppError("forbidden", `you do not have permission to change ${what}`, {
      hint: "Its owner or an admin can share it for editing.",
    });
  return found;
}

function requireOn({ name }: Dashboard, there: readonly Widget[], id: number): Widget {
  const found = there.find((widget) => widget.id === id);
  if (found !== undefined) return found;
  throw new AppError("not_found", `There is no widget ${id} on ${name}.`, {
    hint: `It has ${there.map((widget) => `${widget.id} (${widget.name})`).join(", ") || "none"}.`,
  });
}

function isSame(a: Place | null, b: Place | undefined): boolean {
  return a?.col === b?.col && a?.row === b?.row && a?.sizeX === b?.sizeX && a?.sizeY === b?.sizeY;
}

export function datasetGone({ name }: { name: string }): AppError {
  return new AppError("not_found", `The dataset of ${name} was deleted.`, {
    hint: "Restore the dataset, or delete the widget.",
  });
}

function concurrentChange(what: string): AppError {
  return new AppError("conflict", `Somebody else has changed ${what} meanwhile.`, {
    hint: "Look at it, then try again.",
  });
}

function assertName(name: string): void {
  const { nameCharacters } = LIMITS.bi;
  if (name.trim() !== name || name === "" || name.length > nameCharacters)
    throw new AppError(
      "bad_request",
      `A name has 1 to ${nameCharacters} characters and no spaces around it.`,
    );
  assertVisible(name);
}
