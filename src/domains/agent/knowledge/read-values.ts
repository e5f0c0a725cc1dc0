import { type ErrorCode, isAppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { QueryAnswer } from "../../models/index.ts";
import { LIMITS } from "../limits.ts";
import { periodEnd } from "../phases/data-period.ts";
import { type DataPeriod, kindOf } from "../query/schema.ts";
import type { FieldValues, Knowledge } from "./build-knowledge.ts";

type VisibleDataset = Knowledge["model"]["datasets"][number];

/** Runs SQL, and reads at most so many rows. */
type Query = (sql: string, rows: number) => Promise<QueryAnswer>;

/** Fields that are read by one statement. */
const TOGETHER = 16;
/** Failures of a dataset that is too large, or of values that cannot be computed. */
const TOO_MUCH: readonly ErrorCode[] = ["timeout", "too_large", "bad_request"];
/** One more tells whether there are more. */
const MOST = LIMITS.agent.valuesPerField + 1;

/** A dataset of more text fields than this is read in one pass for many of them: naming it takes as long as reading it. */
const WIDE = 64;
const TOGETHER_WIDE = 128;
/** Values of a field that are read of a wide dataset at least. */
const FEWEST_WIDE = 40;

/** The values of a dataset's text fields, the most frequent first. */
export async function readValues(dataset: VisibleDataset, query: Query): Promise<FieldValues[]> {
  const found: FieldValues[] = [];
  const fields = textFields(dataset);
  if (fields.length > WIDE) return readWide(dataset.name, fields, query);
  for (let i = 0; i < fields.length; i += TOGETHER) {
    found.push(...(await readFields(dataset.name, fields.slice(i, i + TOGETHER), query)));
  }
  return found;
}

/** From when to when there are dates, for each field of them; those of whole months and years count up to their ends. */
export async function readPeriods(
  { name: ds, fields: all }: VisibleDataset,
  query: Query,
): Promise<DataPeriod[]> {
  const fields = all.filter(({ type, isTime }) => kindOf(type, isTime) === "date").map(({ name }) => name);
  if (fields.length === 0) return [];
  const facts = fields.map((field) => `CAST(${quoteName(field)} AS DATE)`).map(factsOf);
  const sql = `SELECT ${facts.flat().join(", ")} FROM ${quoteName(ds)}`;
  const [row = []] = (await query(sql, 1).catch(unlessTooMuch)).rows;
  return fields.flatMap((field, i) => {
    const [first, last, isMonthly, isYearly] = row.slice(i * FACTS);
    if (typeof first !== "string" || typeof last !== "string") return [];
    const grain = isYearly === true ? "year" : isMonthly === true ? "month" : "day";
    const end = Date.parse(periodEnd(last, grain)) - DAY_MS;
    return [{ ds, field, first: first.slice(0, 10), last: new Date(end).toISOString().slice(0, 10) }];
  });
}

const DAY_MS = 86_400_000;
const FACTS = 4;

/** Days that are no days of a calendar (infinity, years before Christ) say nothing of when there are data. */
function factsOf(day: string): string[] {
  const facts = [
    `min(${day})`,
    `max(${day})`,
    `bool_and(day(${day}) = 1)`,
    `bool_and(dayofyear(${day}) = 1)`,
  ];
  return facts.map((fact) => `${fact} FILTER (WHERE year(${day}) BETWEEN 1 AND 9998)`);
}

/** As many of each as all of them have room for. */
async function readWide(ds: string, all: readonly string[], query: Query): Promise<FieldValues[]> {
  const { values: room, valuesPerField } = LIMITS.agent;
  const most = Math.min(valuesPerField, Math.max(FEWEST_WIDE, Math.floor(room / all.length)));
  const found: FieldValues[] = [];
  for (let i = 0; i < all.length; i += TOGETHER_WIDE) {
    const fields = all.slice(i, i + TOGETHER_WIDE);
    const read = query(wideSql(ds, fields, most + 1), (most + 1) * fields.length);
    found.push(...valuesOf(ds, fields, await read.catch(unlessTooMuch), most));
  }
  return found;
}

/** All at once, or one by one where they do not fit into one answer. */
async function readFields(ds: string, fields: readonly string[], query: Query): Promise<FieldValues[]> {
  const parts = fields.map((field, i) => `(${valuesSql(ds, field, i)})`);
  const read = query(parts.join(" UNION ALL "), MOST * fields.length);
  const answer = await read.catch(unlessTooMuch);
  if (answer.isTruncated && answer.rows.length > 0 && fields.length > 1) {
    const each: FieldValues[] = [];
    for (const field of fields) each.push(...(await readFields(ds, [field], query)));
    return each;
  }
  return valuesOf(ds, fields, answer, LIMITS.agent.valuesPerField);
}

type Values = Pick<QueryAnswer, "rows" | "isTruncated">;

/** Without its values a dataset can still be asked about: only they cannot be named. */
export function unlessTooMuch(error: unknown): { rows: never[]; isTruncated: true } {
  if (isAppError(error) && TOO_MUCH.includes(error.code)) return { rows: [], isTruncated: true };
  throw error;
}

function valuesOf(
  ds: string,
  fields: readonly string[],
  { rows, isTruncated }: Values,
  most: number,
): FieldValues[] {
  const values = fields.map((): string[] => []);
  for (const [i, value] of rows) {
    if (typeof i === "number" && typeof value === "string") values[i]?.push(value);
  }
  return fields.map((field, i) => {
    const all = values[i] ?? [];
    const kept = all.slice(0, most);
    return { ds, field, values: kept, isCut: isTruncated || kept.length < all.length };
  });
}

/** What the author calls a dimension comes first; any other short text can be named as well. */
function textFields({ fields }: VisibleDataset): string[] {
  const texts = fields.filter(({ type, isTime }) => kindOf(type, isTime) === "text");
  const isDimension = ({ isTime }: VisibleDataset["fields"][number]) => isTime === false;
  return [...texts.filter(isDimension), ...texts.filter((field) => !isDimension(field))].map(
    ({ name }) => name,
  );
}

function valuesSql(dataset: string, field: string, index: number): string {
  const text = `CAST(${quoteName(field)} AS VARCHAR)`;
  const isShort = `length(${text}) BETWEEN 1 AND ${LIMITS.agent.valueCharacters}`;
  return `SELECT ${index} AS field, ${text} AS value FROM ${quoteName(dataset)} WHERE ${isShort} GROUP BY ${text} ORDER BY count(*) DESC, ${text} LIMIT ${MOST}`;
}

/** Names the dataset once, however many fields there are. */
function wideSql(dataset: string, fields: readonly string[], most: number): string {
  const texts = fields.map((field) => `CAST(${quoteName(field)} AS VARCHAR)`).join(", ");
  const pairs = `SELECT unnest([${fields.map((_, i) => i).join(", ")}]) AS field, unnest([${texts}]) AS value FROM ${quoteName(dataset)}`;
  const place = "row_number() OVER (PARTITION BY field ORDER BY count(*) DESC, value)";
  const isShort = `length(value) BETWEEN 1 AND ${LIMITS.agent.valueCharacters}`;
  const placed = `SELECT field, value, ${place} AS place FROM (${pairs}) AS pairs WHERE ${isShort} GROUP BY field, value`;
  return `SELECT field, value FROM (${placed}) AS placed WHERE place <= ${most} ORDER BY field, place`;
}
