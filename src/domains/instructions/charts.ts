import { conditionOf, quoted } from "./conditions.ts";
import {
  bestFit,
  dateOf,
  type Fit,
  isDate,
  isNumeric,
  rolesIn,
  type Said,
  usualOf,
  withoutFields,
} from "./fitting.ts";
import type { Column, DatasetInfo, Inventory } from "./inventory.ts";
import { AskBack } from "./plan.ts";
import { isFunctionWord, Reader, words, wordsIn } from "./reader.ts";
import {
  AGGREGATES,
  CHARTS,
  COUNT_WORDS,
  countOf,
  GRAINS,
  NUMBER,
  numberOf,
  type Period,
  takePeriod,
} from "./words.ts";

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
const TARGET = new RegExp(
  `(?<!\\p{L})(?:with |mit )?(?:a |an |the |einem )?(?:target|goal|ziel(?:wert)?)(?:\\s+(?:of|von))?\\s+${NUMBER}(?:\\s*(?:€|euros?|eur))?`,
  "iu",
);
const TREND = words(
  "trends?|over time|development|verlauf|entwicklung|zeitverlauf|im zeitverlauf|history|timeline",
);
const TOP = words(
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
  const goal = reader.take(TARGET);
  const counted = reader.take(TOP);
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

export function during(date: Column, period: Pick<Period, "from" | "to">): string {
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
