import { clip } from "../../../kernel/clip.ts";
import type { Expression } from "../model.ts";
import { list, object, type Reader, text } from "./readers.ts";

export type Dialect = Expression["dialects"][number];

/** The dialects that the format knows. Others, such as DUCKDB, are written to an extension of ours. */
const FORMAT_DIALECTS = new Set("ANSI_SQL SNOWFLAKE MDX TABLEAU DATABRICKS MAQL BIGQUERY".split(" "));

/** Expressions in dialects, each once. */
export const dialects: Reader<Dialect[]> = (tree, spot) => {
  const read = list("The dialects", dialectExpression)(tree, spot) ?? [];
  const found = new Map<string, Dialect>();
  for (const { dialect, expression } of read) {
    const name = dialect.toUpperCase();
    if (found.has(name)) spot.warn(`There are two expressions for ${clip(name)}: the first one counts.`);
    else found.set(name, { dialect: name, expression });
  }
  return [...found.values()];
};

const dialectFields = object("An expression in a dialect", {
  dialect: { read: text, isNeeded: true },
  expression: { read: text, isNeeded: true },
});

const dialectExpression: Reader<Dialect> = (tree, spot) => {
  const { dialect, expression } = dialectFields(tree, spot) ?? {};
  return dialect === undefined || expression === undefined ? undefined : { dialect, expression };
};

const expressionFields = object("An expression", { dialects: { read: dialects, isNeeded: true } });

/** `{ dialects: […] }`, or in older files the SQL itself. */
export const expression: Reader<Dialect[]> = (tree, spot) => {
  if (tree.kind === "map") return expressionFields(tree, spot)?.dialects ?? [];
  const sql = text(tree, spot);
  return sql === undefined ? [] : [{ dialect: "ANSI_SQL", expression: sql }];
};

/** The one order in which we keep dialects: those of the format first. See `writtenDialects`. */
export function keptDialects(all: readonly Dialect[]): Dialect[] {
  const { inFormat, others } = split(all);
  const isStandIn =
    inFormat.length === 1 &&
    inFormat[0]?.dialect === "ANSI_SQL" &&
    inFormat[0].expression === others[0]?.expression;
  return isStandIn ? others : [...inFormat, ...others];
}

/** The format wants an expression in a dialect of its own: where there is none, ours stands in for it. */
export function writtenDialects(all: readonly Dialect[]): { inFormat: Dialect[]; others: Dialect[] } {
  const { inFormat, others } = split(all);
  if (inFormat.length > 0 || others[0] === undefined) return { inFormat, others };
  return { inFormat: [{ dialect: "ANSI_SQL", expression: others[0].expression }], others };
}

function split(all: readonly Dialect[]): { inFormat: Dialect[]; others: Dialect[] } {
  return {
    inFormat: all.filter(({ dialect }) => FORMAT_DIALECTS.has(dialect)),
    others: all.filter(({ dialect }) => !FORMAT_DIALECTS.has(dialect)),
  };
}
