import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Drawings, Png, Subject } from "../../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../../platform/drawing/limits.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { audited } from "../../identity/index.ts";
import type { Dashboard, Widget } from "../boards.store.ts";
import type { Boards } from "../boards.ts";
import { readable } from "../query/plan.ts";
import { chosenValue, nameOfFilter } from "../query/source.ts";
import type { Place } from "../shapes.ts";
import { roomFor, type ShownWidget, type Views } from "../views.ts";
import { wordsIn } from "../words.ts";
import type { Documents, SheetOfWorkbook } from "./documents.ts";
import type { ExportTarget } from "./links.ts";
import {
  type Cell,
  COLUMN_PX,
  GAP_PX,
  HEADING_PX,
  headMmOf,
  type Report,
  ROW_PX,
  stretches,
} from "./report.ts";

interface ExportedFile {
  name: string;
  mimeType: string;
  content: Buffer;
  /** Of a PDF. */
  pages?: number;
  /** What is not as it should be in it. */
  note?: string;
}

interface Exported {
  title: string;
  dashboard: Dashboard | null;
  widgets: Widget[];
}

/** A single widget on a page. */
const ALONE: Place = { col: 1, row: 1, sizeX: 24, sizeY: 14 };
const UNPLACED: Place = { col: 1, row: 1, sizeX: 12, sizeY: 8 };
/** What notes take of the height of a widget in a PDF. */
const NOTES_PX = 14;
/** A place may be smaller than anything that can be drawn: its picture is made smaller then. */
const drawn = (px: number) => Math.max(DRAWING.drawing.leastPx, px);

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/** In the place of what could not be drawn. */
const NOTHING = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
/** Widest and highest picture of a single widget. */
const WIDGET_PX = { width: 960, height: 540 };

interface Parts {
  boards: Boards;
  views: Views;
  drawings: Drawings;
  documents: Documents;
  clock: Clock;
}

/** Dashboards and widgets as files. */
export class Exports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async make(caller: Caller, target: ExportTarget, signal?: AbortSignal): Promise<ExportedFile> {
    const exported = await this.#find(caller, target);
    const name = fileName(exported.title, target.format);
    const locale = target.locale ?? exported.dashboard?.settings.locale ?? "en-US";
    const { chosen = {} } = target;
    const { views, documents } = this.#parts;
    const scope = String(caller.workspace.id);
    const show = <T>(then: (some: ShownWidget[]) => Promise<T[]>) => {
      const options = { chosen, locale, ...roomFor(target.format, exported.widgets) };
      return views.widgets(caller, exported.dashboard, exported.widgets, options, then);
    };
    if (target.format === "png") {
      const shown = await show(async (some) => some);
      const { png, hasAllGlyphs } = await this.#png(caller, exported, shown, { ...target, locale });
      return { name, mimeType: "image/png", content: Buffer.from(png), ...noteOn(hasAllGlyphs) };
    }
    documents.prepare(scope);
    if (target.format === "xlsx") {
      const sheets = await show(async (some) => some.flatMap(sheetOf));
      if (sheets.length === 0)
        throw new AppError("bad_request", "There is nothing in it that a workbook could hold.", {
          hint: "A workbook has the rows of tables and the values of charts; export a PDF or a PNG instead.",
        });
      const content = Buffer.from(await documents.workbook(sheets, { scope, signal }));
      return { name, mimeType: XLSX, content };
    }
    const places = placesOf(exported, target.type);
    const cells = await show((some) => this.#cells(caller, some, places, locale));
    const report = await this.#report(caller, exported, cells, { ...target, locale });
    return this.#pdf(name, report, { scope, signal });
  }

