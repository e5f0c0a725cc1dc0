import { quoteName } from "../../../kernel/sql-text.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask } from "../query/semantic-query.ts";
import { type Column, distinctNames, keyName, orderBy } from "./columns.ts";
import { RowCompiler } from "./row-compiler.ts";
import type { Used } from "./rows.ts";
import type { Series } from "./series.ts";
import { compileEach, compileTable } from "./table.ts";

export interface Compiled {
  sql: string;
  columns: Column[];
  used: Used;
  /** The periods that its rows are told apart by, also those without any. */
  series?: Series | undefined;
}

/** SQL in DuckDB's dialect over the views of the model; throws a CompileError where the model cannot carry it. */
export function compile(schema: Schema, ask: Ask): Compiled {
  const rows: RowCompiler = new RowCompiler(schema, (each) => compileEach(rows, each));
  const compiled = ask.k === "list" ? compileList(rows, ask) : compileTable(rows, ask);
  return { ...compiled, used: rows.used };
}

/** Each entity once: by its key, or by what is shown where a dataset has none. */
function compileList(
  compiler: RowCompiler,
  ask: Extract<Ask, { k: "list" }>,
): { sql: string; columns: Column[] } {
  const rows = compiler.rows(ask.rel);
  const names = distinctNames(ask.show.map(keyName));
  const shown = ask.show.map((key, i) => `${rows.column(key)} AS ${quoteName(names[i] as string)}`);
  const order = (ask.order ?? []).map(({ by, dir }) => ({ sql: compiler.operand(rows, by), dir }));
  const limit = ask.limit === undefined ? "" : ` LIMIT ${ask.limit}`;
  const columns = ask.show.map((of, i) => ({ name: names[i] as string, of }));
  if (compiler.dataset(rows.ds).isKeyed && ask.distinct !== true) {
    const sql = `SELECT ${shown.join(", ")} ${rows.from()}${orderBy(order)}${limit}`;
    return { sql, columns };
  }
  const hidden = order.map(({ sql }, i) => `${sql} AS order_${i + 1}`);
  const inner = `SELECT DISTINCT ${[...shown, ...hidden].join(", ")} ${rows.from()}`;
  if (order.length === 0) return { sql: `${inner}${limit}`, columns };
  const outer = order.map(({ dir }, i) => ({ sql: `order_${i + 1}`, dir }));
  const all = names.map(quoteName).join(", ");
  return { sql: `SELECT ${all} FROM (${inner}) AS entities${orderBy(outer)}${limit}`, columns };
}
