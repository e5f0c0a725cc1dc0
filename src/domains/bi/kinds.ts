import { AppError } from "../../kernel/errors.ts";
import type { AssetKind, AssetRows, RowsOptions } from "../../registry/asset-kind.ts";
import type { ModelTable } from "../agent/index.ts";
import { column, descending, following, type RowQuery, rowQuery, truncated } from "../data/index.ts";
import { type BoardsStore, type FormerVersion, may, mayShare } from "./boards.store.ts";
import { datasetGone, guardOf } from "./boards.ts";
import { type BiServices, widgetOf } from "./define.ts";
import { isTime, labelOf, planOf } from "./query/plan.ts";
import { grainOf, rawRows } from "./query/points.ts";
import { filterContextOf, isNumber, type Source } from "./query/source.ts";
import type { Grain, Place, WidgetSpec } from "./shapes.ts";

/** Dashboards, as tools that span slices see them. */
export function dashboardKind({ boards, views, appUrl }: BiServices): AssetKind {
  return {
    name: "dashboard",
    idsFrom: "list_dashboards",
    async can(caller, id, verb) {
      const found = await boards.store.findDashboard(caller.workspace.id, id);
      return found !== undefined && may(caller, found, verb);
    },

    async describe(caller, id) {
      const dashboard = await boards.dashboard(caller, id);
      const [widgets, versions] = await Promise.all([
        boards.store.widgetsOf(id),
        boards.store.versions("dashboard", id),
      ]);
      const { name, description, access, settings } = dashboard;
      return {
        id,
        name,
        description,
        url: `${appUrl}/d/${id}`,
        widget_count: widgets.length,
        widgets: widgets.map(widgetOf),
        filters: await views.visibleFilters(caller, dashboard, widgets),
        access,
        settings,
        may_change: may(caller, dashboard, "write"),
        ...historyOf(dashboard, versions),
      };
    },

    async parts(caller, id) {
      const { name } = await boards.dashboard(caller, id);
      const widgets = await boards.store.widgetsOf(id);
      return { name, parts: widgets.map((widget) => ({ type: "widget", id: widget.id, name: widget.name })) };
    },

    async delete(caller, id) {
      await boards.dashboard(caller, id, "write");
      await boards.store.removeDashboard(id);
    },

    async restore(caller, id) {
      const found = await boards.store.deletedDashboard(caller.workspace.id, id);
      if (found === undefined || !may(caller, found, "write"))
        throw new AppError("not_found", `There is no deleted dashboard with id ${id}.`, {
          hint: "To bring back what it was, say which version; {tool:get_details} lists them.",
        });
      await boards.store.restoreDashboard(caller, found);
    },

    async restoreVersion(caller, id, version) {
      const current = await boards.dashboard(caller, id, "write");
      const { places, ...former } = await formerOf(boards.store.version("dashboard", id, version), version);
      // Who sees it stays as it is, unless whoever brings the version back may say so.
      const content = { ...former, ...(!mayShare(caller, current) && { access: current.access }) };
      const there = new Set((await boards.store.widgetsOf(id)).map((widget) => widget.id));
      const known = Object.entries((places ?? {}) as Record<string, Place | null>).flatMap(([key, place]) =>
        place !== null && there.has(Number(key)) ? [[Number(key), place] as const] : [],
      );
      const { dashboard } = await boards.update(caller, id, { ...content, places: new Map(known) });
      return { version: dashboard.version };
    },

    search: (workspaceId) => boards.store.searchTexts(workspaceId, "dashboard"),
  };
}

/** Widgets, as tools that span slices see them. */
export function widgetKind({ boards, viewers, sources, modelSources, data }: BiServices): AssetKind {
  return {
    name: "widget",
    idsFrom: "find_widget",
    async can(caller, id, verb) {
      const found = await boards.store.findWidget(caller.workspace.id, id);
      return found !== undefined && may(caller, guardOf(found), verb);
    },

    async describe(caller, id) {
      const { widget, dashboard } = await boards.widget(caller, id);
      const versions = await boards.store.versions("widget", id);
      const hidden =
        widget.spec.model === undefined
          ? await sources.hiddenFields(
              widget.datasetId === null ? [] : [{ caller, datasetId: widget.datasetId }],
            )
          : await modelSources.hiddenNames(caller, widget.spec);
      const { chart, x, y, group, filters, c9ql, ...how } = withoutHidden(widget.spec, hidden);
      return {
        id,
        name: widget.name,
        chart_type: chart,
        dataset_id: widget.datasetId,
        dashboard: dashboard && { id: dashboard.id, name: dashboard.name },
        x_axis: x ?? null,
        y_axis: y,
        group_by: group ?? null,
        filters,
        c9ql: c9ql ?? null,
        ...how,
        place: widget.place,
        ...historyOf(widget, versions),
      };
    },

    async rows(reader, id) {
      const { widget, dashboard } = await boards.widget(reader, id);
      const [caller = reader] = await viewers.of(reader, dashboard, [widget]);
      const filterContext = filterContextOf(dashboard);
      if (widget.spec.model !== undefined)
        return modelRows(widget.name, await modelSources.read(caller, widget.spec, filterContext));
      if (widget.datasetId === null) throw datasetGone(widget);
      const source = await sources.open(caller, widget.datasetId, widget.spec, filterContext);
      const shown = await rowsOfWidget(widget.spec, source);
      const given = source.parameters;
      // What is asked of a widget's rows comes after what the widget makes of them.
      const query = following(source.query, shown);
      const asked = <T extends Pick<RowsOptions, "parameters">>(options: T) => {
        const parameters = { ...given, ...options.parameters };
        return {
          ...options,
          timeZone: filterContext.timeZone,
          query,
          ...(Object.keys(parameters).length > 0 && { parameters }),
        };
      };
      return {
        name: widget.name,
        hasColumns: source.columns.length > 0,
        read: (options) => data.read(caller, source.dataset, asked(options)),
        stream: (options) => data.stream(caller, source.dataset, asked(options)),
        count: (options) => data.count(caller, source.dataset, asked(options)),
      };
    },

    async delete(caller, id) {
      await boards.widget(caller, id, "write");
      await boards.store.removeWidget(id);
    },

    restore: (caller, id) => boards.restoreWidget(caller, id),

    async restoreVersion(caller, id, version) {
      await boards.widget(caller, id, "write");
      const former = await formerOf(boards.store.version("widget", id, version), version);
      const widget = await boards.updateWidget(caller, id, () => former);
      return { version: widget.version };
    },

    search: (workspaceId) => boards.store.searchTexts(workspaceId, "widget"),
  };
}