  async #pdf(
    name: string,
    report: Report,
    options: { scope: string; signal: AbortSignal | undefined },
  ): Promise<ExportedFile> {
    const { pdf, pages, hasAllGlyphs } = await this.#parts.documents.pdf(report, options);
    const content = Buffer.from(pdf);
    return { name, mimeType: "application/pdf", content, pages, ...noteOn(hasAllGlyphs) };
  }

  /** Widgets, perhaps of several dashboards, as one PDF in which two stand side by side. */
  async together(
    caller: Caller,
    { title, widgetIds }: { title: string; widgetIds: readonly number[] },
    signal?: AbortSignal,
  ): Promise<ExportedFile> {
    const { boards, views, documents } = this.#parts;
    const scope = String(caller.workspace.id);
    documents.prepare(scope);
    const found = await Promise.all(widgetIds.map((id) => boards.widget(caller, id)));
    const locale = found[0]?.dashboard?.settings.locale ?? "en-US";
    const placed = found.map(({ widget, dashboard }, i) => {
      const isAlone = i === found.length - 1 && i % 2 === 0;
      const [col, row] = [1 + (i % 2) * 12, 1 + Math.floor(i / 2) * 8];
      return { dashboard, widget: { ...widget, place: { col, row, sizeX: isAlone ? 24 : 12, sizeY: 8 } } };
    });
    const exported = { title, dashboard: null, widgets: placed.map(({ widget }) => widget) };
    const places = placesOf(exported, "dashboard");
    const options = { chosen: {}, locale, ...roomFor("pdf", exported.widgets) };
    const cells: (Cell & { asOf: Date | null })[] = [];
    for (const { widget, dashboard } of placed)
      cells.push(
        ...(await views.widgets(caller, dashboard, [widget], options, (shown) =>
          this.#cells(caller, shown, places, locale),
        )),
      );
    const report = await this.#report(caller, exported, cells, { type: "widget", locale });
    return this.#pdf(fileName(title, "pdf"), report, { scope, signal });
  }

  async #find(caller: Caller, { type, id }: ExportTarget): Promise<Exported> {
    const { boards } = this.#parts;
    if (type === "dashboard") {
      const dashboard = await boards.dashboard(caller, id);
      return { title: dashboard.name, dashboard, widgets: await boards.store.widgetsOf(id) };
    }
    const { widget, dashboard } = await boards.widget(caller, id);
    return { title: widget.name, dashboard, widgets: [widget] };
  }

  async #png(
    caller: Caller,
    { title }: Exported,
    shown: readonly ShownWidget[],
    { type, theme, locale }: ExportTarget & { locale: string },
  ): Promise<Png> {
    const { drawings } = this.#parts;
    const scope = { scope: String(caller.workspace.id) };
    const [only] = shown;
    if (type === "widget" && only !== undefined) {
      const look = {
        theme,
        locale,
        width: WIDGET_PX.width,
        ...(isChart(only.subject) && { height: WIDGET_PX.height }),
      };
      return drawings.png(only.subject, look, scope);
    }
    const tiles = shown.map(({ subject, notes, widget: { place } }) => {
      const { col, row, sizeX, sizeY } = place ?? UNPLACED;
      const size = { width: drawn(sizeX * COLUMN_PX - GAP_PX), height: drawn(sizeY * ROW_PX - GAP_PX) };
      const at = { x: (col - 1) * COLUMN_PX, y: (row - 1) * ROW_PX };
      // A table says itself how many of its rows it has room for.
      const note = subject.kind === "table" ? "" : notes.join(" · ");
      return { subject, look: { theme, locale, ...size }, ...at, note };
    });
    return drawings.sheet({ title, theme, tiles, width: 24 * COLUMN_PX - GAP_PX }, scope);
  }

  /** All pictures are drawn together: a dashboard has more than may wait in line. */
  async #cells(
    caller: Caller,
    shown: readonly ShownWidget[],
    places: ReadonlyMap<number, { place: Place; stretch: number }>,
    locale: string,
  ): Promise<(Cell & { asOf: Date | null })[]> {
    const placed = shown.map(({ widget, subject, notes, asOf }) => {
      const { place, stretch } = places.get(widget.id) ?? { place: ALONE, stretch: 1 };
      const width = drawn(place.sizeX * COLUMN_PX - GAP_PX);
      const below = notes.length === 0 ? 0 : NOTES_PX;
      const height = Math.round(place.sizeY * ROW_PX * stretch - GAP_PX - HEADING_PX - below);
      return {
        place,
        stretch,
        title: widget.name,
        notes,
        asOf,
        subject,
        width,
        height: drawn(height),
      };
    });
    const charts = placed.filter(({ subject }) => subject.kind !== "table");
    const pictures = await this.#parts.views.pictures(
      caller.workspace.id,
      charts.map(({ subject, width, height }) => ({
        subject: untitled(subject),
        look: { width, height, locale, theme: "light" },
      })),
    );
    const t = wordsIn(locale);
    return placed.map((cell) => {
      const { subject, ...common } = cell;
      if (subject.kind === "table") return { ...common, table: subject };
      const svg = pictures[charts.indexOf(cell)]?.svg;
      if (svg !== undefined) return { ...common, svg };
      return { ...common, svg: NOTHING, notes: [...common.notes, t`This could not be drawn.`] };
    });
  }

  async #report(
    caller: Caller,
    exported: Exported,
    cells: readonly (Cell & { asOf: Date | null })[],
    { type, locale, chosen = {} }: Pick<ExportTarget, "type" | "chosen"> & { locale: string },
  ): Promise<Report> {
    const { dashboard, title } = exported;
    const visible =
      dashboard === null ? [] : await this.#parts.views.visibleFilters(caller, dashboard, exported.widgets);
    const filters = visible.flatMap((filter) => {
      const value = chosenValue(filter, chosen);
      const name = filter.label ?? readable(nameOfFilter(filter));
      return value === undefined ? [] : [`${name} ${filter.operator} ${[value].flat().join(", ")}`];
    });
    const t = wordsIn(locale);
    const zone = dashboard?.settings.time_zone ?? "UTC";
    const when = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
    const asOf = cells
      .flatMap(({ asOf }) => asOf ?? [])
      .toSorted((a, b) => a.getTime() - b.getTime())
      .at(0);
    return {
      title,
      description: type === "dashboard" ? (dashboard?.description ?? "") : "",
      filters,
      asOf: asOf === undefined ? "" : t`Data as of ${when.format(asOf)}`,
      printed: `${when.format(this.#parts.clock.now())} ${zone}`,
      locale,
      cells: cells.map(({ asOf: _asOf, ...cell }) => cell),
    };
  }
}

