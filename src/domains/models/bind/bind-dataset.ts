import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Column } from "../../data/index.ts";
import { pathTo } from "../format/index.ts";
import { type Field, type ModelDataset, type Problem, sqlOf } from "../model.ts";
import type { Engine } from "./engine.ts";
import { readExpression } from "./expression.ts";
import { orReason } from "./reason.ts";

export interface BoundField {
  field: Field;
  type: string;
  /** How it is computed; null when it is the column of the same name. */
  sql: string | null;
}

/** The view of one dataset of a model, for whoever sees these columns of what lies below it. */
export interface BoundDataset {
  /** What stands between SELECT and FROM. */
  items: string;
  fields: BoundField[];
  /** Everything that the view shows: fields first, then columns that keys, relationships and metrics need. */
  columns: Column[];
  /** What could not be bound; it is not in the view. */
  problems: Problem[];
}

const SHOWN_COLUMNS = 40;
/** Computed fields that are put to the engine in one statement. */
const TOGETHER = 50;

interface Item {
  name: string;
  sql: string;
  field?: Field;
  isColumn: boolean;
}

/**
 * Makes the view of a dataset over `columns`. Of computed fields the engine itself says what fits: some at once, and
 * one by one if that fails, so that one broken field does not take the others with it.
 */
export async function bindDataset(
  dataset: ModelDataset,
  columns: readonly Column[],
  extras: readonly string[],
  engine: Engine,
): Promise<BoundDataset> {
  const { items, problems } = await readItems(dataset, columns, extras, engine);
  const types = new Map<Item, string>();
  const byName = new Map(columns.map(({ name, type }) => [quoteName(name), type]));
  for (const item of items) {
    const type = byName.get(item.sql);
    if (type !== undefined) types.set(item, type);
  }
  const describe = async (some: readonly Item[]) => {
    const needed = items.filter((item) => types.has(item) && some.some((each) => isNamedBy(each)(item)));
    const found = await describeItems(dataset, [...needed, ...some], columns, engine);
    for (const [i, item] of some.entries()) types.set(item, found[needed.length + i]?.type ?? "VARCHAR");
  };
  const computed = items.filter((item) => !types.has(item));
  for (let at = 0; at < computed.length; at += TOGETHER) {
    const some = computed.slice(at, at + TOGETHER);
    if (!("reason" in (await orReason(describe(some))))) continue;
    for (const item of some) {
      const result = await orReason(describe([item]));
      if ("reason" in result) problems.push(brokenField(dataset, item, result.reason));
    }
  }
  const good = items.filter((item) => types.has(item));
  const typed = good.map((item) => ({ ...item, type: types.get(item) as string }));
  return {
    items: listOf(good),
    fields: typed.flatMap(({ field, type, sql, isColumn }) =>
      field === undefined ? [] : [{ field, type, sql: isColumn ? null : sql }],
    ),
    columns: typed.map(({ name, type }) => ({ name, type })),
    problems,
  };
}

/** The columns of some items beside a plain column of the source: an aggregate cannot stand there. */
async function describeItems(
  { name }: ModelDataset,
  items: readonly Item[],
  columns: readonly Column[],
  engine: Engine,
): Promise<Column[]> {
  const table = quoteName(name);
  const plain = `${table}.${quoteName(columns[0]?.name ?? "")}`;
  const select = `SELECT ${[...items.map(itemText), plain].join(", ")} FROM ${table}`;
  const types = (await engine.describe(select, new Map([[name, columns]]))).slice(0, -1);
  if (types.length === items.length) return types;
  throw new AppError("bad_request", "It is not one column but several.", {
    hint: "Write a field for each of them.",
  });
}

