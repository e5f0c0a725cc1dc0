import { lazily } from "../../kernel/concurrency.ts";
import { isAppError } from "../../kernel/errors.ts";
import { AskBack, type FromStep, type PlannedStep } from "./plan.ts";
import { isFunctionWord, type Kind, type Reader, words, wordsIn } from "./reader.ts";
import { type Aliases, BOARD, CHARTS, formsOf, keyOf, WIDGET } from "./words.ts";

/** What a clause is read with. */
export interface Clause {
  reader: Reader;
  inventory: Inventory;
  dashboardId: number | undefined;
  widgetId: number | undefined;
  /** The mail address of whoever speaks. */
  me: string;
  assumptions: string[];
  /** What clauses before it come to. */
  before: readonly PlannedStep[];
  /** It could be something else, about which there is a question. */
  isElse: boolean;
}

export interface Target {
  kind: "dashboard" | "widget" | "dataset";
  id: number | FromStep;
  name: string;
}

/** Sets the names of things apart, the longest first: exactly as they are written, or else also in another form. */
export async function markNames(reader: Reader, inventory: Inventory, isExact = false): Promise<void> {
  const lists = await Promise.all([
    inventory.widgets(),
    inventory.dashboards(),
    inventory.alerts(),
    inventory.reports(),
  ]);
  const kinds: readonly Kind[] = ["widget", "dashboard", "alert", "report"];
  const all = lists.flatMap((list, i) => list.map(({ id, name }) => ({ id, name, kind: kinds[i] as Kind })));
  const names = [...new Set(all.map(({ name }) => name))].toSorted((a, b) => b.length - a.length);
  for (const form of isExact ? [(word: string) => word] : [(word: string) => word.toLowerCase(), keyOf]) {
    for (const name of names) {
      const found = isExact && !reader.left.includes(name) ? undefined : findName(reader.left, name, form);
      if (found === undefined) continue;
      reader.mark(
        all.filter((each) => each.name === name),
        ...found,
      );
    }
  }
}