/** Where each widget stands on its page, and how much higher than on the dashboard. */
function placesOf({ widgets, dashboard, title }: Exported, type: ExportTarget["type"]) {
  if (type === "widget") return new Map(widgets.map(({ id }) => [id, { place: ALONE, stretch: 1 }]));
  const all = widgets.map(({ id, place, spec }) => ({
    id,
    place: place ?? UNPLACED,
    isTable: spec.chart === "datagrid2",
  }));
  const description = dashboard?.description ?? "";
  const found = stretches(all, headMmOf({ title, description, facts: 1 }));
  return new Map(all.map(({ id, place }) => [id, { place, stretch: found.get(place) ?? 1 }]));
}

function fileName(title: string, ending: string): string {
  return `${title.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.${ending}`;
}

/** The rows of a table or the values of a chart, and below them what else is to be said; nothing of what has neither. */
function sheetOf({ widget: { name }, subject, notes }: ShownWidget): SheetOfWorkbook[] {
  const lines = linesOf(subject);
  if (lines.length === 0) return [];
  return [{ name, lines: [...lines, ...(notes.length === 0 ? [] : [[], [notes.join(" · ")]])] }];
}

function linesOf(subject: Subject): SheetOfWorkbook["lines"] {
  if (subject.kind === "number") return [[subject.label], [subject.value]];
  if (subject.kind === "table") {
    const { columns, rows, totals } = subject;
    return [columns.map(({ label }) => label), ...rows, ...(totals === undefined ? [] : [totals])];
  }
  if (subject.kind !== "spec") return [];
  const {
    categories = [],
    series = [],
    slices = [],
    points = [],
    xAxisLabel = "",
    yAxisLabel = "",
  } = subject.chart;
  if (points.length > 0)
    return [
      [xAxisLabel, yAxisLabel],
      ...points.map(({ x, y, label }) => [x, y, ...(label === undefined ? [] : [label])]),
    ];
  if (slices.length > 0)
    return [[xAxisLabel, yAxisLabel], ...slices.map(({ label, value }) => [label, value])];
  return [
    [xAxisLabel, ...series.map(({ label }) => label)],
    ...categories.map((category, i) => [category, ...series.map(({ data }) => data[i] ?? null)]),
  ];
}

/** Boxes in the place of letters must not surprise whoever gets the file. */
function noteOn(hasAllGlyphs: boolean): { note?: string } {
  if (hasAllGlyphs) return {};
  return {
    note: "Some characters are shown as boxes: this server has no font for them. Its operator can add one (KENNING_FONT_FOLDERS).",
  };
}

/** The title stands above the picture, as text of its own. */
export function untitled(subject: Subject): Subject {
  return subject.kind === "spec"
    ? { kind: "spec", chart: { ...subject.chart, title: "" } }
    : { ...subject, title: "" };
}

function isChart(subject: Subject): boolean {
  return subject.kind === "spec";
}

/** Every file that is made of a dashboard or widget is in the audit log, whoever asked for it and in which way. */
export class AuditedExports extends Exports {
  readonly #audit: Pick<AuditSink, "record">;

  constructor(parts: ConstructorParameters<typeof Exports>[0], audit: Pick<AuditSink, "record">) {
    super(parts);
    this.#audit = audit;
  }

  override make(...args: Parameters<Exports["make"]>): Promise<ExportedFile> {
    const [caller, { type, id, format }] = args;
    return this.#record(caller, type, String(id), format, () => super.make(...args));
  }

  override together(...args: Parameters<Exports["together"]>): Promise<ExportedFile> {
    const [caller, { widgetIds }] = args;
    return this.#record(caller, "widget", widgetIds.join(","), "pdf", () => super.together(...args));
  }

  #record<T>(
    caller: Caller,
    resourceType: string,
    resourceId: string,
    format: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const what = { action: `${resourceType}.export`, resourceType, resourceId, metadata: { format } };
    return audited(this.#audit, { caller, ...what }, work);
  }
}
