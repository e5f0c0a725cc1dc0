import { html, raw } from "hono/html";
import type { Dashboard, ShownFilter, ShownWidget } from "../../domains/bi/index.ts";
import { LIMITS } from "../../domains/bi/limits.ts";
import {
  COLOURS,
  escapeXml,
  HEAT,
  HEAT_TEXT,
  htmlTableOf,
  type Picture,
  type Subject,
} from "../../platform/drawing/index.ts";
import { BASE_STYLESHEET_PATH, type Html, ICON_PATH } from "../oauth/pages/page.ts";
import { languageOf, type Words, wordsIn } from "../oauth/pages/words.ts";

/** Markup that is safe to stand in a page. */
export type Markup = ReturnType<typeof raw> | Promise<ReturnType<typeof raw>>;

export const DASHBOARD_STYLES = "/assets/dashboard.css";
export const DASHBOARD_SCRIPT = "/assets/dashboard.js";

/** One widget with what is drawn of it: a picture, or nothing for what is better told in words or as a table. */
export interface PageWidget extends ShownWidget {
  picture: Picture | null;
  /** Its rows as HTML, where it is a table. */
  table: string | null;
  /** Where a picture of another size comes from; embeds ask for it in another way. */
  src: string;
}

export interface PageView {
  title: string;
  dashboard: Dashboard | null;
  /** All widgets; nothing where there are none. */
  grid: Markup;
  filters: readonly ShownFilter[];
  printed: Html;
  /** The start of its own addresses, where it can be exported. */
  exportPath: string | null;
}

/** A whole page; `view` is missing in an embed, whose script fetches it with a secret that only the browser has. */
export function dashboardPage(
  t: Words,
  { title, nav, view }: { title: string; nav: Markup | ""; view: Markup | "" },
): Markup {
  return html`<!doctype html>
<html lang="${t.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${ICON_PATH}">
<link rel="stylesheet" href="${BASE_STYLESHEET_PATH}">
<link rel="stylesheet" href="${DASHBOARD_STYLES}">
<script src="${DASHBOARD_SCRIPT}" defer></script>
</head>
<body>
${nav}
<main id="view"${view === "" ? raw(' data-embed aria-busy="true"') : ""}>
${view === "" ? html`<p class="waiting" data-unreachable="${t`The server could not be reached.`}" data-broken="${t`This link does not work, or no longer. Ask whoever gave it to you for a new one.`}">${t`Loading…`}</p><noscript><p class="problem">${t`This page needs scripts to be switched on.`}</p></noscript>` : view}
</main>
<div id="tip" role="status" aria-live="polite" hidden></div>
</body>
</html>` as Markup;
}

/** What stands in the page: heading, filters, widgets. */
export function dashboardView(
  t: Words,
  { title, dashboard, grid, filters, printed, exportPath }: PageView,
): Markup {
  const query = filterQuery(filters);
  return html`<header class="head">
<h1>${title}</h1>
${dashboard?.description ? html`<p class="about">${dashboard.description}</p>` : ""}
${filters.length === 0 ? "" : filterForm(t, filters)}
${
  exportPath === null
    ? ""
    : html`<p class="exports"><a href="${exportPath}?format=pdf${query}" download>PDF</a> <a href="${exportPath}?format=png${query}" download>PNG</a> <a href="${exportPath}?format=xlsx${query}" download>XLSX</a></p>`
}
</header>
${grid}
<footer>${printed}</footer>` as Markup;
}

/** All widgets, as far as the page has room for them; the others are there when they are asked for. */
export async function gridMarkup(widgets: readonly PageWidget[], locale: string): Promise<Markup> {
  const t = wordsIn(languageOf(locale));
  if (widgets.length === 0)
    return html`<p class="waiting">${t`There is nothing on this dashboard yet.`}</p>` as Markup;
  const sections: Markup[] = [];
  let bytes = 0;
  for (const widget of widgets) {
    const body = await widgetBody(widget, locale);
    const isRoom = bytes + body.length <= LIMITS.bi.pageBytes;
    if (isRoom) bytes += body.length;
    sections.push(widgetSection(widget, isRoom ? body : laterBody(t, widget)));
  }
  return html`<div class="grid">
${sections}
</div>` as Markup;
}

