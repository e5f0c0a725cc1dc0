import { COMMON_FUNCTIONS } from "./common.ts";
import type { Dialect, FunctionText, Printed } from "./dialect.ts";

const TYPES: Readonly<Record<string, string>> = {
  ...{ TINYINT: "SIGNED", SMALLINT: "SIGNED", INTEGER: "SIGNED", BIGINT: "SIGNED" },
  ...{ UTINYINT: "UNSIGNED", USMALLINT: "UNSIGNED", UINTEGER: "UNSIGNED", UBIGINT: "UNSIGNED" },
  ...{ HUGEINT: "DECIMAL(38,0)", FLOAT: "DOUBLE", DOUBLE: "DOUBLE", VARCHAR: "CHAR", DATE: "DATE" },
  ...{ TIME: "TIME(6)", TIMESTAMP: "DATETIME(6)", "TIMESTAMP WITH TIME ZONE": "DATETIME(6)" },
};

function mysqlDialect(title: string, collation: string): Dialect {
  const text = (sql: string) => `CONVERT(${sql} USING utf8mb4) COLLATE ${collation}`;
  const dialect: Dialect = {
    title,
    quoteName: (name) => `\`${name.replaceAll("`", "``")}\``,
    quoteText: literal,
    typeName: (type) => TYPES[type] ?? (/^DECIMAL\(\d+,\d+\)$/.test(type) ? type : undefined),
    column: ({ name, type }, native) => {
      const quoted = dialect.quoteName(name);
      if (native === "BLOB") return `REPLACE(TO_BASE64(${quoted}), CHAR(10), '')`;
      if (native === "INTERVAL") return `CAST(${quoted} AS CHAR)`;
      if (type === "BOOLEAN") return `(${quoted} <> 0)`;
      return type === "VARCHAR" ? text(quoted) : quoted;
    },
    cast: (value, type) => {
      if (type === "BOOLEAN") return `(${value.sql} <> 0)`;
      if (type === "VARCHAR") {
        // What is no text is written in another way there.
        const isPlain = /^(?:VARCHAR|DATE|DECIMAL.*|.*INT|INTEGER)?$/.test(value.type);
        return isPlain ? text(`CAST(${value.sql} AS CHAR)`) : undefined;
      }
      const name = dialect.typeName(type);
      return name && `CAST(${value.sql} AS ${name})`;
    },
    binary: (sql) => sql,
    // There is no infinity there: what is divided by zero is NULL.
    divide: (a, b) => `CAST(${a.sql} AS DOUBLE) / ${b.sql}`,
    addSpan: (moment, span, sign) =>
      span.reduce((sql, { n, unit }) => `${sql} ${sign} INTERVAL (${n}) ${unit}`, asMoment(moment)),
    daysBetween: (from, to) => `DATEDIFF(${to.sql}, ${from.sql})`,
    order: ({ key, isDescending, isNullsFirst }) =>
      `${key.sql} IS ${isNullsFirst ? "NOT NULL" : "NULL"}, ${key.sql}${isDescending ? " DESC" : ""}`,
    isSame: (a, b) => `${a} <=> ${b}`,
    unnest: (values, type, name) =>
      `SELECT CAST(v AS ${dialect.typeName(type) ?? "CHAR"}) AS ${dialect.quoteName(name)} FROM JSON_TABLE(${literal(JSON.stringify(values))}, '$[*]' COLUMNS (v VARCHAR(64) PATH '$')) AS listed`,
    barrier: " LIMIT 18446744073709551615",
    hasGroupingSets: false,
    hasFullJoin: false,
    explain: "EXPLAIN ",
    functions: FUNCTIONS,
  };
  return dialect;
}

