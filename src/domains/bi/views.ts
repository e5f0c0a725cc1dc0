import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { AsyncLruCache } from "../../kernel/async-lru-cache.ts";
import { mapBounded, RoundRobin } from "../../kernel/concurrency.ts";
import { isAppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import { columnKind } from "../../kernel/values.ts";
import {
  type Drawings,
  knownLocale,
  type Look,
  type Picture,
  type Subject,
} from "../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../platform/drawing/limits.ts";
import type { Caller } from "../../registry/caller.ts";
import { asOf as asOfDataset, column as columnValue, isNotNull, rowQuery } from "../data/index.ts";
import type { Dashboard, Widget } from "./boards.store.ts";
import { datasetGone } from "./boards.ts";
import { showModel } from "./draw/model-subject.ts";
import { type Shown, showSource, showWidget } from "./draw/subject.ts";
import type { EffectiveViewers } from "./effective-viewers.ts";
import type { InsightFinder } from "./insights/insights.ts";
import { LIMITS as INSIGHTS } from "./insights/limits.ts";
import { LIMITS } from "./limits.ts";
import type { ModelSources } from "./query/model-source.ts";
import { readable } from "./query/plan.ts";
import {
  type Chosen,
  chosenValue,
  filterContextOf,
  type KnownDatasets,
  nameOfFilter,
  notAllFilters,
  type Seen,
  type Sources,
  unfilteredNotes,
} from "./query/source.ts";
import type { DashboardFilter, Filter } from "./shapes.ts";
import { wordsIn } from "./words.ts";

/** Rows of a table that a picture may show. */
const PNG_ROWS = 50;

export interface ViewOptions {
  chosen?: Chosen;
  locale: string;
  /** Of each table. */
  rows: number;
  columns: number;
  cells: number;
  /** From which of its columns on tables are shown, by the id of their widget; from the first unless told. */
  firstColumns?: ReadonlyMap<number, number>;
}

const { bi } = LIMITS;
const { tableColumns } = DRAWING.drawing;
/** What tables have room for, by what they stand in. */
const ROOMS = {
  page: { rows: bi.pageRows, columns: bi.pageColumns, cells: bi.pageCells },
  pdf: { rows: bi.pdfRows, columns: bi.pdfColumns, cells: bi.pdfCells },
  png: { rows: PNG_ROWS, columns: tableColumns, cells: bi.pageCells },
  xlsx: { rows: bi.sheetRows, columns: bi.sheetColumns, cells: bi.sheetCells },
};

/** What each table of these widgets has room for: a document is bounded as a whole. */
export function roomFor(
  place: keyof typeof ROOMS,
  widgets: readonly Widget[],
): Pick<ViewOptions, "rows" | "columns" | "cells"> {
  const { cells, ...room } = ROOMS[place];
  const tables = widgets.filter(({ spec }) => spec.chart === "datagrid2").length;
  return { ...room, cells: Math.floor(cells / Math.max(1, tables)) };
}

export interface ShownWidget extends Shown {
  widget: Widget;
  /** When its data was last changed. */
  asOf: Date | null;
}

/** A filter as a viewer sees it: what it is set to, and what it can be set to. */
export interface ShownFilter {
  filter: DashboardFilter;
  name: string;
  label: string;
  value: Filter["value"] | undefined;
  /** Where there are few. */
  options: string[] | null;
  isDate: boolean;
}

/** Markdown where it is drawn as lines: on pages, in documents and pictures. */
function plainText(markdown: string): string {
  return markdown
    .replace(/\*\*(.+?)\*\*/g, "$1")
    .replace(/^#+ /gm, "")
    .replace(/^[-*] /gm, "• ");
}

/** Good enough for those who wait for it, and not to be kept. */
class Faulty extends Error {
  readonly page: unknown;

  constructor(page: unknown) {
    super("not to be kept");
    this.page = page;
  }
}

/** What is drawn, and how it is to look. */
export interface ToDraw {
  subject: Subject;
  look: Partial<Look>;
}

/** One or two widgets in a turn of the event loop, of each workspace in turn: small calls take several turns. */
const turns = new RoundRobin(1);

/** Widgets whose pictures are asked for together. */
const DRAWN_TOGETHER = 5;

/** Rows of a dashboard that one sentence takes. */
const ROWS_A_SENTENCE = 3;

/** More values than this are typed in, not chosen. */
const OPTIONS = 100;

type Parts = {
  viewers: EffectiveViewers;
  sources: Sources;
  insights: InsightFinder;
  modelSources: ModelSources;
  drawings: Drawings;
  clock: Clock;
};

/** What widgets show to somebody, as things to be drawn, and the drawings: the same for page, embed, PDF and PNG. */
export class Views {
  readonly #parts: Parts;
  readonly #pictures = new AsyncLruCache(bi.keptPictures, bi.keptBytes);
  readonly #pages = new AsyncLruCache(bi.keptPages, bi.keptBytes);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async widget(
    caller: Caller,
    dashboard: Dashboard | null,
    widget: Widget,
    options: ViewOptions,
  ): Promise<ShownWidget> {
    const [viewer = caller] = await this.#parts.viewers.of(caller, dashboard, [widget]);
    return this.#show({ caller, viewer, known: new Map() }, dashboard, widget, options);
  }

  /** A widget as its viewer sees it, in the place of the caller. */
  async #show(
    { caller, viewer, known }: { caller: Caller; viewer: Caller; known: KnownDatasets },
    dashboard: Dashboard | null,
    widget: Widget,
    options: ViewOptions,
  ): Promise<ShownWidget> {
    const { sources, modelSources, clock } = this.#parts;
    const { name, spec, datasetId } = widget;
    const filterContext = filterContextOf(dashboard, options.chosen);
    let asOf: Date | null = null;
    const locale = knownLocale(options.locale);
    const writing = {
      locale,
      now: clock.now(),
      room: { ...options, firstColumn: options.firstColumns?.get(widget.id) ?? 0 },
      sizeY: widget.place?.sizeY ?? 8,
    };
    const isStranger = caller.viewerAttributes !== undefined;
    const shown = await showWidget({ name, isStranger, locale }, async () => {
      if (spec.chart === "text")
        return { subject: { kind: "text", title: name, text: plainText(spec.text ?? "") }, notes: [] };
      if (spec.model !== undefined) {
        const { table, isUnfiltered } = await modelSources.read(viewer, spec, filterContext);
        asOf = table.asOf;
        const { subject, notes } = showModel(name, spec, table, writing);
        return { subject, notes: isUnfiltered ? [...notes, notAllFilters(locale)] : notes };
      }
      if (datasetId === null) throw datasetGone(widget);
      const source = await sources.open(viewer, datasetId, spec, filterContext, known);
      asOf = asOfDataset(source.dataset);
      const said =
        spec.chart === "recommendation" ? await this.#said(viewer, dashboard, widget, options) : [];
      if (said.length > 0)
        return {
          subject: {
            kind: "text",
            title: name,
            text: said.map((each) => (said.length === 1 ? each : `• ${each}`)).join("\n"),
          },
          notes: unfilteredNotes(source, locale),
        };
      return showSource(name, spec, source, writing);
    });
    const isLess = await this.#seesLess({ caller, viewer, known }, widget).catch((error: unknown) => {
      if (shown.subject.kind === "error" && isAppError(error)) return false;
      throw error;
    });
    if (!isLess) return { widget, asOf, ...shown };
    const t = wordsIn(locale);
    const less = t`Only what whoever last changed this may see is shown.`;
    return { widget, asOf, ...shown, notes: [...shown.notes, less] };
  }

  /** True if a widget shows less because of who has changed it than the caller alone would see. */
  async #seesLess(
    { caller, viewer, known }: { caller: Caller; viewer: Caller; known: KnownDatasets },
    { spec, datasetId }: Widget,
  ): Promise<boolean> {
    if (viewer === caller || spec.chart === "text") return false;
    const { sources, modelSources } = this.#parts;
    const stateOf = (each: Caller) =>
      spec.model === undefined
        ? sources.state([{ caller: each, datasetId: datasetId ?? 0 }], known)
        : modelSources.state(each, spec);
    return !isDeepStrictEqual(await stateOf(viewer), await stateOf(caller));
  }

  /** What stands out in the widget's own data, as much as there is room for. */
  async #said(
    caller: Caller,
    dashboard: Dashboard | null,
    widget: Widget,
    { chosen, locale }: ViewOptions,
  ): Promise<string[]> {
    const { insights: finder } = this.#parts;
    const widgets = [widget];
    const { insights } = await this.once(
      caller,
      dashboard,
      widgets,
      ["insights", chosen, locale],
      async () => {
        const found = await finder.ofWidgets(caller, dashboard, widgets, { chosen, locale });
        return { insights: found.insights, hasFaults: found.notes.length > 0 };
      },
    );
    const room = Math.floor((widget.place?.sizeY ?? 8) / ROWS_A_SENTENCE);
    return insights
      .slice(0, Math.min(INSIGHTS.insights.shown, Math.max(1, room)))
      .map(({ sentence }) => sentence);
  }

  /** Before a step that holds the event loop for some milliseconds: what is wide takes many of them. */
  turn({ workspace }: Pick<Caller, "workspace">): Promise<void> {
    return turns.take(String(workspace.id));
  }

  /** What widgets show, some at a time; `then` goes on with some of them while others are still read. */
  async widgets<T>(
    caller: Caller,
    dashboard: Dashboard | null,
    widgets: readonly Widget[],
    options: ViewOptions,
    then: (some: ShownWidget[]) => Promise<T[]>,
  ): Promise<T[]> {
    const waiting: Promise<T[]>[] = [];
    const shown: ShownWidget[] = [];
    let before: Promise<unknown> = Promise.resolve();
    const viewers = await this.#parts.viewers.of(caller, dashboard, widgets);
    const known: KnownDatasets = new Map();
    await mapBounded(widgets, bi.queriesAtOnce, async (widget, i) => {
      // Where results are cached nothing is waited for, and a hundred tables would be one long turn of the event loop.
      await this.turn(caller);
      shown[i] = await this.#show(
        { caller, viewer: viewers[i] as Caller, known },
        dashboard,
        widget,
        options,
      );
      const first = i - (i % DRAWN_TOGETHER);
      const some = widgets.slice(first, first + DRAWN_TOGETHER).flatMap((_, at) => shown[first + at] ?? []);
      const isWhole = some.length === Math.min(DRAWN_TOGETHER, widgets.length - first);
      if (!isWhole) return;
      // One after the other: a workspace has one thread that draws, and few may wait for it.
      const next = before.then(() => then(some));
      before = next.catch(() => undefined);
      waiting[first / DRAWN_TOGETHER] = next;
    });
    return (await Promise.all(waiting)).flat();
  }

  /**
   * What is made of a whole dashboard, once for all who see the same of it and while nothing of it changes. What has
   * faults in it is made again for the next.
   */
  async once<T extends { hasFaults: boolean }>(
    caller: Caller,
    dashboard: Dashboard | null,
    widgets: readonly Widget[],
    how: unknown,
    work: () => Promise<T>,
  ): Promise<T> {
    // Models see to it themselves that nothing is worked out twice.
    if (widgets.some(({ spec }) => spec.model !== undefined)) return work();
    const state = await this.#parts.sources.state(await this.#seen(caller, dashboard, widgets));
    const boards = [
      dashboard?.id,
      dashboard?.version,
      widgets.map(({ id, version, place }) => [id, version, place]),
    ];
    const key = JSON.stringify([caller.workspace.id, boards, state, how]);
    const made = this.#pages.get(createHash("sha256").update(key).digest("base64"), async () => {
      const page = await work();
      if (page.hasFaults) throw new Faulty(page);
      return page;
    });
    return made.catch((error: unknown) => {
      if (error instanceof Faulty) return error.page as T;
      throw error;
    });
  }

  /** Drawn once for all who see the same; nothing in the place of what cannot be drawn. */
  async pictures(workspaceId: number, all: readonly ToDraw[]): Promise<(Picture | null)[]> {
    const missing: ToDraw[] = [];
    const drawing = Promise.withResolvers<(Picture | null)[]>();
    const wanted = all.map((one) => {
      const key = createHash("sha256")
        .update(JSON.stringify([workspaceId, one]))
        .digest("base64");
      return this.#pictures.get(key, async () => {
        const at = missing.push(one) - 1;
        return (await drawing.promise)[at] ?? null;
      });
    });
    drawing.resolve(this.#parts.drawings.each(missing, { scope: String(workspaceId) }));
    return Promise.all(wanted);
  }

  /** Tables as HTML, made where pictures are drawn; nothing in the place of what is none or could not be made. */
  async htmlTables(
    workspaceId: number,
    shown: readonly ShownWidget[],
    locale: string,
  ): Promise<(string | null)[]> {
    const made: (string | null)[] = [];
    for (const { subject } of shown) {
      const table = subject.kind !== "table" ? null : this.#htmlTable(workspaceId, subject, locale);
      made.push(await table);
    }
    return made;
  }

  async #htmlTable(
    workspaceId: number,
    { columns, rows, totals }: Extract<Subject, { kind: "table" }>,
    locale: string,
  ): Promise<string | null> {
    const { drawings } = this.#parts;
    const scope = String(workspaceId);
    return drawings.htmlTable({ columns, rows, totals }, locale, { scope }).catch(() => null);
  }

  async filters(
    caller: Caller,
    dashboard: Dashboard,
    widgets: readonly Widget[],
    chosen: Chosen,
  ): Promise<ShownFilter[]> {
    const seen = await this.#seen(caller, dashboard, widgets);
    const visible = await this.#visible(dashboard, seen);
    return mapBounded(visible, bi.queriesAtOnce, async (filter) => {
      const name = nameOfFilter(filter);
      const isChosen = ["=", "in", "!="].includes(filter.operator);
      const choice =
        filter.field === undefined ? undefined : await this.#options(seen, filter.field, isChosen);
      return {
        filter,
        name,
        label: filter.label ?? readable(name),
        value: chosenValue(filter, chosen),
        options: choice?.options ?? null,
        isDate: choice?.isDate ?? false,
      };
    });
  }

  /** Those that do not name a field that is hidden from the caller. */
  async visibleFilters(
    caller: Caller,
    dashboard: Dashboard,
    widgets: readonly Widget[],
  ): Promise<DashboardFilter[]> {
    return this.#visible(dashboard, await this.#seen(caller, dashboard, widgets));
  }

  async #visible({ filters }: Pick<Dashboard, "filters">, seen: readonly Seen[]): Promise<DashboardFilter[]> {
    const hidden = await this.#parts.sources.hiddenFields(seen);
    return filters.filter(({ field }) => field === undefined || !hidden.has(field.toLowerCase()));
  }

  /** The datasets that widgets show, each with whoever sees it there. */
  async #seen(caller: Caller, dashboard: Dashboard | null, widgets: readonly Widget[]): Promise<Seen[]> {
    const viewers = await this.#parts.viewers.of(caller, dashboard, widgets);
    return widgets.flatMap(({ datasetId }, i) =>
      datasetId === null ? [] : [{ caller: viewers[i] as Caller, datasetId }],
    );
  }

  /** The values of a field in the first dataset that has it, as far as the viewer may see them. */
  async #options(seen: readonly Seen[], field: string, isChosen: boolean) {
    for (const { caller, datasetId } of seen) {
      const spec = { chart: "datagrid2", y: [], filters: [] } as const;
      const source = await this.#parts.sources
        .open(caller, datasetId, { ...spec, y: [], filters: [] }, filterContextOf(null))
        .catch(() => undefined);
      const column = source?.columns.find(({ name }) => name.toLowerCase() === field.toLowerCase());
      if (source === undefined || column === undefined) continue;
      if (columnKind(column.type) === "date") return { options: null, isDate: true };
      if (!isChosen) return { options: null, isDate: false };
      const value = columnValue(column.name);
      // Without an order, so that the engine may stop as soon as there are too many.
      const distinct = rowQuery({
        distinct: true,
        select: [["k9x", value]],
        where: isNotNull(value),
        limit: OPTIONS + 1,
      });
      const { rows } = await source.read(distinct, OPTIONS + 1);
      const options = rows
        .map((row) => (typeof row.k9x === "string" ? row.k9x : JSON.stringify(row.k9x)))
        .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
      return { options: options.length > OPTIONS ? null : options, isDate: false };
    }
    return undefined;
  }
}