function filterQuery(filters: readonly ShownFilter[]): Markup | "" {
  const pairs = filters.flatMap(({ name, value }) =>
    [value ?? ""].flat().map((each) => `&f.${encodeURIComponent(name)}=${encodeURIComponent(String(each))}`),
  );
  return pairs.length === 0 ? "" : raw(pairs.join("").replaceAll("&", "&amp;"));
}

function filterForm(t: Words, filters: readonly ShownFilter[]): Markup {
  return html`<form class="filters" method="get">
${filters.map((filter) => filterField(t, filter))}
<button type="submit">${t`Apply`}</button>
</form>` as Markup;
}

function filterField(t: Words, { filter, name, label, value, options, isDate }: ShownFilter): Markup {
  const values = value === undefined || value === null ? [] : [value].flat().map(String);
  const field = `f.${name}`;
  if (filter.operator === "between") {
    const type = isDate ? "date" : "text";
    return html`<fieldset><legend class="caption">${label}</legend>
<input type="${type}" name="${field}" value="${values[0] ?? ""}" aria-label="${t`${label}, from`}"> –
<input type="${type}" name="${field}" value="${values[1] ?? ""}" aria-label="${t`${label}, to`}"></fieldset>` as Markup;
  }
  if (options !== null) {
    const all = [...new Set([...options, ...values])];
    if (filter.operator === "in") return choiceOf(t, label, field, all, values);
    return html`<label><span class="caption">${label}</span> <select name="${field}"><option value="">${t`All`}</option>
${all.map((each) => html`<option value="${each}"${values.includes(each) ? raw(" selected") : ""}>${each}</option>`)}
</select></label>` as Markup;
  }
  return html`<label><span class="caption">${label}</span> <input type="${isDate ? "date" : "text"}" name="${field}" value="${values.join(", ")}"></label>` as Markup;
}

/** More options than this can be searched. */
const SEARCHED = 8;

/** Several of some options. The empty field says that none is chosen, which is not the same as saying nothing. */
function choiceOf(
  t: Words,
  label: string,
  field: string,
  all: readonly string[],
  values: readonly string[],
): Markup {
  const said =
    values.length === 0 ? t`All` : values.length <= 2 ? values.join(", ") : t`${values.length} chosen`;
  return html`<details class="choice"><summary><span class="caption">${label}</span> <b>${said}</b></summary>
<fieldset><legend>${label}</legend><input type="hidden" name="${field}" value="">
${all.length > SEARCHED ? html`<input type="search" placeholder="${t`Search`}" aria-label="${t`Search ${label}`}">` : ""}
<div class="options">${all.map((each) => html`<label><input type="checkbox" name="${field}" value="${each}"${values.includes(each) ? raw(" checked") : ""}> ${each}</label>`)}</div>
<p><button type="button" data-clear>${t`Clear`}</button> <button type="submit">${t`Apply`}</button></p></fieldset></details>` as Markup;
}

/** A widget of fewer rows has a title of one line. */
export const ROWS_FOR_TWO_LINES = 4;
const ROWS_FOR_SUMS = 6;

function widgetSection(shown: PageWidget, body: Markup): Markup {
  const { widget, notes, subject } = shown;
  const { col, row, sizeX, sizeY } = widget.place ?? { col: 1, row: 1, sizeX: 24, sizeY: 8 };
  const low =
    sizeY < ROWS_FOR_TWO_LINES ? "widget low lowest" : sizeY < ROWS_FOR_SUMS ? "widget low" : "widget";
  return html`<section class="${low}" id="w${widget.id}" aria-labelledby="h${widget.id}" style="--col:${col};--row:${row};--w:${sizeX};--h:${sizeY}">
<h2 id="h${widget.id}" title="${widget.name}">${widget.name}</h2>
${body}
${notes.length === 0 || subject.kind === "table" ? "" : html`<p class="note">${notes.join(" · ")}</p>`}
</section>` as Markup;
}

/** The part of a widget that is drawn again when its size is another. */
export function widgetBody(shown: PageWidget, locale: string): Markup {
  const t = wordsIn(languageOf(locale));
  const { subject, picture, src, widget } = shown;
  switch (subject.kind) {
    case "table":
      return sheetOf(t, shown, subject);
    case "text":
      return html`<p class="text">${subject.text}</p>` as Markup;
    case "empty":
      return html`<p class="text soft">${subject.why}</p>` as Markup;
    case "error":
      return html`<div class="text problem" role="note"><p><strong>${subject.what}</strong></p><p>${subject.next}</p></div>` as Markup;
    default:
      return picture === null ? notDrawn(t) : chartOf(t, subject, picture, src, widget.name, locale);
  }
}

