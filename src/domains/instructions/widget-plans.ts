import { conditionOf, quoted } from "./alert-plans.ts";
import {
  bestFit,
  dateOf,
  type Filter,
  type Fit,
  filtersOf,
  fitText,
  isDate,
  isNumeric,
  rolesIn,
  type Said,
  usualOf,
  withoutFields,
} from "./fitting.ts";
import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { isFunctionWord, Reader, words, wordsIn } from "./reader.ts";
import {
  type Clause,
  type Column,
  type DatasetInfo,
  type Inventory,
  THE,
  type WidgetInfo,
  widgetIn,
} from "./references.ts";
import {
  AGGREGATES,
  CHARTS,
  COUNT_WORDS,
  countOf,
  GRAINS,
  NUMBER,
  numberOf,
  type Period,
  takeName,
  takeOld,
  takePeriod,
  takeQuoted,
  UNITS,
  WIDGET,
} from "./words.ts";

const CHANGE = anyOf(
  "change become draw only limit without want instead future give",
  "render|present|have|prefer|should be|be|become|sein|werden|umstell~|darstell~|dargestellt|anzeig~|angezeigt|nutz~|verwend~|bitte|dar|um|into|daraus|chart type|diagrammtyp|type|typ|pls|plz|filter~|ein|down|keep|blend~|lass~|weg|aus|drop-?down|herausnehm~|count|zähl~|see|sehen|as well|the rest",
);
/** Words that say that a chart that there is should become something else. */
const MEANT = anyOf(
  "change become only limit without rename instead",
  "should be|filter~|blend~|lass~|group~|split|break|gruppier~|teil~|aufteil~|schlüssel~|statt|anstatt|sort~|order|ordne|show|zeig~|display|as|als|top|i want|i'd like|hätte~|per|pro",
);
const RENAME = anyOf(
  "rename give future",
  "soll(?:te|en)?|should|be called|be|new name|neuen namen?|um|titel|namen?",
);
const GROUP = words(
  "(?:group|split|break|stack|colou?r|separate|gruppier~|teil~|aufteil~|aufgeteilt|schlüssel~|aufschlüssel~|unterteil~|stapel~)(?: (?:it|this|that|them|down|up|es|das|the|chart|diagramm|die|dies))*",
);
const WITHOUT = anyOf("without", "except(?: for)?|außer|blend~(?= .*aus)|lass~(?= .*weg)|not|nicht|minus");
const TARGET = words("(?:the |das )?(?:target|goal|ziel(?:wert)?)(?: (?:of|von|for|für|value|line|linie))?");
const AMOUNT = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?:to|auf|of|at|von)\\s+)?${NUMBER}(?:\\s*(?:€|euros?|eur))?`,
  "iu",
);
const TOP = words(
  `(?:the )?(?:top|best|largest|biggest|first|besten|größten|ersten|stärksten)[ -](\\d+|${COUNT_WORDS})|(\\d+|${COUNT_WORDS}) (?:best|largest|biggest|besten|größten|stärksten|top)(?: \\p{L}+)?`,
);
const SORTS: readonly (readonly [RegExp, string])[] = [
  [
    words(
      "(?:sort~|order|ordne|sortier~)(?: (?:it|this|that|es|das|the bars|die balken))*(?: (?:alphabetical~|alphabetisch|by name|nach namen?|a-z))",
    ),
    "x",
  ],
  [
    words(
      "(?:sort~|order|ordne|sortier~)(?: (?:it|this|that|es|das|the bars|die balken))*(?: (?:by (?:size|value)|nach (?:größe|wert|höhe)|descending~|absteigend|(?:from )?(?:largest|biggest|highest) (?:first|to \\p{L}+)))",
    ),
    "value",
  ],
];
const STYLES: readonly (readonly [RegExp, string])[] = [
  [words("(?:in|as|als) (?:percent|percentages?|prozent)"), "percent"],
  [words("(?:in|as|als) (?:euros?|eur)"), "money:EUR"],
  [words("(?:in|as|als) (?:us )?dollars?"), "money:USD"],
  [words("(?:without|no|ohne) (?:decimals?|nachkommastellen)"), "integer"],
];

/** Another type, name, filter, legend, period, order or target for a chart that there is: all of it in one step. */
export async function planChange(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, widgetId } = clause;
  const isNamed = reader.named("widget");
  const isThere =
    isNamed ||
    widgetId !== undefined ||
    clause.before.some(({ args }) => typeof args.widget_id === "number") ||
    new RegExp(
      `(?<!\\p{L})${THE}\\s+(?:[\\p{L}-]+\\s+){0,3}?(?:${[WIDGET, ...CHARTS.map(([chart]) => chart)].map(({ source }) => source).join("|")})`,
      "iu",
    ).test(reader.left);
  const isOpen = widgetId !== undefined && !isNamed;
  if (!isThere || !(isOpen || reader.has(MEANT))) return undefined;
  const widget = await widgetIn(clause);
  const name = takeName(reader) ?? takeNewName(reader);
  const change = await settingsIn(clause, widget);
  const args = { ...(name !== undefined && { name }), ...change };
  if (Object.keys(args).length === 0) {
    if (reader.words().length > 0 && !isOpen) return undefined;
    throw new AskBack(`What should become of “${widget.name}”?`, [
      "another type of chart",
      "a filter",
      "another name",
    ]);
  }
  return oneStep(
    "update_widget",
    { widget_id: widget.id, ...args },
    `Change “${widget.name}”: ${settingsSaid(args)}`,
  );
}

const NEXT =
  "(?=[.!?]*\\s*$|,?\\s+(?:and|und)\\s+(?:the|das|den|die|dem|export|send|share|give|show|move|make|put|add|pause|set|schick|teil|zeig|verschieb|mach|füg|pausier|setz|gib|stell)\\p{L}*(?!\\p{L}))";
const TO_NAME = new RegExp(`(?<!\\p{L})(?:to|into|in|zu|auf)\\s+([^·]+?)(?:\\s+um)?${NEXT}`, "iu");
const AS_NAME = new RegExp(
  `(?<!\\p{L})(?:name|call|title|nenne?|heiß\\p{L}*|as|als)\\s+(?:(?:it|this|that|chart|dashboard|das|es|the)\\s+|·+\\s*)*([^·]+?)(?:\\s+um)?${NEXT}`,
  "iu",
);

/** "Call it X", "rename it to X", "soll künftig X heißen". */
export function takeNewName(reader: Reader): string | undefined {
  if (!reader.has(anyOf("rename"))) return undefined;
  const called = takeName(reader) ?? takeQuoted(reader);
  const behind = called ?? (reader.take(TO_NAME) ?? reader.take(AS_NAME))?.[1];
  reader.takeAll(RENAME);
  if (behind === undefined || behind.trim() === "") throw new AskBack("What should its new name be?");
  return behind.trim();
}

async function settingsIn(
  { reader, inventory }: Clause,
  widget: WidgetInfo,
): Promise<Record<string, unknown>> {
  const dataset = (await inventory.datasets()).find(({ id }) => id === widget.dataset_id);
  const old = takeOld(reader);
  const target = reader.take(TARGET) === null ? null : reader.take(AMOUNT);
  const isGroup = reader.take(GROUP) !== null;
  const sort = reader.oneOf(SORTS);
  const format = reader.oneOf(STYLES);
  const top = reader.take(TOP);
  const period = takePeriod(reader);
  const chart = reader.oneOf(CHARTS);
  const grain = reader.oneOf(GRAINS) ?? (widget.chart_type === "datagrid2" ? undefined : reader.oneOf(UNITS));
  const aggregate = reader.oneOf(AGGREGATES);
  const isWithout = WITHOUT.test(reader.left);
  reader.takeAll(CHANGE);
  reader.takeAll(WITHOUT);
  reader.takeAll(WIDGET);
  reader.takeAll(
    words("top|please|values?|werte?|rows?|zeilen|data|daten|one|ones|those|alle|all|zuletzt|basis"),
  );
  if (grain !== undefined) await requireDates(widget, dataset, inventory);
  const fields = await fieldsIn(
    reader,
    { dataset, widget, isGroup, isWithout, isSwap: old !== undefined, isTimed: grain !== undefined },
    inventory,
  );
  const c9ql = period === undefined ? undefined : await limited(widget, dataset, period, inventory);
  const options = {
    ...((aggregate ?? fields.aggregate) !== undefined && { aggregate: aggregate ?? fields.aggregate }),
    ...(grain !== undefined && { grain }),
    ...(top !== null && { top: countOf(top[1] ?? top[2] ?? "") }),
    ...(target !== null && { target: numberOf(target[1] as string, target[2]) }),
    ...(sort !== undefined && { sort }),
    ...(format !== undefined && { format }),
    ...(c9ql !== undefined && { c9ql }),
    ...(fields.filters !== undefined && { filters: fields.filters }),
  };
  return {
    ...(chart !== undefined && { chart_type: chart }),
    ...fields.axes,
    ...(Object.keys(options).length > 0 && { options }),
  };
}

interface About {
  dataset: DatasetInfo | undefined;
  widget: WidgetInfo;
  isGroup: boolean;
  isWithout: boolean;
  /** Something is said to come in the place of something else. */
  isSwap: boolean;
  /** Its periods are said, too: then a field is no axis. */
  isTimed: boolean;
}

/** Values are filters; fields are what it is grouped or shown by, or the number that it shows. */
async function fieldsIn(
  reader: Reader,
  { dataset, widget, isGroup, isWithout, isSwap, isTimed }: About,
  inventory: Clause["inventory"],
): Promise<{ axes: object; filters?: Filter[]; aggregate?: string }> {
  const left = reader.words();
  if (left.length === 0) return { axes: {} };
  if (dataset === undefined)
    throw new AskBack(`“${widget.name}” has no dataset any more. Which one should it show?`);
  const fit = fitText(reader.rest(), dataset, isWithout ? "without" : "measure");
  const found = await filtersOf(fit, inventory);
  const dims = [...fit.dims, ...(fit.group === undefined ? [] : [fit.group])];
  const numbers = fit.measures.filter(isNumeric);
  const [by, ...more] = dims;
  const lost = [...more, ...(isGroup ? numbers : []), ...(fit.against === undefined ? [] : [fit.against])];
  if (fit.ofRows && isSwap && found.length + dims.length + numbers.length === 0)
    return { axes: { y_axis: [] }, aggregate: "count" };
  if (lost.length > 0 || (fit.ofRows && found.length === 0 && by === undefined && numbers.length === 0))
    throw new AskBack(
      `What should become of “${widget.name}”? I do not know what to do with “${left.join(" ")}”.`,
    );
  return {
    axes: {
      ...(by !== undefined && (isGroup || isTimed ? { group_by: by.name } : { x_axis: by.name })),
      ...(numbers.length > 0 && { y_axis: numbers.map(({ name }) => name) }),
    },
    ...(found.length > 0 && { filters: found }),
  };
}

/** Weeks and months are of dates: a chart that shows something else has none. */
async function requireDates(
  widget: WidgetInfo,
  dataset: DatasetInfo | undefined,
  inventory: Clause["inventory"],
): Promise<void> {
  const { x_axis } = await inventory.details<{ x_axis?: string | null }>("widget", widget.id);
  const x = dataset?.columns.find(({ name }) => name === x_axis);
  if (x === undefined || !isDate(x))
    throw new AskBack(`“${widget.name}” shows no dates. What should it be shown by?`);
}

/** A query of its own cannot be limited from outside without knowing what it does. */
async function limited(
  widget: WidgetInfo,
  dataset: DatasetInfo | undefined,
  period: { from: string; to?: string },
  inventory: Clause["inventory"],
): Promise<string> {
  const date = dataset === undefined ? undefined : dateOf(dataset);
  const { c9ql } = await inventory.details<{ c9ql?: string | null }>("widget", widget.id);
  if (date === undefined || !/^(?:where \S+ >= \S+(?: and \S+ < \S+)?)?$/i.test(c9ql ?? ""))
    throw new AskBack(`To which rows should “${widget.name}” be limited?`);
  return during(date, period);
}

/** Settings in words, for whoever reads the plan. */
function settingsSaid(args: Record<string, unknown>): string {
  const { options, ...rest } = args as { options?: Record<string, unknown> };
  const { filters, ...others } = options ?? {};
  const parts = Object.entries({ ...rest, ...others }).map(
    ([key, value]) => `${key.replaceAll("_", " ")} ${[value].flat().join(", ")}`,
  );
  const shown = ((filters ?? []) as Filter[]).map(
    ({ field, operator, value }) =>
      `${operator === "!=" ? "without" : "only"} ${field} ${[value].flat().join(", ")}`,
  );
  return [...parts, ...shown].join("; ");
}

/** A widget, as `create_widget` takes it. */
export interface ChartWish {
  name: string;
  dataset_id: number;
  chart_type: string;
  x_axis?: string;
  y_axis?: string[];
  group_by?: string;
  options?: Record<string, unknown>;
}

/** What a phrase says, before it is known of which dataset. */
interface Phrase {
  chart: string | undefined;
  aggregate: string | undefined;
  grain: string | undefined;
  top: number | undefined;
  target: number | undefined;
  period: Period | undefined;
  isTrend: boolean;
  /** What is left, for fields and values. */
  said: Said[];
}

const NAME_CHARACTERS = 100;
const TABLE = "datagrid2";
const GOAL_VALUE = new RegExp(
  `(?<!\\p{L})(?:with |mit )?(?:a |an |the |einem )?(?:target|goal|ziel(?:wert)?)(?:\\s+(?:of|von))?\\s+${NUMBER}(?:\\s*(?:€|euros?|eur))?`,
  "iu",
);
const TREND = words(
  "trends?|over time|development|verlauf|entwicklung|zeitverlauf|im zeitverlauf|history|timeline",
);
const TOP_ONES = words(
  `(?:the )?(?:top|best|largest|biggest|besten|größten|wichtigsten|stärksten|meistverkauften)[ -](\\d+|${COUNT_WORDS})|(?:die )?(\\d+|${COUNT_WORDS}) (?:best|largest|biggest|besten|größten|wichtigsten|stärksten|meistverkauften|top)`,
);
const BEST = words("top|best[- ]selling|best(?:e[nr]?)?|bestseller|meistverkaufte~");
/** Words about charts that say nothing of what is shown. */
const NOISE = words(
  "how|where|come from|comes? from|moved|develops?|developed|changed?|evolves?|evolved|entwickelt|kommen|herkommen|charts?|graphs?|diagrams?|diagramm~|grafik~|widgets?|visuali[sz]ations?|data|daten|values?|werte?|new|neue[nrs]?|another|one more|noch|weitere[nrs]?|zusätzlich~|all|alle[nr]?|each|every|jede[nrsm]?|together|zusammen|dran|drauf|rein|hinzu|show(?:s|ing)?|zeigt|shown|containing|dataset|datensatz|jeweils|respectively",
);

/** "top 5 products by quantity in Austria" as a chart. What cannot be found is asked about. */
export async function readChart(
  text: string,
  inventory: Inventory,
  assumptions: string[],
  /** Datasets that are shown beside it. */
  near: readonly number[] = [],
): Promise<ChartWish> {
  const { fit, filters } = await bestFit((each) => readPhrase(text, each).said, inventory, text, near);
  const phrase = readPhrase(text, fit.dataset);
  const { dataset } = fit;
  const date = dateOf(dataset);
  if (date === undefined && (phrase.period ?? phrase.grain) !== undefined)
    throw new AskBack(`${dataset.name} has no dates. What should it be shown by instead?`, dataset.columns);
  const isOverTime =
    phrase.grain !== undefined || phrase.isTrend || phrase.chart === "area" || phrase.chart === "line";
  const { measures, dims } = inRoles(fit, phrase);
  const ratio = dims.find((column) => fit.per.has(column.name) && isNumeric(column));
  if (measures.length > 0 && ratio !== undefined)
    throw new AskBack(
      `A number per ${ratio.name} cannot be charted. Which number do you mean?`,
      dataset.columns.filter(isNumeric),
    );
  if (fit.against !== undefined && dims.length > 0)
    throw new AskBack(`Should each ${dims[0]?.name} be one dot, or one colour?`);
  const x = fit.against ?? (isOverTime && date !== undefined && !dims.some(isDate) ? date : dims.shift());
  // "Germany versus Austria" are two lines, not one sum.
  const versus = filters.find(
    ({ value }) => Array.isArray(value) && fit.unknown.some(({ role }) => role === "against"),
  );
  const group = fit.group ?? dims[0] ?? dataset.columns.find(({ name }) => name === versus?.field);
  // Rows are counted; what is averaged or added up of them is the number that is usually meant.
  const isCount = phrase.aggregate === "count" || (fit.ofRows && phrase.aggregate === undefined);
  const y = measures.length > 0 || isCount ? measures : usualMeasure(dataset, assumptions);
  const aggregate = y.length === 0 ? "count" : (phrase.aggregate ?? fit.aggregate);
  const chart = phrase.chart ?? usualChart(x, phrase);
  if (phrase.top !== undefined && chart !== TABLE && x === undefined)
    throw new AskBack(
      `The first ${phrase.top} of what? Name the field that tells them apart.`,
      dataset.columns.filter((column) => !isNumeric(column) && !isDate(column)),
    );
  if (phrase.top !== undefined && chart === TABLE) {
    const where = [
      ...filters.map(conditionOf),
      ...(phrase.period !== undefined && date !== undefined ? [within(date, phrase.period)] : []),
    ];
    return {
      name: nameOf(text),
      dataset_id: dataset.id,
      chart_type: chart,
      ...firstRows({ dataset, x, y: y[0], top: phrase.top, aggregate: aggregate ?? "sum", where }),
    };
  }
  const options = {
    ...(aggregate !== undefined && { aggregate }),
    ...(phrase.grain !== undefined && { grain: phrase.grain }),
    ...(phrase.top !== undefined && { top: phrase.top }),
    ...(phrase.target !== undefined && { target: phrase.target }),
    ...(filters.length > 0 && { filters }),
    ...(phrase.period !== undefined && date !== undefined && { c9ql: during(date, phrase.period) }),
  };
  return {
    name: nameOf(text),
    dataset_id: dataset.id,
    chart_type: chart,
    ...(x !== undefined && { x_axis: x.name }),
    ...(y.length > 0 && { y_axis: y.map(({ name }) => name) }),
    ...(group !== undefined && { group_by: group.name }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

function readPhrase(text: string, dataset: DatasetInfo): Phrase {
  const { rest, names } = withoutFields(` ${text} `, dataset);
  const reader = new Reader(rest);
  const period = takePeriod(reader);
  const goal = reader.take(GOAL_VALUE);
  const counted = reader.take(TOP_ONES);
  const chart = reader.oneOf(CHARTS);
  const grain = reader.oneOf(GRAINS);
  const aggregate = reader.oneOf(AGGREGATES);
  const isTrend = reader.take(TREND) !== null;
  const isTop = counted !== null || reader.take(BEST) !== null;
  reader.takeAll(NOISE);
  return {
    chart,
    aggregate,
    grain,
    top: counted !== null ? countOf(counted[1] ?? counted[2] ?? "") : isTop ? 10 : undefined,
    target: goal === null ? undefined : numberOf(goal[1] as string, goal[2]),
    period,
    isTrend,
    said: rolesIn(reader.left, names),
  };
}

/** In "top products by quantity" the number stands behind the "by". */
function inRoles(fit: Fit, { top, chart }: Phrase): { measures: Column[]; dims: Column[] } {
  const { measures, dims } = fit;
  if (measures.length > 0 || (top === undefined && chart !== "scatter")) return { measures, dims };
  return { measures: dims.filter(isNumeric), dims: dims.filter((column) => !isNumeric(column)) };
}

function usualChart(x: Column | undefined, { top }: Phrase): string {
  if (x === undefined) return "singletext";
  return isDate(x) ? "line" : top !== undefined ? "bar" : "column";
}

function usualMeasure(dataset: DatasetInfo, assumptions: string[]): Column[] {
  const column = usualOf(dataset);
  assumptions.push(
    column === undefined ? `Rows of ${dataset.name} are counted.` : `It is about ${column.name}.`,
  );
  return column === undefined ? [] : [column];
}

function during(date: Column, period: Pick<Period, "from" | "to">): string {
  return `where ${within(date, period)}`;
}

function within({ name }: Column, { from, to }: Pick<Period, "from" | "to">): string {
  return `${quoted(name)} >= ${from}${to === undefined ? "" : ` and ${quoted(name)} < ${to}`}`;
}

/** The first rows of a table by a number: rows as they are, or what each of something comes to. */
function firstRows({
  dataset,
  x,
  y,
  top,
  aggregate,
  where,
}: {
  dataset: DatasetInfo;
  x: Column | undefined;
  y: Column | undefined;
  top: number;
  aggregate: string;
  where: readonly string[];
}): Pick<ChartWish, "x_axis" | "y_axis" | "options"> {
  const only = where.length === 0 ? "" : `where ${where.join(" and ")} `;
  const by = (name: string) => `order by ${quoted(name)} desc limit ${top}`;
  if (x === undefined) {
    if (y === undefined)
      throw new AskBack(`The first ${top} by which number?`, dataset.columns.filter(isNumeric));
    return { options: { c9ql: `${only}${by(y.name)}` } };
  }
  const value = y?.name ?? "count";
  const number = `${aggregate}(${y === undefined ? "*" : quoted(y.name)}) as ${quoted(value)}`;
  return {
    x_axis: x.name,
    y_axis: [value],
    options: { c9ql: `select ${quoted(x.name)}, ${number} ${only}group by ${quoted(x.name)} ${by(value)}` },
  };
}

const SHAPES = CHARTS.map(([chart]) => chart.source).join("|");
/** How it is drawn, which can change: "as a donut", "a bar chart of". */
const SHAPE = new RegExp(
  `(?<!\\p{L})(?:as|als|in)\\s+(?:an?\\s+|eine?[nm]?\\s+)?(?:${SHAPES})|(?:${SHAPES})\\s+(?:of|with|for|showing|von|mit|der|des|für)(?!\\p{L})`,
  "iu",
);

/** The words themselves, without those before and behind them that say nothing. */
function nameOf(text: string): string {
  const reader = new Reader(text);
  reader.takeAll(SHAPE);
  const all = reader.rest().replaceAll(/\s+/g, " ").trim().split(" ");
  const isSaid = (word: string) =>
    wordsIn(word).some((each) => !isFunctionWord(each)) || /["“„$€%]/.test(word);
  const bare = all
    .slice(all.findIndex(isSaid), all.findLastIndex(isSaid) + 1)
    .join(" ")
    .replace(/[\s.!?,;:]+$/, "");
  return (bare.charAt(0).toUpperCase() + bare.slice(1)).slice(0, NAME_CHARACTERS);
}