async function readItems(
  dataset: ModelDataset,
  columns: readonly Column[],
  extras: readonly string[],
  engine: Engine,
): Promise<{ items: Item[]; problems: Problem[] }> {
  const byName = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  const items: Item[] = [];
  const problems: Problem[] = [];
  for (const field of dataset.fields) {
    const sql = sqlOf(field.expression).trim();
    const column = columnNamed(dataset, field, sql, byName);
    if (column !== undefined) {
      const isColumn = column.toLowerCase() === field.name.toLowerCase();
      items.push({ name: field.name, sql: quoteName(column), field, isColumn });
      if (!isName(sql)) problems.push(unusedExpression(dataset, field));
      continue;
    }
    const item: Item = { name: field.name, sql, field, isColumn: false };
    if (isName(sql) && !items.some(({ name }) => name.toLowerCase() === unquoted(sql).toLowerCase())) {
      problems.push(missingColumn(dataset, item, columns));
      continue;
    }
    const read = await orReason(readExpression(sql, engine.serialize));
    if ("value" in read) items.push(item);
    else problems.push(brokenField(dataset, item, read.reason));
  }
  const taken = new Set(dataset.fields.map(({ name }) => name.toLowerCase()));
  for (const extra of extras) {
    const column = byName.get(extra.toLowerCase());
    if (column !== undefined && !taken.has(extra.toLowerCase())) {
      items.push({ name: column, sql: quoteName(column), isColumn: true });
    }
  }
  return { items, problems };
}

/** The column that a field simply is. A view query already gives the fields their names. */
function columnNamed(
  { viewQuery }: ModelDataset,
  field: Field,
  sql: string,
  columns: ReadonlyMap<string, string>,
): string | undefined {
  if (viewQuery !== null && columns.has(field.name.toLowerCase()))
    return columns.get(field.name.toLowerCase());
  return isName(sql) ? columns.get(unquoted(sql).toLowerCase()) : undefined;
}

function isName(sql: string): boolean {
  return /^(?:[A-Za-z_][A-Za-z0-9_]*|"(?:[^"]|"")+")$/.test(sql);
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** An expression may end in a comment, so what follows it stands on a line of its own. */
function itemText({ sql, name, isColumn }: Item): string {
  return isColumn ? `${sql} AS ${quoteName(name)}` : `(${sql}\n) AS ${quoteName(name)}`;
}

function listOf(items: readonly Item[]): string {
  return items.length === 0 ? "NULL AS nothing" : items.map(itemText).join(", ");
}

/** Fields may be computed from fields before them. */
function isNamedBy({ sql }: Item): (other: Item) => boolean {
  const text = sql.toLowerCase();
  return ({ name }) => text.includes(name.toLowerCase());
}

function brokenField({ name: dataset }: ModelDataset, { name, sql }: Item, reason: string): Problem {
  const isAggregate = /must appear in the GROUP BY clause/.test(reason);
  const message = `The field ${name} of ${dataset} cannot be computed as ${sql}`;
  return {
    severity: "error",
    message: isAggregate ? `${message}, which makes one value of many rows.` : `${message}: ${reason}`,
    hint: isAggregate
      ? "A field is computed for each row; make this a metric."
      : "Compare its expression with the columns of the dataset.",
    path: pathTo("datasets", dataset, "fields", name),
  };
}

function unusedExpression({ name: dataset }: ModelDataset, { name }: Field): Problem {
  return {
    severity: "warning",
    message: `The view query of ${dataset} has a column ${name}, so the expression of that field is not used.`,
    hint: "Compute it in the view query, or give the field another name.",
    path: pathTo("datasets", dataset, "fields", name),
  };
}

function missingColumn(
  { name: dataset, source }: ModelDataset,
  { name, sql }: Item,
  columns: readonly Column[],
): Problem {
  const known = columns.map((column) => column.name);
  const match = nearest(unquoted(sql), known);
  const all = `It has: ${known.slice(0, SHOWN_COLUMNS).join(", ")}${known.length > SHOWN_COLUMNS ? " …" : "."}`;
  return {
    severity: "error",
    message: `The field ${name} of ${dataset} is the column ${unquoted(sql)}, which ${source} does not have.`,
    hint: match === undefined ? all : `Did you mean ${match}?`,
    path: pathTo("datasets", dataset, "fields", name),
  };
}