function notDrawn(t: Words): Markup {
  return html`<p class="text soft">${t`This could not be drawn just now. Load the page again.`}</p>` as Markup;
}

/** A table with what is left out of it; its other columns are fetched into its place. */
function sheetOf(
  t: Words,
  { table, src, widget, notes }: PageWidget,
  { columns, columnCount = 0, firstColumn = 0 }: Extract<Subject, { kind: "table" }>,
): Markup {
  if (table === null) return notDrawn(t);
  const { pageColumns } = LIMITS.bi;
  const end = firstColumn + columns.length;
  const to = (first: number, words: Html) =>
    html` · <a href="${src}?c.${widget.id}=${first}" data-part>${words}</a>`;
  const before = firstColumn > 0 ? to(Math.max(0, firstColumn - pageColumns), t`Columns before`) : "";
  const after = end < columnCount ? to(end, t`More columns`) : "";
  return html`<div class="part" data-src="${src}"><div class="rows" tabindex="0" role="region" aria-label="${widget.name}">${raw(table)}</div>
${notes.length === 0 ? "" : html`<p class="note">${notes.join(" · ")}${before}${after}</p>`}</div>` as Markup;
}

/** In the place of a widget that the page has no room for. */
function laterBody(t: Words, { src }: PageWidget): Markup {
  return html`<div class="part" data-src="${src}"><p class="text soft">${t`This page is too large to show everything at once.`} <a href="${src}" data-part>${t`Show this`}</a></p></div>` as Markup;
}

function chartOf(
  t: Words,
  subject: Subject,
  picture: Picture,
  src: string,
  name: string,
  locale: string,
): Markup {
  const { svg, width, height, hover } = picture;
  const label = t`${name}. Use the arrow keys to read values.`;
  return html`<div class="chart" data-src="${src}" data-width="${width}" data-height="${height}" data-hover="${JSON.stringify(hover)}"${hover === null ? "" : raw(' tabindex="0" role="group"')}${hover === null ? "" : html` aria-label="${label}"`}>${raw(themed(svg, name))}</div>
${dataOf(t, subject, locale)}` as Markup;
}

/** Colours of the light theme become those of whoever looks; the palette is the same in both. */
const VARIABLES = new Map<string, string>([
  ...Object.entries(COLOURS.light).map(([name, colour]) => [colour, `var(--k-${name})`] as const),
  ...HEAT.light.map((colour, level) => [colour, `var(--k-heat${level})`] as const),
  [HEAT_TEXT.light, "var(--k-heat-text)"],
]);
const THEMED = new RegExp(`(?<=["':])(?:${[...VARIABLES.keys()].join("|")})(?=["';])`, "g");

function themed(svg: string, name: string): string {
  return svg
    .replace(' aria-label=""', () => ` aria-label="${escapeXml(name)}"`)
    .replaceAll(THEMED, (colour) => VARIABLES.get(colour) as string);
}

/** The values of a chart as a table, for those who cannot see it or want the digits. */
function dataOf(t: Words, subject: Subject, locale: string): Markup | "" {
  if (subject.kind !== "spec") return "";
  const {
    categories = [],
    series = [],
    slices = [],
    formats,
    xAxisLabel = "",
    yAxisLabel = "",
  } = subject.chart;
  const rows =
    slices.length > 0
      ? slices.map(({ label, value }) => [label, value])
      : categories.map((category, i) => [category, ...series.map(({ data }) => data[i] ?? null)]);
  if (rows.length < 2 || rows.length > 100) return "";
  const columns = [
    { label: xAxisLabel },
    ...(slices.length > 0
      ? [{ label: yAxisLabel, format: formats?.y ?? "number" }]
      : series.map(({ label }) => ({ label, format: formats?.y ?? "number" }))),
  ];
  return html`<details class="data"><summary>${t`Data`}</summary><div class="rows" tabindex="0" role="region" aria-label="${t`Data`}">${raw(htmlTableOf({ columns, rows }, locale))}</div></details>` as Markup;
}
