import { dateOf, type Filter, filtersOf, fitText, isNumeric, usualOf } from "./charts.ts";
import type { Column, DatasetInfo, Inventory } from "./inventory.ts";
import { AskBack } from "./plan.ts";
import { AGGREGATE_WORDS, comparisonIn, formsOf, GRAIN_WORDS, keyOf } from "./words.ts";

const NOISE =
  /\b(?:waits?|takes?|for|its|on|in|comes?|arrives?|eingeh\w*|eintreff\w*|wartet|dauert|single|there (?:is|are)|a drop in|a rise in|drops?|falls?|rises?|sinks?|goes|climbs?|is|are|to|the|any|gets?|come|kommen|fällt|fallen|sinkt|steigt|steigen|ist|sind|liegt|an einem tag|am tag|es|gibt|a day|per day|less|than)\b/gi;

/** "daily orders drop below 10" as C9QL whose rows are there when it is so. */
export async function bestCondition(
  text: string,
  inventory: Inventory,
  assumptions: string[],
): Promise<{ dataset: DatasetInfo; c9ql: string; says: string }> {
  const compared = comparisonIn(text);
  if (compared === undefined)
    throw new AskBack(`When exactly? “${text}” names no number to compare with.`, [
      "… drop below 50",
      "… is more than 100",
    ]);
  if (
    /\d\s*(?:%|percent|prozent)/i.test(text) &&
    /\b(?:by|um|over|compared|than (?:last|the)|gegenüber|vergleich)\b/i.test(text)
  )
    throw new AskBack(
      "Changes against an earlier time cannot be watched yet. Below or above which number should it tell you?",
      ["… drop below 50000 a week"],
    );
  let rest = text.replace(compared.said, " ");
  const grain = GRAIN_WORDS.find(([pattern]) => pattern.test(rest));
  rest = rest.replace(grain?.[0] ?? /$^/, " ");
  const aggregated = AGGREGATE_WORDS.find(([pattern]) => pattern.test(rest));
  rest = rest.replace(aggregated?.[0] ?? /$^/, " ").replace(NOISE, " ");
  const fit = fitText(rest, await inventory.datasets());
  const { dataset, measures } = fit;
  const filters = await filtersOf(fit, inventory);
  const date = dateOf(dataset);
  if (isOfOneRow(text, dataset))
    return rowCondition({ dataset, measures, filters, date }, compared, assumptions);
  const [column] = measures;
  const aggregate =
    column === undefined ? "count" : (aggregated?.[1] ?? (isRate(column.name) ? "avg" : "sum"));
  const field = column === undefined ? "*" : quoted(column.name);
  const { period, words } = periodFor(aggregate, grain?.[1]);
  const conditions = [
    ...filters.map(conditionOf),
    ...(date === undefined
      ? []
      : [
          `${quoted(date.name)} >= ${period.from}`,
          ...(period.to === undefined ? [] : [`${quoted(date.name)} < ${period.to}`]),
        ]),
  ];
  if (date !== undefined && grain === undefined) assumptions.push(`It is looked at ${words}.`);
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  const { comparison, value } = compared;
  return {
    dataset,
    c9ql: `select ${aggregate}(${field}) as value${where}; select * where value ${comparison} ${value}`,
    says: `${aggregate === "count" ? `the number of rows of ${dataset.name}` : `${aggregate} of ${column?.name}`}${filters.map(({ value: of }) => `, ${[of].flat().join(", ")}`).join("")}${date === undefined ? "" : ` ${words}`} is ${comparison} ${value}`,
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
  { comparison, value }: { comparison: string; value: number },
  assumptions: string[],
): { dataset: DatasetInfo; c9ql: string; says: string } {
  const column = measures[0] ?? usualOf(dataset);
  if (column === undefined)
    throw new AskBack(
      `Which number of ${dataset.name} do you mean?`,
      dataset.columns.filter(isNumeric).map(({ name }) => name),
    );
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

/** A sum is of the last day that is over, an average of a month, unless it is said otherwise. */
function periodFor(
  aggregate: string,
  grain: string | undefined,
): { period: { from: string; to?: string }; words: string } {
  if (grain === "week")
    return { period: { from: "$c9_lastweek", to: "$c9_thisweek" }, words: "over the last full week" };
  if (grain === "month")
    return { period: { from: "$c9_lastmonth", to: "$c9_thismonth" }, words: "over the last full month" };
  if (grain === undefined && (aggregate === "avg" || aggregate === "min" || aggregate === "max"))
    return { period: { from: "$c9_today-30d" }, words: "over the last 30 days" };
  return { period: { from: "$c9_yesterday", to: "$c9_today" }, words: "over the last full day" };
}

function isRate(name: string): boolean {
  return /rate|ratio|share|percent|price|score|satisfaction|average|avg|hours/i.test(name);
}

function conditionOf({ field, value }: Filter): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return Array.isArray(value)
    ? `${quoted(field)} in (${value.map(literal).join(", ")})`
    : `${quoted(field)} = ${literal(value)}`;
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
