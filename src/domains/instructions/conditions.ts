import { bestFit, dateOf, type Filter, isNumeric, saidIn, usualOf } from "./fitting.ts";
import type { Column, DatasetInfo, Inventory } from "./inventory.ts";
import { AskBack } from "./plan.ts";
import { Reader, words } from "./reader.ts";
import {
  AGGREGATES,
  type Compared,
  formsOf,
  GRAINS,
  keyOf,
  type Period,
  takeComparison,
  takePeriod,
} from "./words.ts";

/** Words of movement, which the comparison has in it already. */
const NOISE = words(
  "rutsch~|kletter~|stürz~|absack~|slips?|dips?|plunges?|any|irgende[ein]~|waits?|takes?|comes?|come|coming|arrives?|arrive|eingeh~|eintreff~|reinkomm~|rein|herein~|kommt|kommen|wartet|dauert|single|einzeln~|drops?|falls?|fall|rises?|sinks?|goes|go|climbs?|gets?|get|dips?|fällt|fallen|sinkt|sinken|steigt|steigen|liegt|liegen|gibt|beträgt|bleibt|geht|gehen|ever|jemals|mal|value|wert|level|it|there|less|than|als|only|nur|noch|just|more|mehr|wir|we|back|a drop in|a rise in|customers?' ",
);
const CHANGES = words(
  "by|um|compared|against|over week|week over week|month over month|than (?:last|the)|gegenüber|im vergleich|vergleich|as usual|than usual|als sonst|als üblich",
);

/** "daily orders drop below 10" as C9QL whose rows are there when it is so. */
export async function bestCondition(
  text: string,
  inventory: Inventory,
  assumptions: string[],
  checked?: string,
): Promise<{ dataset: DatasetInfo; c9ql: string; says: string }> {
  const reader = new Reader(text);
  const isRelative = /\d\s*(?:%|percent|prozent)/i.test(text) && CHANGES.test(text);
  // What is looked at once a month is what the month came to.
  const grain = reader.oneOf(GRAINS) ?? (checked === "months" ? "month" : undefined);
  const compared = takeComparison(reader);
  const stretch = takePeriod(reader);
  if (compared === undefined && !isRelative)
    throw new AskBack(`When exactly? “${text}” names no number to compare with.`, [
      "… drop below 50",
      "… is more than 100",
    ]);
  if (compared === undefined || isRelative)
    throw new AskBack(
      "Changes against an earlier time cannot be watched yet. Below or above which number should it tell you?",
      ["… drop below 50000 a week"],
    );
  const aggregated = reader.oneOf(AGGREGATES);
  reader.takeAll(NOISE);
  const rest = reader.rest();
  const { fit, filters } = await bestFit(saidIn(rest), inventory, rest);
  const { dataset, measures } = fit;
  const date = dateOf(dataset);
  if (isOfOneRow(text, dataset))
    return rowCondition({ dataset, measures, filters, date }, compared, assumptions);
  const [column, ...more] = [...measures, ...(fit.against === undefined ? [] : [fit.against])];
  const [by, ...others] = fit.group === undefined ? fit.dims : [fit.group, ...fit.dims];
  const lost = [...more, ...others].map(({ name }) => name);
  if (lost.length > 0) throw new AskBack(`One number is watched at a time. What about ${lost.join(", ")}?`);
  const aggregate =
    column === undefined ? "count" : (aggregated ?? fit.aggregate ?? (isRate(column.name) ? "avg" : "sum"));
  const period = stretch ?? periodFor(aggregate, grain);
  if (date === undefined && (stretch ?? grain) !== undefined)
    throw new AskBack(`${dataset.name} has no dates. Which rows should be looked at?`);
  const conditions = filters.map(conditionOf);
  if (date !== undefined && period !== undefined) {
    conditions.push(`${quoted(date.name)} >= ${period.from}`);
    if (period.to !== undefined) conditions.push(`${quoted(date.name)} < ${period.to}`);
  }
  if (date !== undefined && (stretch ?? grain) === undefined)
    assumptions.push(
      period === undefined ? "It is looked at over all rows." : `It is looked at ${period.said}.`,
    );
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  const group = by === undefined ? ["", ""] : [`${quoted(by.name)}, `, ` group by ${quoted(by.name)}`];
  const { comparison, value } = compared;
  const number = `${aggregate}(${column === undefined ? "*" : quoted(column.name)}) as value`;
  const parts = [
    aggregate === "count" ? `the number of rows of ${dataset.name}` : `${aggregate} of ${column?.name}`,
    ...(by === undefined ? [] : [`of one ${by.name}`]),
    ...filters.map((each) => `, ${each.operator === "!=" ? "not " : ""}${[each.value].flat().join(", ")}`),
    ...(date === undefined || period === undefined ? [] : [period.said.trim()]),
  ];
  return {
    dataset,
    c9ql: `select ${group[0]}${number}${where}${group[1]}; select * where value ${comparison} ${value}`,
    says: `${parts.join(" ").replaceAll(" ,", ",")} is ${comparison} ${value}`,
  };
}

/** "a ticket", "any order", "ein Ticket": one row is meant, not what they come to together. */
function isOfOneRow(text: string, { name }: DatasetInfo): boolean {
  const noun =
    /\b(?:a|an|any|one|ein|eine[rsnm]?|jede[rsnm]?)\s+(?:single |new |neue[rsnm]? |einzelne[rsnm]? )?([\p{L}]+)/iu.exec(
      text,
    )?.[1];
  return noun !== undefined && formsOf(noun).some((form) => ` ${keyOf(name)}`.endsWith(` ${form}`));
}

/** Rows of late, each by itself. */
function rowCondition(
  {
    dataset,
    measures,
    filters,
    date,
  }: { dataset: DatasetInfo; measures: Column[]; filters: Filter[]; date: Column | undefined },
  { comparison, value }: Compared,
  assumptions: string[],
): { dataset: DatasetInfo; c9ql: string; says: string } {
  const column = measures[0] ?? usualOf(dataset);
  if (column === undefined)
    throw new AskBack(`Which number of ${dataset.name} do you mean?`, dataset.columns.filter(isNumeric));
  if (measures.length === 0) assumptions.push(`It is about ${column.name}.`);
  if (date !== undefined) assumptions.push("It looks at rows of today and yesterday.");
  const conditions = [
    `${quoted(column.name)} ${comparison} ${value}`,
    ...filters.map(conditionOf),
    ...(date === undefined ? [] : [`${quoted(date.name)} >= $c9_yesterday`]),
  ];
  return {
    dataset,
    c9ql: `select * where ${conditions.join(" and ")}`,
    says: `a row of ${dataset.name} has ${column.name} ${comparison} ${value}`,
  };
}

/** A sum is of the last day that is over, an average of all rows, unless it is said otherwise. */
function periodFor(aggregate: string, grain: string | undefined): Period | undefined {
  if (grain === undefined && /^(?:avg|min|max|median)$/.test(aggregate)) return undefined;
  if (grain === undefined || grain === "day")
    return { said: "over the last full day", from: "$c9_yesterday", to: "$c9_today" };
  return { said: `over the last full ${grain}`, from: `$c9_last${grain}`, to: `$c9_this${grain}` };
}

function isRate(name: string): boolean {
  return /rate|ratio|share|percent|price|score|satisfaction|average|avg|hours/i.test(name);
}

export function conditionOf({ field, operator, value }: Filter): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return Array.isArray(value)
    ? `${quoted(field)} in (${value.map(literal).join(", ")})`
    : `${quoted(field)} ${operator} ${literal(value)}`;
}

export function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