/** What could end a text, in whichever mode the server reads it, is written by its bytes. */
function literal(value: string): string {
  if (!/['\\\0]/.test(value)) return `'${value}'`;
  return `CONVERT(0x${Buffer.from(value, "utf8").toString("hex")} USING utf8mb4)`;
}

function asMoment({ sql, type }: Printed): string {
  return type === "DATE" ? `CAST(${sql} AS DATETIME)` : sql;
}

const TRUNCATED: Readonly<Record<string, (sql: string) => string>> = {
  year: (x) => `CAST(DATE_FORMAT(${x}, '%Y-01-01') AS DATETIME)`,
  quarter: (x) => `CAST(MAKEDATE(YEAR(${x}), 1) + INTERVAL (QUARTER(${x}) - 1) QUARTER AS DATETIME)`,
  month: (x) => `CAST(DATE_FORMAT(${x}, '%Y-%m-01') AS DATETIME)`,
  week: (x) => `CAST(DATE(${x}) - INTERVAL WEEKDAY(${x}) DAY AS DATETIME)`,
  day: (x) => `CAST(DATE(${x}) AS DATETIME)`,
  hour: (x) => `CAST(DATE_FORMAT(${x}, '%Y-%m-%d %H:00:00') AS DATETIME)`,
  minute: (x) => `CAST(DATE_FORMAT(${x}, '%Y-%m-%d %H:%i:00') AS DATETIME)`,
  second: (x) => `CAST(DATE_FORMAT(${x}, '%Y-%m-%d %H:%i:%s') AS DATETIME)`,
};

const PARTS: Readonly<Record<string, string>> = {
  ...{
    year: "YEAR($1)",
    quarter: "QUARTER($1)",
    month: "MONTH($1)",
    day: "DAYOFMONTH($1)",
    hour: "HOUR($1)",
  },
  ...{ minute: "MINUTE($1)", second: "SECOND($1)", week: "WEEKOFYEAR($1)", weekofyear: "WEEKOFYEAR($1)" },
  ...{ dow: "(DAYOFWEEK($1) - 1)", dayofweek: "(DAYOFWEEK($1) - 1)", weekday: "(DAYOFWEEK($1) - 1)" },
  ...{
    isodow: "(WEEKDAY($1) + 1)",
    doy: "DAYOFYEAR($1)",
    dayofyear: "DAYOFYEAR($1)",
    dayofmonth: "DAYOFMONTH($1)",
  },
};

const truncated: FunctionText = ([unit, moment]) =>
  moment && TRUNCATED[String(unit?.constant).toLowerCase()]?.(moment.sql);

function partOf(name: string, moment: Printed | undefined): string | undefined {
  if (moment === undefined) return undefined;
  if (name !== "epoch") return PARTS[name]?.replaceAll("$1", () => moment.sql);
  const [from, to] = moment.between ?? [{ sql: "'1970-01-01'" }, moment];
  return `(TIMESTAMPDIFF(MICROSECOND, ${from.sql}, ${to.sql}) / 1000000.0)`;
}

const part: FunctionText = ([name, moment]) =>
  partOf(String(name?.constant).toLowerCase().replace(/s$/, ""), moment);

/** Counts the limits between two moments, as DuckDB does. */
const difference: FunctionText = ([unit, from, to]) => {
  if (from === undefined || to === undefined) return undefined;
  const months = (of: Printed) => `(YEAR(${of.sql}) * 12 + MONTH(${of.sql}))`;
  const quarters = (of: Printed) => `(YEAR(${of.sql}) * 4 + QUARTER(${of.sql}))`;
  const truncatedTo = (grain: string) => [from, to].map(({ sql }) => TRUNCATED[grain]?.(sql)).join(", ");
  switch (String(unit?.constant).toLowerCase().replace(/s$/, "")) {
    case "year":
      return `(YEAR(${to.sql}) - YEAR(${from.sql}))`;
    case "quarter":
      return `(${quarters(to)} - ${quarters(from)})`;
    case "month":
      return `(${months(to)} - ${months(from)})`;
    case "week":
      return `TIMESTAMPDIFF(WEEK, ${truncatedTo("week")})`;
    case "day":
      return `DATEDIFF(${to.sql}, ${from.sql})`;
    case "hour":
      return `TIMESTAMPDIFF(HOUR, ${truncatedTo("hour")})`;
    case "minute":
      return `TIMESTAMPDIFF(MINUTE, ${truncatedTo("minute")})`;
    default:
      return undefined;
  }
};

const SIGNS: Readonly<Record<string, string>> = {
  ...{
    Y: "%Y",
    y: "%y",
    m: "%m",
    "-m": "%c",
    d: "%d",
    "-d": "%e",
    H: "%H",
    I: "%h",
    M: "%i",
    S: "%s",
    f: "%f",
  },
  ...{ b: "%b", B: "%M", a: "%a", A: "%W", j: "%j", p: "%p", V: "%v", G: "%x", "%": "%%" },
};

const formatted: FunctionText = ([moment, format]) => {
  if (typeof format?.constant !== "string" || moment === undefined) return undefined;
  const parts = (format.constant.match(/%-?.|[^%]+/gs) ?? []).map((each) =>
    each.startsWith("%") ? SIGNS[each.slice(1)] : each,
  );
  return parts.includes(undefined) ? undefined : `DATE_FORMAT(${moment.sql}, ${literal(parts.join(""))})`;
};

const FUNCTIONS: Readonly<Record<string, FunctionText>> = {
  ...COMMON_FUNCTIONS,
  avg: "avg(CAST($1 AS DOUBLE))",
  mean: "avg(CAST($1 AS DOUBLE))",
  favg: "avg(CAST($1 AS DOUBLE))",
  "//": "($1 DIV nullif($2, 0))",
  "log/1": "log10($1)",
  log2: "log2($1)",
  round: "round($1, $2)",
  "round/1": "round($1)",
  trunc: "truncate($1, 0)",
  pi: "pi()",
  concat: "concat_ws('', $*)",
  "||": "concat($1, $2)",
  substring: "substring($1, $2, $3)",
  "substring/2": "substring($1, $2)",
  substr: "substring($1, $2, $3)",
  "substr/2": "substring($1, $2)",
  left: "left($1, $2)",
  right: "right($1, $2)",
  lpad: "lpad($*)",
  rpad: "rpad($*)",
  contains: "(locate($2, $1) > 0)",
  strpos: "locate($2, $1)",
  instr: "locate($2, $1)",
  starts_with: "(left($1, char_length($2)) = $2)",
  prefix: "(left($1, char_length($2)) = $2)",
  "^@": "(left($1, char_length($2)) = $2)",
  ends_with: "(right($1, char_length($2)) = $2)",
  suffix: "(right($1, char_length($2)) = $2)",
  "~~": "$1 LIKE $2 ESCAPE ''",
  "!~~": "$1 NOT LIKE $2 ESCAPE ''",
  "~~*": "lower($1) LIKE lower($2) ESCAPE ''",
  "!~~*": "lower($1) NOT LIKE lower($2) ESCAPE ''",
  count_if: "count(CASE WHEN $1 THEN 1 END)",
  countif: "count(CASE WHEN $1 THEN 1 END)",
  approx_count_distinct: "count(DISTINCT $1)",
  stddev: "stddev_samp($1)",
  stddev_samp: "stddev_samp($1)",
  stddev_pop: "stddev_pop($1)",
  variance: "var_samp($1)",
  var_samp: "var_samp($1)",
  var_pop: "var_pop($1)",
  bool_and: "min($1)",
  bool_or: "max($1)",
  any_value: "min($1)",
  arbitrary: "min($1)",
  date_trunc: truncated,
  datetrunc: truncated,
  date_part: part,
  datepart: part,
  ...Object.fromEntries(
    [...Object.keys(PARTS), "epoch"].map((name): [string, FunctionText] => [
      name,
      ([moment]) => partOf(name, moment),
    ]),
  ),
  date_diff: difference,
  datediff: difference,
  monthname: "monthname($1)",
  dayname: "dayname($1)",
  last_day: "last_day($1)",
  strftime: formatted,
};

/** MySQL and MariaDB compare text without its case unless told otherwise, each by a collation of another name. */
export const MYSQL = mysqlDialect("MySQL", "utf8mb4_0900_bin");
export const MARIADB = mysqlDialect("MariaDB", "utf8mb4_nopad_bin");
