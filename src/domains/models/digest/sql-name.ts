import { quoteName } from "../../../kernel/sql-text.ts";

/** The words that DuckDB takes for something else than a column; `sql-name.test.ts` asks it. */
const KEYWORDS = new Set(
  `all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check
  collate collation column columns concurrently constraint create cross default deferrable desc describe distinct
  do else end except false fetch for foreign freeze from full generated glob group having ilike in initially inner
  intersect into is isnull join lambda lateral leading left like limit map natural not notnull null offset on only
  or order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning
  right select semi show similar some struct summarize symmetric table tablesample then to trailing true try_cast
  union unique unpack unpivot using variadic verbose when where window with`.split(/\s+/),
);

/** A name as it is written in SQL: quoted only where it must be, since quotes cost tokens. */
export function sqlName(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/i.test(name) && !KEYWORDS.has(name.toLowerCase());
  return isPlain ? name : tableName(name);
}

/** A dataset's name for FROM: always quoted, so that it stands out as the name of a table. */
export function tableName(name: string): string {
  // A line break in a name cannot be shown on one line; everything else is kept as it is.
  return quoteName(name.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, " "));
}
