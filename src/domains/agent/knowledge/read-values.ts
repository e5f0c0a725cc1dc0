import { type ErrorCode, isAppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { QueryAnswer } from "../../models/index.ts";
import { LIMITS } from "../limits.ts";
import { kindOf } from "../query/schema.ts";
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

/** The values of a dataset's text fields, the most frequent first. */
export async function readValues(dataset: VisibleDataset, query: Query): Promise<FieldValues[]> {
  const found: FieldValues[] = [];
  const fields = textFields(dataset);
  for (let i = 0; i < fields.length; i += TOGETHER) {
    found.push(...(await readFields(dataset.name, fields.slice(i, i + TOGETHER), query)));
  }
  return found;
}

/** All at once, or one by one where they do not fit into one answer. */
async function readFields(ds: string, fields: readonly string[], query: Query): Promise<FieldValues[]> {
  const parts = fields.map((field, i) => `(${valuesSql(ds, field, i)})`);
  const read = query(parts.join(" UNION ALL "), MOST * fields.length);
  const { rows, isTruncated } = await read.catch((error) => {
    // Without its values a dataset can still be asked about: only they cannot be named.
    if (isAppError(error) && TOO_MUCH.includes(error.code)) return { rows: [], isTruncated: true };
    throw error;
  });
  if (isTruncated && rows.length > 0 && fields.length > 1) {
    const each: FieldValues[] = [];
    for (const field of fields) each.push(...(await readFields(ds, [field], query)));
    return each;
  }
  const values = fields.map((): string[] => []);
  for (const [i, value] of rows) {
    if (typeof i === "number" && typeof value === "string") values[i]?.push(value);
  }
  return fields.map((field, i) => {
    const all = values[i] ?? [];
    const kept = all.slice(0, LIMITS.agent.valuesPerField);
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
