import { quoteName } from "../../../kernel/sql-text.ts";
import type { QueryAnswer } from "../../models/index.ts";
import { kindOf } from "../query/schema.ts";
import type { Knowledge } from "./build-knowledge.ts";

type VisibleDataset = Knowledge["model"]["datasets"][number];

/** What was counted in one field, over the rows that this caller sees. */
export interface FieldProfile {
  ds: string;
  field: string;
  rows: number;
  filled: number;
  distinct: number;
  /** Of numbers. */
  min: number | null;
  max: number | null;
  isWhole: boolean;
}

/** Fields that are counted by one statement. */
const TOGETHER = 24;
const FACTS = 5;

/** How many values the fields of a dataset have, and between which bounds its numbers are. */
export async function readProfiles(
  { name: ds, fields }: VisibleDataset,
  query: (sql: string, rows: number) => Promise<QueryAnswer | { rows: never[] }>,
): Promise<FieldProfile[]> {
  const found: FieldProfile[] = [];
  for (let at = 0; at < fields.length; at += TOGETHER) {
    const some = fields.slice(at, at + TOGETHER);
    const facts = some.flatMap(({ name, type, isTime }) =>
      factsOf(quoteName(name), kindOf(type, isTime) === "number"),
    );
    const sql = `SELECT count(*), ${facts.join(", ")} FROM ${quoteName(ds)}`;
    const [[rows = 0, ...row] = []] = (await query(sql, 1)).rows;
    found.push(
      ...some.map(({ name }, i) => {
        const [filled, distinct, min, max, odd] = row.slice(i * FACTS, (i + 1) * FACTS);
        const bound = (value: unknown) => (typeof value === "number" ? value : null);
        return {
          ds,
          field: name,
          rows: Number(rows),
          filled: Number(filled ?? 0),
          distinct: Number(distinct ?? 0),
          min: bound(min),
          max: bound(max),
          isWhole: odd === 0,
        };
      }),
    );
  }
  return found;
}

function factsOf(name: string, isNumber: boolean): string[] {
  const number = `CAST(${name} AS DOUBLE)`;
  const bounds = [
    `min(${number})`,
    `max(${number})`,
    `count(*) FILTER (WHERE ${number} <> floor(${number}))`,
  ];
  return [
    `count(${name})`,
    `approx_count_distinct(${name})`,
    ...(isNumber ? bounds : ["NULL", "NULL", "NULL"]),
  ];
}