/** Where a name stands, with its quotation marks. */
function findName(text: string, name: string, form: (word: string) => string): [number, number] | undefined {
  const said = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  const forms = said.map(([word]) => form(word));
  const parts = (name.match(/[\p{L}\p{N}]+/gu) ?? []).map(form);
  const at = forms.findIndex((_, i) => parts.length > 0 && parts.every((part, j) => part === forms[i + j]));
  const first = said[at];
  const last = said[at + parts.length - 1];
  if (at === -1 || first === undefined || last === undefined) return undefined;
  const end = last.index + last[0].length;
  // A name of one word is also a word: it counts as it is written, or beside what says what it is.
  const isName =
    parts.length > 1 ||
    first[0] === name ||
    new RegExp(`^[-\\s"”“]*${BOARD.source}`, "iu").test(text.slice(end));
  if (!isName) return undefined;
  const open = /["“„»«'‘]?$/.exec(text.slice(0, first.index))?.[0].length ?? 0;
  const close = /^[?!)."”“»«'’]*/.exec(text.slice(end))?.[0].length ?? 0;
  return [first.index - open, end + close];
}

const PLAIN = words(
  "whole|entire|current|same|full|open|existing|complete|ganze~?|gesamte~?|komplette~?|aktuelle~?|bestehende~?|kompletten|old|gezeigte~",
);

/** The words before a noun that say which one is meant: none where it is "this" one; undefined without the noun. */
export function takeDescribed(reader: Reader, noun: RegExp): string[] | undefined {
  const found = noun.exec(reader.left);
  if (found === null) return undefined;
  const before = reader.left.slice(0, found.index);
  const run = /(?:[\p{L}\p{N}'’]+[\s-]+)*$/u.exec(before) as RegExpExecArray;
  const all = [...run[0].matchAll(/[\p{L}\p{N}'’]+/gu)];
  const cut = all.findLastIndex(([word]) => isFunctionWord(word));
  const own = all.slice(cut + 1);
  reader.drop(run.index + (own[0]?.index ?? run[0].length), found.index + found[0].length);
  return own.map(([word]) => word).filter((word) => !PLAIN.test(word));
}

/** "the chart Sales": a part of a name, which stands behind what it is. */
function takeBehind(reader: Reader, noun: RegExp, asset: NamedAsset | undefined): void {
  const behind = new RegExp(`(?<=${noun.source}\\s+)(\\p{Lu}[\\p{L}\\p{N}]*)`, "iu").exec(reader.left);
  if (behind !== null && asset !== undefined && scoreOf([behind[1] as string], { ...asset, about: "" }) > 0)
    reader.drop(behind.index, behind.index + behind[0].length);
}

/** The only one that there is, where nothing is said of it; or the one that all of the words fit, in its name or in what it is about; several that fit alike, or none, are asked about. */
export function fitAsset<A extends NamedAsset>(
  said: readonly string[],
  assets: readonly A[],
  kind: string,
): A {
  if (said.length === 0 && assets.length === 1) return assets[0] as A;
  const scored = assets
    .map((asset) => ({ asset, score: scoreOf(said, asset) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const [best, next] = scored;
  if (best !== undefined && best.score !== next?.score) return best.asset;
  const fits = scored.length > 0 ? scored.map(({ asset }) => asset) : assets;
  throw new AskBack(`Which ${kind} do you mean${said.length > 0 ? ` by “${said.join(" ")}”` : ""}?`, fits);
}

/** Nothing where one of the words does not fit: what it says would be lost. */
function scoreOf(said: readonly string[], { name, about }: NamedAsset): number {
  const own = ` ${keyOf(name)} `;
  const more = ` ${keyOf(about)} `;
  let score = 0;
  for (const word of said) {
    const forms = formsOf(word);
    const fits = (text: string) => forms.some((form) => text.includes(` ${form} `));
    if (fits(own)) score += 3;
    else if (fits(more)) score += 1;
    else return 0;
  }
  return score;
}

/** The dashboard that a clause speaks of: by its name, by words of it, as the one just made, or as the one that is open. */
export async function dashboardIn(clause: Clause): Promise<Target> {
  const { reader, inventory, dashboardId, before } = clause;
  const all = await inventory.dashboards();
  const namedId = reader.takeNamed("dashboard");
  const named = all.find(({ id }) => id === namedId);
  const said = takeDescribed(reader, BOARD);
  const target = ({ id, name }: NamedAsset): Target => ({ kind: "dashboard", id, name });
  if (named !== undefined) return target(named);
  if (said !== undefined && said.length > 0) return target(await describedBoard(said, clause));
  const spoken = madeBy(before, "dashboard");
  if (spoken !== undefined) return spoken;
  if (dashboardId !== undefined) return target(known(all, dashboardId, "dashboard"));
  if (all.length === 1) return target(all[0] as NamedAsset);
  throw new AskBack("Which dashboard do you mean?", all);
}

/** What is on a dashboard also says which one is meant. */
async function describedBoard(said: readonly string[], { inventory }: Clause): Promise<NamedAsset> {
  const all = await inventory.dashboards();
  try {
    return fitAsset(said, all, "dashboard");
  } catch (error) {
    if (!(error instanceof AskBack)) throw error;
    const widgets = await inventory.widgets();
    const datasets = await inventory.datasets();
    const wider = all.map((board) => {
      const on = widgets.filter(({ dashboard_id }) => dashboard_id === board.id);
      const shown = datasets.filter(({ id }) => on.some(({ dataset_id }) => dataset_id === id));
      const fields = shown.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
      return { ...board, about: [board.about, ...on.map(({ name }) => name), ...fields].join(" ") };
    });
    return fitAsset(said, wider, "dashboard");
  }
}

export const THE = "(?:the|this|that|my|our|das|dem|den|die|der|diese[rsmn]?|vom|im|beim|zum|aus)";
/** "A column chart" is none that there is. */
const A_CHART = new RegExp(
  `(?<!\\p{L})(?:an?|eine?[nm]?|into|as|als)\\s+(?:[\\p{L}-]+\\s+)?${WIDGET.source}`,
  "iu",
);
const POINTS = words("it|this|that|daraus|davon|es|das|ihn|hier|here");

/** The chart that a clause speaks of: by its name, by its type or words of it, or as the one that is open. */
export async function widgetIn(clause: Clause): Promise<WidgetInfo> {
  const { reader, inventory, widgetId, before } = clause;
  const all = await inventory.widgets();
  const namedId = reader.takeNamed("widget");
  const named = all.find(({ id }) => id === namedId);
  if (named !== undefined) {
    reader.take(new RegExp(`(?<!\\p{L})${THE}\\s+${WIDGET.source}`, "iu"));
    await boardBeside(clause);
    return named;
  }
  takeBehind(
    reader,
    WIDGET,
    all.find(({ id }) => id === widgetId),
  );
  const here = await boardBeside(clause);
  const there = here === undefined ? all : all.filter((widget) => widget.dashboard_id === here);
  const typed = takeTyped(reader);
  if (typed !== undefined) {
    const ofType = there.filter(({ chart_type }) => chart_type === typed.type);
    const open = ofType.find(({ id }) => id === widgetId);
    if (typed.said.length === 0 && open !== undefined) return open;
    return describedWidget(typed.said, ofType, clause);
  }
  const said = reader.has(A_CHART) ? [] : takeDescribed(reader, WIDGET);
  if (said !== undefined && said.length > 0) return describedWidget(said, there, clause);
  const spoken = before.findLast(({ args }) => typeof args.widget_id === "number")?.args.widget_id;
  const id = spoken ?? widgetId;
  if (id !== undefined) return known(all, Number(id), "widget");
  reader.take(POINTS);
  throw new AskBack("Which widget do you mean?", there);
}

/** The dashboard that a chart is said to be on, or the one that is open. */
async function boardBeside(clause: Clause): Promise<number | undefined> {
  const { reader, dashboardId } = clause;
  const named = reader.takeNamed("dashboard");
  const said = takeDescribed(reader, BOARD);
  if (named !== undefined) return named;
  if (said !== undefined && said.length > 0) return (await describedBoard(said, clause)).id;
  return dashboardId;
}

/** "the pie", "dem Kreisdiagramm": a chart by its type. "A pie" is none that there is. */
function takeTyped(reader: Reader): { type: string; said: string[] } | undefined {
  for (const [pattern, type] of CHARTS) {
    const phrase = new RegExp(
      `(?<!\\p{L})${THE}\\s+((?:(?!${THE}\\s)[\\p{L}\\p{N}]+[\\s-]+){0,3}?)${pattern.source}`,
      "iu",
    );
    const found = phrase.exec(reader.left);
    if (found === null || wordsIn(found[1] ?? "").some(isFunctionWord)) continue;
    reader.take(phrase);
    return { type, said: wordsIn(found[1] ?? "").filter((word) => !PLAIN.test(word)) };
  }
  return undefined;
}

/** By its name, or by the fields that it shows. */
async function describedWidget(
  said: readonly string[],
  widgets: readonly WidgetInfo[],
  { inventory }: Clause,
): Promise<WidgetInfo> {
  try {
    return fitAsset(said, widgets, "widget");
  } catch (error) {
    if (!(error instanceof AskBack) || said.length === 0 || widgets.length > 60) throw error;
    const wider = await Promise.all(
      widgets.map(async (widget) => {
        const { x_axis, y_axis, group_by } = await inventory.details<{
          x_axis: string | null;
          y_axis: string[];
          group_by: string | null;
        }>("widget", widget.id);
        return { ...widget, about: [widget.about, x_axis, ...(y_axis ?? []), group_by].join(" ") };
      }),
    );
    return fitAsset(said, wider, "widget");
  }
}

function known<A extends NamedAsset>(assets: readonly A[], id: number, kind: string): A {
  const found = assets.find((asset) => asset.id === id);
  if (found === undefined)
    throw new AskBack(`There is no ${kind} ${id} that you may see. Which one do you mean?`, assets);
  return found;
}

/** A widget, a dashboard or a dataset, whichever is spoken of. */
export async function targetIn(clause: Clause): Promise<Target> {
  const { reader, inventory, widgetId, before } = clause;
  const widgets = await inventory.widgets();
  const dashboards = await inventory.dashboards();
  const namedWidget = reader.takeNamed("widget");
  const widget = widgets.find(({ id }) => id === namedWidget);
  const namedBoard = reader.takeNamed("dashboard");
  const board = dashboards.find(({ id }) => id === namedBoard);
  if (widget !== undefined || board !== undefined) {
    for (const noun of [BOARD, WIDGET]) reader.take(noun);
    return widget === undefined
      ? { kind: "dashboard", id: board?.id ?? 0, name: board?.name ?? "" }
      : { kind: "widget", id: widget.id, name: widget.name };
  }
  const isBoard = reader.has(BOARD);
  const made = isBoard || reader.has(WIDGET) ? undefined : madeBy(before);
  if (made !== undefined) return made;
  const isWidget =
    !isBoard &&
    (reader.has(WIDGET) ||
      CHARTS.some(([pattern]) => reader.has(new RegExp(`${THE}\\s+${pattern.source}`, "iu"))));
  const datasets = await inventory.datasets();
  const dataset = isBoard || isWidget ? undefined : takeDataset(reader, datasets);
  if (dataset !== undefined) return { kind: "dataset", id: dataset.id, name: dataset.name };
  if (isWidget || (!isBoard && widgetId !== undefined)) {
    const { id, name } = await widgetIn(clause);
    return { kind: "widget", id, name };
  }
  return dashboardIn(clause);
}

/** "It", after a step that made or changed something. */
function madeBy(before: readonly PlannedStep[], only?: Target["kind"]): Target | undefined {
  for (const [step, { tool, args }] of [...before.entries()].toReversed()) {
    for (const kind of (["widget", "dashboard"] as const).filter((each) => (only ?? each) === each)) {
      const key = `${kind}_id`;
      if (tool === `create_${kind}`) return { kind, id: { step, key }, name: String(args.name) };
      if (typeof args[key] === "number") return { kind, id: args[key], name: `${kind} ${args[key]}` };
    }
  }
  return undefined;
}

const DATA = words("data ?sets?|datasets?|datens[aä]tze?n?|data|daten|rows|zeilen|table|tabelle|list|liste");

/** A dataset by its name or by what its rows are called. */
export function takeDataset(reader: Reader, datasets: readonly DatasetInfo[]): DatasetInfo | undefined {
  const said = [...reader.left.matchAll(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu)];
  for (const { index, 0: word } of said) {
    const next = said.find((each) => each.index > index);
    for (const text of [`${word} ${next?.[0] ?? ""}`, word]) {
      const forms = formsOf(text.trim());
      const found = datasets.find((each) => {
        const own = keyOf(each.name);
        return forms.some(
          (form) => form === own || own.endsWith(` ${form}`) || each.aliases.get(form)?.column === null,
        );
      });
      if (found === undefined) continue;
      reader.drop(index, index + text.trim().length);
      reader.takeAll(DATA);
      return found;
    }
  }
  return undefined;
}

export interface Column {
  name: string;
  type: string;
}

export interface DatasetInfo {
  id: number;
  name: string;
  columns: readonly Column[];
  /** What else its columns and rows are called. */
  aliases: Aliases;
}

export interface NamedAsset {
  id: number;
  name: string;
  /** Further words by which it is known. */
  about: string;
}

export interface WidgetInfo extends NamedAsset {
  chart_type: string;
  dataset_id: number | null;
  dataset: string | null;
  dashboard_id: number | null;
  place: { col: number; row: number; sizeX: number; sizeY: number } | null;
}

export interface AlertInfo extends NamedAsset {
  /** Null where its condition is not for everybody to see. */
  c9ql: string | null;
  recipients: readonly string[];
}

export interface ReportInfo extends NamedAsset {
  recipients: readonly string[];
}

/** Calls a tool for whoever gave the instruction. */
export type CallTool = <T>(tool: string, args: object) => Promise<T>;

/** By what people call a report beside its name: how often it comes, and on which day. */
const TIMES: Record<string, string> = {
  minutes: "minute",
  hours: "hourly stündlich",
  days: "daily täglich tages",
  weeks: "weekly week wöchentlich wochen",
  months: "monthly month monatlich monats",
  MONDAY: "monday montag",
  TUESDAY: "tuesday dienstag",
  WEDNESDAY: "wednesday mittwoch",
  THURSDAY: "thursday donnerstag",
  FRIDAY: "friday freitag",
  SATURDAY: "saturday samstag",
  SUNDAY: "sunday sonntag",
};

/** By what people call a widget beside its name. */
const TYPES: Record<string, string> = {
  singletext: "tile number",
  datagrid2: "table",
  recommendation: "insights",
};

/** What an instruction can speak of: what its giver may see, read when it is needed. */
export class Inventory {
  readonly #call: CallTool;
  readonly datasets: () => Promise<readonly DatasetInfo[]>;
  readonly dashboards: () => Promise<readonly NamedAsset[]>;
  readonly widgets: () => Promise<readonly WidgetInfo[]>;
  readonly alerts: () => Promise<readonly AlertInfo[]>;
  readonly reports: () => Promise<readonly ReportInfo[]>;
  readonly #values = new Map<string, Promise<string[]>>();

  constructor(call: CallTool, aliases: () => Promise<ReadonlyMap<string, Aliases>> = async () => new Map()) {
    this.#call = call;
    this.datasets = lazily(async () => {
      const [{ datasets }, known] = await Promise.all([
        call<{ datasets: Omit<DatasetInfo, "aliases">[] }>("list_datasets", { columns: true, limit: 200 }),
        aliases(),
      ]);
      return datasets.map((each) => ({ ...each, aliases: known.get(each.name) ?? new Map() }));
    });
    this.dashboards = lazily(async () => {
      const { dashboards } = await call<{
        dashboards: { id: number; name: string; description: string | null }[];
      }>("list_dashboards", {});
      return dashboards.map(({ id, name, description }) => ({ id, name, about: description ?? "" }));
    });
    this.widgets = lazily(async () => {
      const { widgets } = await call<{
        widgets: (Omit<WidgetInfo, "id" | "about"> & { widget_id: number })[];
      }>("find_widget", { name: "", limit: 200 });
      return widgets.map(({ widget_id, ...rest }) => ({
        ...rest,
        id: widget_id,
        about: `${TYPES[rest.chart_type] ?? ""} ${rest.dataset ?? ""}`,
      }));
    });
    // A token may be for dashboards alone: then there are no alerts and reports to speak of.
    const ifAllowed = <T>(wanted: Promise<T>, none: T) =>
      wanted.catch((error: unknown) => {
        if (isAppError(error) && error.code === "forbidden") return none;
        throw error;
      });
    this.alerts = lazily(async () => {
      const { alerts } = await ifAllowed(
        call<{ alerts: (AlertInfo & { sentence: string | null })[] }>("list_alerts", { limit: 200 }),
        { alerts: [] },
      );
      return alerts.map(({ sentence, ...alert }) => ({ ...alert, about: sentence ?? "" }));
    });
    this.reports = lazily(async () => {
      const { reports } = await ifAllowed(
        call<{
          reports: (ReportInfo & { frequency: string; day_of_week: string })[];
        }>("list_reports", { limit: 200 }),
        { reports: [] },
      );
      return reports.map(({ id, name, recipients, frequency, day_of_week }) => ({
        id,
        name,
        recipients,
        about:
          TIMES[frequency === "weeks" ? day_of_week : ""]?.concat(" ", TIMES.weeks ?? "") ??
          TIMES[frequency] ??
          "",
      }));
    });
  }

  /** All that get_details tells of a widget or a dashboard. */
  async details<T>(assetType: "widget" | "dashboard", assetId: number): Promise<T> {
    const args = { asset_type: assetType, asset_id: assetId };
    return (await this.#call<{ details: T }>("get_details", args)).details;
  }

  /** The values of a column of texts, where they are few. */
  valuesOf(dataset: DatasetInfo, column: string): Promise<string[]> {
    const key = `${dataset.id} ${column}`;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const field = `\`${column.replaceAll("`", "``")}\``;
    const read = this.#call<{ rows: Record<string, unknown>[] }>("get_data", {
      dataset_id: dataset.id,
      c9ql: `select distinct ${field} as value limit 300`,
      limit: 300,
    }).then(({ rows }) => rows.flatMap(({ value }) => (typeof value === "string" ? [value] : [])));
    this.#values.set(key, read);
    return read;
  }
}
