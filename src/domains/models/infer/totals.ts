import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { ask, type ColumnProfile, type Looking, type Profile } from "./profile.ts";
import { roleOf } from "./roles.ts";

/** Rows with this value are sums of the other ones: "All natural disasters" beside each of them. */
export interface TotalRows {
  column: string;
  value: string;
}

/** Columns that are looked at: what may hold such a value, and what would be summed up. */
const COLUMNS = 6;
const MEASURES = 3;
const FEWEST_VALUES = 3;
/** What a sum may differ from its parts by rounding: more where the value is called one. */
const TOLERANCE = { called: 0.005, other: 1e-9 };
/** The share of groups in which it has to fit. */
const FITTING = 0.9;
/** Groups that show it whatever the value is called. */
const FEWEST_GROUPS = 5;
const CALLED =
  /^(?:all|total|totals|grand total|overall|sum|world|worldwide|global|nationwide|gesamt|insgesamt|summe|alle|welt)(?:\P{L}|$)|\P{L}(?:total|gesamt|insgesamt)$/iu;
/** A value that goes into a sentence is no sentence itself. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N} ,&()'/-]{0,59}$/u;

/** Values whose rows are the sums of all others in every group of the rest. */
export async function totalRowsOf(
  looking: Looking,
  profile: Profile,
  key: readonly string[],
): Promise<TotalRows[]> {
  const measures = profile.columns.filter((column) => roleOf(column) === "amount").slice(0, MEASURES);
  const texts = profile.columns.filter((column) => mayHold(column, profile)).slice(0, COLUMNS);
  if (profile.isSample || measures.length === 0 || texts.length === 0) return [];
  const { visible: _, ...view } = await looking.data.tableView(looking.caller, profile.dataset, "looked");
  const pairs = texts.flatMap((text) => measures.map((measure) => ({ text, measure })));
  const sums = pairs.map(({ text, measure }, i) => {
    const [name, number] = [quoteName(text.name), quoteName(measure.name)];
    return `(SELECT ${i}, v, x, sum(x) OVER () FROM (SELECT ${name} AS v, sum(CAST(${number} AS DOUBLE)) AS x FROM looked GROUP BY 1) ORDER BY x DESC NULLS LAST LIMIT 1)`;
  });
  const rows = await ask(looking, [view], sums.join(" UNION ALL "));
  const found: TotalRows[] = [];
  for (const [i, value, sum, all] of rows) {
    const { text, measure } = pairs[Number(i)] as (typeof pairs)[number];
    const isKnown = found.some(({ column }) => column === text.name);
    if (isKnown || typeof value !== "string" || !PLAIN.test(value) || !isHalf(Number(sum), Number(all)))
      continue;
    const groups = profile.columns.filter(({ name }) => name !== text.name && key.includes(name));
    const tolerance = TOLERANCE[CALLED.test(value) ? "called" : "other"];
    const sql = fitSql(text, measure, groups, { value, tolerance });
    const [[several, fitting] = []] = await ask(looking, [view], sql);
    const isFit = Number(fitting) >= FITTING * Number(several) && Number(several) > 0;
    if (isFit && (CALLED.test(value) || Number(several) >= FEWEST_GROUPS))
      found.push({ column: text.name, value });
  }
  return found;
}

function mayHold(column: ColumnProfile, { rows }: Profile): boolean {
  return roleOf(column) === "text" && column.distinct >= FEWEST_VALUES && column.distinct <= rows;
}

/** The value's sum is that of all the others. */
function isHalf(sum: number, all: number): boolean {
  return sum > 0 && Math.abs(2 * sum - all) <= TOLERANCE.called * all;
}

/** How many groups of the rest there are, and in how many of them the value's rows are the sum of the others. */
function fitSql(
  text: ColumnProfile,
  measure: ColumnProfile,
  groups: readonly ColumnProfile[],
  { value, tolerance }: { value: string; tolerance: number },
): string {
  const [name, number] = [quoteName(text.name), `CAST(${quoteName(measure.name)} AS DOUBLE)`];
  const isTotal = `${name} = ${quoteText(value)}`;
  const by =
    groups.length === 0 ? "" : ` GROUP BY ${groups.map((group) => quoteName(group.name)).join(", ")}`;
  const sums = `SELECT sum(${number}) FILTER (WHERE ${isTotal}) AS whole, coalesce(sum(${number}) FILTER (WHERE NOT ${isTotal}), 0) AS parts FROM looked${by}`;
  return `SELECT count(*), count(*) FILTER (WHERE abs(whole - parts) <= ${tolerance} * greatest(abs(whole), 1)) FROM (${sums}) WHERE whole IS NOT NULL`;
}

/** As a model says it to whoever answers questions by it. */
export function totalSentence(dataset: string, field: string, value: string): string {
  return `In ${dataset}, ${field} "${value}" is the total of the others.`;
}
