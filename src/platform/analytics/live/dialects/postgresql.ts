import { quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { COMMON_FUNCTIONS } from "./common.ts";
import type { Dialect, Printed, SpanPart } from "./dialect.ts";

const TYPES: Readonly<Record<string, string>> = {
  ...{ BOOLEAN: "boolean", TINYINT: "smallint", SMALLINT: "smallint", INTEGER: "integer", BIGINT: "bigint" },
  ...{ UTINYINT: "smallint", USMALLINT: "integer", UINTEGER: "bigint", UBIGINT: "numeric(20,0)" },
  ...{ HUGEINT: "numeric(38,0)", UHUGEINT: "numeric(39,0)", FLOAT: "real", DOUBLE: "double precision" },
  ...{ VARCHAR: "text", DATE: "date", TIME: "time", TIMESTAMP: "timestamp", UUID: "uuid", JSON: "jsonb" },
  ...{ "TIMESTAMP WITH TIME ZONE": "timestamptz", INTERVAL: "interval", DECIMAL: "numeric" },
};

/** Redshift and CockroachDB speak it as well, but for some functions. */
export const POSTGRESQL: Dialect = {
  title: "PostgreSQL",
  quoteName,
  quoteText,
  typeName: (type) =>
    TYPES[type] ?? (/^DECIMAL\(\d+,\d+\)$/.test(type) ? type.replace("DECIMAL", "numeric") : undefined),
  column: ({ name, type }, native) => {
    const quoted = quoteName(name);
    if (native === "BLOB") return `translate(encode(${quoted}, 'base64'), chr(10), '')`;
    if (native === "INTERVAL") return `replace(replace(CAST(${quoted} AS text), '+', ''), 'mon', 'month')`;
    // Enums, fixed lengths, numbers without a scale and arrays are told as what they are stored as here.
    if (type === "VARCHAR") return `CAST(${quoted} AS text)`;
    if (type === "DOUBLE") return `CAST(${quoted} AS double precision)`;
    if (type === "JSON") return `to_jsonb(${quoted})`;
    return type === "UINTEGER" ? `CAST(${quoted} AS bigint)` : quoted;
  },
  cast: (value, type) => {
    const name = POSTGRESQL.typeName(type);
    if (name === undefined) return undefined;
    // A floating-point number keeps its point as text.
    if (type === "VARCHAR" && (value.type === "DOUBLE" || value.type === "FLOAT"))
      return `CASE WHEN ${value.sql} = trunc(${value.sql}) AND abs(${value.sql}) < 1e15 THEN CAST(CAST(${value.sql} AS numeric(30,1)) AS text) ELSE CAST(${value.sql} AS text) END`;
    return `CAST(${value.sql} AS ${name})`;
  },
  binary: (sql) => `${sql} COLLATE "C"`,
  divide: (a, b) => {
    const [from, by] = [`CAST(${a.sql} AS double precision)`, `CAST(${b.sql} AS double precision)`];
    const isSafe =
      /^nullif\(.*, 0(?:\.0)?\)$/s.test(b.sql) || (b.constant !== undefined && Number(b.constant) !== 0);
    // There a division by zero is an error, here it is infinite.
    return isSafe
      ? `${from} / ${by}`
      : `CASE WHEN ${by} = 0 THEN ${from} * float8 'Infinity' ELSE ${from} / ${by} END`;
  },
  addSpan: (moment, span, sign) => `${asMoment(moment)} ${sign} ${spanSql(span)}`,
  span: spanSql,
  daysBetween: (from, to) => `CAST(CAST(${to.sql} AS date) - CAST(${from.sql} AS date) AS bigint)`,
  order: ({ key, isDescending, isNullsFirst }) =>
    `${key.type === "VARCHAR" ? POSTGRESQL.binary(key.sql) : key.sql}${isDescending ? " DESC" : ""} NULLS ${isNullsFirst ? "FIRST" : "LAST"}`,
  isSame: (a, b) => `${a} IS NOT DISTINCT FROM ${b}`,
  filter: (call, condition) => `${call} FILTER (WHERE ${condition})`,
  unnest: (values, type, name) => {
    const items = values.map((value) =>
      value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`,
    );
    return `SELECT unnest(CAST(${quoteText(`{${items.join(",")}}`)} AS ${POSTGRESQL.typeName(type) ?? "text"}[])) AS ${quoteName(name)}`;
  },
  barrier: " OFFSET 0",
  hasGroupingSets: true,
  hasFullJoin: true,
  explain: "EXPLAIN ",
  functions: {
    ...COMMON_FUNCTIONS,
    "//": "div(CAST($1 AS numeric), nullif($2, 0))",
    "log/1": "log10(CAST($1 AS double precision))",
    log2: "(ln($1) / ln(2.0))",
    "round/1": "round(CAST($1 AS numeric))",
    round: "round(CAST($1 AS numeric), CAST($2 AS integer))",
    trunc: "trunc($1)",
    cbrt: "cbrt($1)",
    pi: "pi()",
    greatest: "greatest($*)",
    least: "least($*)",
    random: "random()",
    concat: "concat($*)",
    concat_ws: "concat_ws($*)",
    "||": "$1 || $2",
    substring: "substring($1, $2, $3)",
    "substring/2": "substring($1, $2)",
    substr: "substring($1, $2, $3)",
    "substr/2": "substring($1, $2)",
    left: "left($1, $2)",
    right: "right($1, $2)",
    lpad: "lpad($*)",
    rpad: "rpad($*)",
    strlen: "octet_length($1)",
    "trim/2": "btrim($1, $2)",
    "ltrim/2": "ltrim($1, $2)",
    "rtrim/2": "rtrim($1, $2)",
    ascii: "ascii($1)",
    chr: "chr($1)",
    md5: "md5($1)",
    contains: "(strpos($1, $2) > 0)",
    strpos: "strpos($1, $2)",
    instr: "strpos($1, $2)",
    starts_with: "starts_with($1, $2)",
    prefix: "starts_with($1, $2)",
    "^@": "starts_with($1, $2)",
    ends_with: "(right($1, char_length($2)) = $2)",
    suffix: "(right($1, char_length($2)) = $2)",
    split_part: "split_part($1, $2, $3)",
    "~~": "$1 LIKE $2 ESCAPE ''",
    "!~~": "$1 NOT LIKE $2 ESCAPE ''",
    "~~*": "$1 ILIKE $2 ESCAPE ''",
    "!~~*": "$1 NOT ILIKE $2 ESCAPE ''",
    like_escape: "$1 LIKE $2 ESCAPE $3",
    not_like_escape: "$1 NOT LIKE $2 ESCAPE $3",
    ilike_escape: "$1 ILIKE $2 ESCAPE $3",
    "regexp_matches/2": "($1 ~ $2)",
    "regexp_full_match/2": "($1 ~ ('^(?:' || $2 || ')$'))",
    avg: average,
    mean: average,
    favg: average,
    count_if: "count(CASE WHEN $1 THEN 1 END)",
    countif: "count(CASE WHEN $1 THEN 1 END)",
    approx_count_distinct: "count(DISTINCT $1)",
    median: "percentile_cont(0.5) WITHIN GROUP (ORDER BY $1)",
    quantile_cont: "percentile_cont($2) WITHIN GROUP (ORDER BY $1)",
    quantile_disc: "percentile_disc($2) WITHIN GROUP (ORDER BY $1)",
    approx_quantile: "percentile_cont($2) WITHIN GROUP (ORDER BY $1)",
    mode: "mode() WITHIN GROUP (ORDER BY $1)",
    stddev: "stddev_samp($1)",
    stddev_samp: "stddev_samp($1)",
    stddev_pop: "stddev_pop($1)",
    variance: "var_samp($1)",
    var_samp: "var_samp($1)",
    var_pop: "var_pop($1)",
    corr: "corr($1, $2)",
    covar_pop: "covar_pop($1, $2)",
    covar_samp: "covar_samp($1, $2)",
    bool_and: "bool_and($1)",
    bool_or: "bool_or($1)",
    any_value: "(array_agg($1) FILTER (WHERE $1 IS NOT NULL))[1]",
    arbitrary: "(array_agg($1) FILTER (WHERE $1 IS NOT NULL))[1]",
    first: "(array_agg($1))[1]",
    arg_max: "(array_agg($1 ORDER BY $2 DESC) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL))[1]",
    max_by: "(array_agg($1 ORDER BY $2 DESC) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL))[1]",
    arg_min: "(array_agg($1 ORDER BY $2) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL))[1]",
    min_by: "(array_agg($1 ORDER BY $2) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL))[1]",
    "string_agg/1": "string_agg(CAST($1 AS text), ',')",
    string_agg: "string_agg(CAST($1 AS text), $2)",
    list: "to_jsonb(array_agg($1))",
    array_agg: "to_jsonb(array_agg($1))",
    date_trunc: ([unit, moment]) => unit && moment && `date_trunc(${unit.sql}, ${asMoment(moment)})`,
    datetrunc: ([unit, moment]) => unit && moment && `date_trunc(${unit.sql}, ${asMoment(moment)})`,
    date_part: ([part, moment]) => part && moment && datePart(String(part.constant ?? ""), moment),
    datepart: ([part, moment]) => part && moment && datePart(String(part.constant ?? ""), moment),
    ...Object.fromEntries(
      Object.entries({
        ...{ year: "year", month: "month", quarter: "quarter", day: "day", dayofmonth: "day", hour: "hour" },
        ...{ minute: "minute", second: "second", week: "week", weekofyear: "week", dayofyear: "doy" },
        ...{ dayofweek: "dow", weekday: "dow", isodow: "isodow", isoyear: "isoyear", epoch: "epoch" },
      }).map(([name, part]) => [name, ([moment]: readonly Printed[]) => moment && datePart(part, moment)]),
    ),
    epoch_ms: "CAST(extract(epoch FROM $1) * 1000 AS bigint)",
    monthname: "to_char($1, 'FMMonth')",
    dayname: "to_char($1, 'FMDay')",
    last_day:
      "CAST(date_trunc('month', CAST($1 AS timestamp)) + interval '1 month' - interval '1 day' AS date)",
    make_date: "make_date(CAST($1 AS integer), CAST($2 AS integer), CAST($3 AS integer))",
    strftime: ([moment, format]) => {
      const pattern = typeof format?.constant === "string" ? charFormat(format.constant) : undefined;
      return pattern && moment && `to_char(${asMoment(moment)}, ${quoteText(pattern)})`;
    },
    date_diff: ([unit, from, to]) => unit && from && to && dateDiff(String(unit.constant ?? ""), from, to),
    datediff: ([unit, from, to]) => unit && from && to && dateDiff(String(unit.constant ?? ""), from, to),
  },
};

/** Of whole numbers by their exact sum, as in DuckDB: a numeric average has sixteen digits only. */
function average([value]: readonly Printed[]): string | undefined {
  if (value === undefined) return undefined;
  return /INT/.test(value.type)
    ? `avg(CAST(${value.sql} AS double precision))`
    : `CAST(avg(${value.sql}) AS double precision)`;
}

/** A date is no moment of the zone of a session. */
function asMoment(value: Printed): string {
  return value.type === "TIMESTAMP" || value.type === "TIMESTAMP WITH TIME ZONE"
    ? value.sql
    : `CAST(${value.sql} AS timestamp)`;
}

const UNITS = { MONTH: "months", DAY: "days", HOUR: "hours", MINUTE: "mins", SECOND: "secs" } as const;

function spanSql(span: readonly SpanPart[]): string {
  const parts = span.map(({ n, unit }) =>
    unit === "MICROSECOND" ? `secs => (${n}) / 1000000.0` : `${UNITS[unit]} => CAST(${n} AS integer)`,
  );
  return `make_interval(${parts.join(", ")})`;
}

const PARTS: Readonly<Record<string, string>> = Object.fromEntries(
  "year month quarter day hour minute week dow doy isodow isoyear decade century"
    .split(" ")
    .flatMap((part) => [
      [part, part],
      [`${part}s`, part],
    ])
    .concat([
      ["dayofweek", "dow"],
      ["weekday", "dow"],
      ["dayofyear", "doy"],
      ["weekofyear", "week"],
    ]),
);

function datePart(part: string, moment: Printed): string | undefined {
  const key = part.toLowerCase();
  if (key === "epoch") return `CAST(extract(epoch FROM ${moment.sql}) AS double precision)`;
  if (key === "second" || key === "seconds")
    return `CAST(floor(extract(second FROM ${moment.sql})) AS bigint)`;
  const name = PARTS[key];
  return name && `CAST(extract(${name} FROM ${moment.sql}) AS bigint)`;
}

/** Counts the limits between two moments, as DuckDB does. */
function dateDiff(unit: string, from: Printed, to: Printed): string | undefined {
  const key = unit.toLowerCase().replace(/s$/, "");
  const part = (name: string, of: Printed) => `extract(${name} FROM ${of.sql})`;
  const months = (of: Printed) => `(${part("year", of)} * 12 + ${part("month", of)})`;
  const quarters = (of: Printed) => `(${part("year", of)} * 4 + ${part("quarter", of)})`;
  const seconds = (grain: string) =>
    `extract(epoch FROM date_trunc('${grain}', ${asMoment(to)}) - date_trunc('${grain}', ${asMoment(from)}))`;
  switch (key) {
    case "year":
      return `CAST(${part("year", to)} - ${part("year", from)} AS bigint)`;
    case "quarter":
      return `CAST(${quarters(to)} - ${quarters(from)} AS bigint)`;
    case "month":
      return `CAST(${months(to)} - ${months(from)} AS bigint)`;
    case "week":
      return `CAST(${seconds("week")} / 604800 AS bigint)`;
    case "day":
      return POSTGRESQL.daysBetween(from, to);
    case "hour":
      return `CAST(${seconds("hour")} / 3600 AS bigint)`;
    case "minute":
      return `CAST(${seconds("minute")} / 60 AS bigint)`;
    case "second":
      return `CAST(${seconds("second")} AS bigint)`;
    default:
      return undefined;
  }
}

const SIGNS: Readonly<Record<string, string>> = {
  ...{
    Y: "YYYY",
    y: "YY",
    m: "MM",
    "-m": "FMMM",
    d: "DD",
    "-d": "FMDD",
    H: "HH24",
    I: "HH12",
    M: "MI",
    S: "SS",
  },
  ...{ b: "Mon", B: "FMMonth", a: "Dy", A: "FMDay", j: "DDD", p: "AM", f: "US", g: "MS", V: "IW", G: "IYYY" },
};

/** A pattern of strftime in to_char's words; undefined where it has none for a sign. */
function charFormat(format: string): string | undefined {
  const parts = format.match(/%-?.|[^%]+/gs) ?? [];
  const written = parts.map((part) => {
    if (part === "%%") return '"%"';
    return part.startsWith("%") ? SIGNS[part.slice(1)] : `"${part.replace(/["\\]/g, "\\$&")}"`;
  });
  return written.includes(undefined) ? undefined : written.join("");
}