/** What a model made of its data, as rows: there are never many. */
function modelRows(name: string, { table: { columns, rows } }: { table: ModelTable }): AssetRows {
  const names = columns.map(({ label, type }) => ({ name: label, type }));
  const part = ({ c9ql, limit, offset = 0 }: RowsOptions) => {
    if (c9ql !== undefined)
      throw new AppError("bad_request", "What a widget on a semantic model shows cannot be queried.", {
        hint: "Query the model with {tool:execute_query}.",
      });
    return rows.slice(offset, limit === undefined ? undefined : offset + limit);
  };
  return {
    name,
    hasColumns: true,
    async read(options) {
      const some = part(options);
      const records = some.map((row) =>
        Object.fromEntries(names.map((column, i) => [column.name, row[i] ?? null])),
      );
      return {
        columns: names,
        rows: records,
        totalRows: rows.length,
        returnedRows: some.length,
        isCut: false,
      };
    },
    async *stream(options) {
      yield { columns: names, rows: part(options) };
    },
    count: async () => rows.length,
  };
}

/** Neither fields that somebody may not see, nor what they are compared with. */
function withoutHidden({ x, y, group, filters, c9ql, ...how }: WidgetSpec, hidden: ReadonlySet<string>) {
  const isSeen = (field: string) => !hidden.has(field.toLowerCase());
  const text = c9ql?.toLowerCase() ?? "";
  return {
    ...how,
    x: x !== undefined && isSeen(x) ? x : undefined,
    y: y.filter(isSeen),
    group: group !== undefined && isSeen(group) ? group : undefined,
    filters: filters.filter(({ field }) => isSeen(field)),
    c9ql: [...hidden].some((field) => text.includes(field)) ? undefined : c9ql,
  };
}

async function formerOf(
  found: ReturnType<BoardsStore["version"]>,
  version: number,
): Promise<NonNullable<Awaited<typeof found>>> {
  const former = await found;
  if (former !== undefined) return former;
  throw new AppError("not_found", `There is no version ${version}.`, {
    hint: "{tool:get_details} lists them.",
  });
}

function historyOf(
  { version, createdAt, changedAt }: { version: number; createdAt: Date; changedAt: Date },
  versions: readonly FormerVersion[],
) {
  return {
    version,
    created_at: createdAt.toISOString(),
    changed_at: changedAt.toISOString(),
    versions: versions.map(({ version, changedAt }) => ({ version, changed_at: changedAt.toISOString() })),
  };
}

/** The rows that a widget is drawn of, under names that people know; undefined where it shows rows as they are. */
async function rowsOfWidget(spec: WidgetSpec, source: Source): Promise<RowQuery | undefined> {
  const plan = planOf(spec, source);
  const { chart, x, group, measures } = plan;
  const isRaw =
    chart === "datagrid2" ||
    chart === "recommendation" ||
    (chart === "scatter" && x !== undefined && isNumber(x));
  if (isRaw) return rawRows(spec, plan);
  const grain = x !== undefined && isTime(x) ? (spec.grain ?? (await grainOf(x, source))) : undefined;
  const along = x === undefined ? [] : [grain === undefined ? x.name : truncatedAs(x.name, grain)];
  const keys = [...along, ...(group === undefined ? [] : [group.name])];
  const values = measures.map((measure) => [labelOf(measure), measure.value] as const);
  const byKeys = keys.map((_, i) => i + 1);
  const isOrdered = x === undefined || isTime(x) || isNumber(x);
  const orderBy = isOrdered ? byKeys : [descending(keys.length + 1), ...byKeys];
  return rowQuery({
    select: [...keys, ...values],
    ...(keys.length > 0 && { groupBy: keys.length, orderBy }),
  });
}

function truncatedAs(name: string, grain: Grain) {
  return [name, truncated(column(name), grain)] as const;
}
