import { AppError } from "../../../kernel/errors.ts";
import type { Words } from "../../../kernel/translation.ts";
import { columnKind, isIntegerType } from "../../../kernel/values.ts";
import { aggregateOf, type Column, call, column, countRows, type RowValue } from "../../data/index.ts";
import type { Aggregate, ChartType, WidgetSpec } from "../shapes.ts";
import { wordsIn } from "../words.ts";
import { isNumber, type Source } from "./source.ts";

/** A number of a chart: which field, and how the engine puts its values together. */
export interface Measure {
  field: Column | null;
  aggregate: Aggregate;
  value: RowValue;
  format: string;
}

export interface Plan {
  chart: ChartType;
  x: Column | undefined;
  group: Column | undefined;
  measures: Measure[];
}

/** Charts that need nothing but one number, or none. */
const WITHOUT_X: readonly ChartType[] = ["singletext", "gauge", "datagrid2", "recommendation"];

/** How single values of a field read; what they add up to is another matter. */
export function formatOf(column: Column, usual: string | undefined): string {
  if (aggregateOf(column) === "none") return "plain";
  return usual ?? (isIntegerType(column.type) ? "integer" : "number");
}

export function isTime({ type }: Column): boolean {
  return columnKind(type) === "date";
}

/** The fields of a widget, found among those that there are. */
export function planOf(spec: WidgetSpec, { columns, dataset, find }: Source): Plan {
  const x = spec.x === undefined ? undefined : find(spec.x);
  const group = spec.group === undefined ? undefined : find(spec.group);
  const measures = (spec.y.length === 0 ? [null] : spec.y.map(find)).map((field) => measureOf(field, spec));
  if (x === undefined && !WITHOUT_X.includes(spec.chart))
    throw new AppError("bad_request", `A ${spec.chart} needs a field for its x-axis.`, {
      hint: `The fields of ${dataset.name} are ${columns.map(({ name }) => name).join(", ")}.`,
    });
  if (spec.chart === "heatmap" && group === undefined)
    throw new AppError("bad_request", "A heatmap needs a field to group by, for its other axis.");
  const [first] = measures;
  if (spec.chart === "scatter" && (first?.field == null || !isNumber(first.field)))
    throw new AppError("bad_request", "A scatter chart needs a field of numbers for its y-axis.");
  return { chart: spec.chart, x, group, measures };
}

function measureOf(field: Column | null, { aggregate: wanted, format, chart }: WidgetSpec): Measure {
  const aggregate = wanted ?? usualAggregate(field);
  const isCount = aggregate === "count" || aggregate === "distinct";
  const isWhole =
    isCount || (field !== null && isIntegerType(field.type) && aggregate !== "avg" && aggregate !== "median");
  if (field === null && aggregate !== "count")
    throw new AppError("bad_request", `A ${chart} with ${aggregate} needs a field for its y-axis.`);
  return {
    field,
    aggregate,
    value: field === null ? countRows() : call(aggregate, column(field.name)),
    format: format !== undefined && !isCount ? format : isWhole ? "integer" : "number",
  };
}

/** As its column says; of what is no number, or one that only names something, there is a count. */
function usualAggregate(field: Column | null): Aggregate {
  const aggregate = field === null ? undefined : aggregateOf(field);
  return aggregate === undefined || aggregate === "none" ? "count" : aggregate;
}

/** The parts of such a number have it as their sum. */
export function isAdditive({ aggregate }: Measure): boolean {
  return aggregate === "sum" || aggregate === "count";
}

const WORDS: Record<Aggregate, (t: Words, name: string) => string> = {
  sum: (t, name) => t`Sum of ${name}`,
  avg: (t, name) => t`Average of ${name}`,
  count: (t, name) => t`Count of ${name}`,
  distinct: (t, name) => t`Different values of ${name}`,
  min: (t, name) => t`Smallest ${name}`,
  max: (t, name) => t`Largest ${name}`,
  median: (t, name) => t`Median of ${name}`,
};

/** How a number is called, by the exact name of its field, whoever looks. */
export function labelOf({ field, aggregate }: Measure): string {
  const t = wordsIn("en");
  return field === null ? t`Count` : WORDS[aggregate](t, field.name);
}

/** The same for people; where each row is drawn by itself, nothing was put together. */
export function captionOf({ field, aggregate }: Measure, isSingle: boolean, t: Words): string {
  if (field === null) return t`Count`;
  if (isSingle && aggregate !== "count" && aggregate !== "distinct") return readable(field.name);
  return WORDS[aggregate](t, spaced(field.name));
}

function spaced(name: string): string {
  return name.replaceAll(/_+/g, " ").trim() || name;
}

/** A name of a field as people would write it: `total_bill` is Total bill. */
export function readable(name: string): string {
  const words = spaced(name);
  return /^[a-z][a-z0-9 ]*$/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
