import { COMMON_FUNCTIONS } from "./common.ts";
import type { Dialect, FunctionText, Printed } from "./dialect.ts";

const TYPES: Readonly<Record<string, string>> = {
  ...{
    BOOLEAN: "Bool",
    TINYINT: "Int8",
    SMALLINT: "Int16",
    INTEGER: "Int32",
    BIGINT: "Int64",
    HUGEINT: "Int128",
  },
  ...{ UTINYINT: "UInt8", USMALLINT: "UInt16", UINTEGER: "UInt32", UBIGINT: "UInt64", FLOAT: "Float32" },
  ...{
    DOUBLE: "Float64",
    VARCHAR: "String",
    DATE: "Date32",
    TIMESTAMP: "DateTime64(6, 'UTC')",
    UUID: "UUID",
  },
  ...{ "TIMESTAMP WITH TIME ZONE": "DateTime64(6, 'UTC')" },
};

export const CLICKHOUSE: Dialect = {
  title: "ClickHouse",
  quoteName: (name) => `\`${escaped(name).replaceAll("`", "\\`")}\``,
  quoteText: (text) => `'${escaped(text).replaceAll("'", "\\'")}'`,
  typeName: (type) => {
    const name = TYPES[type] ?? /^DECIMAL\((\d+),(\d+)\)$/.exec(type)?.slice(1).join(", ");
    return name === undefined ? undefined : `Nullable(${/^\d/.test(name) ? `Decimal(${name})` : name})`;
  },
  column: ({ name, type }) => {
    const quoted = CLICKHOUSE.quoteName(name);
    // Enums and fixed strings are texts as well; one of few values counts as what it is.
    return type === "VARCHAR" ? `CAST(${quoted} AS Nullable(String))` : quoted;
  },
  cast: (value, type) => {
    const name = CLICKHOUSE.typeName(type);
    if (name === undefined) return undefined;
    if (type === "DATE") return `toDate32(${value.sql})`;
    return `CAST(${value.sql} AS ${name})`;
  },
  binary: (sql) => sql,
  divide: (a, b) => `toFloat64(${a.sql}) / toFloat64(${b.sql})`,
  addSpan: (moment, span, sign) =>
    span.reduce((sql, { n, unit }) => `${sql} ${sign} toInterval${interval(unit)}(${n})`, asMoment(moment)),
  daysBetween: (from, to) => `dateDiff('day', ${from.sql}, ${to.sql})`,
  order: ({ key, isDescending, isNullsFirst }) =>
    `${key.sql}${isDescending ? " DESC" : ""} NULLS ${isNullsFirst ? "FIRST" : "LAST"}`,
  isSame: (a, b) => `${a} IS NOT DISTINCT FROM ${b}`,
  filter: (call, condition) => `${call} FILTER (WHERE ${condition})`,
  unnest: (values, type, name) => {
    const items = values.map((value) =>
      value === null ? "NULL" : CLICKHOUSE.quoteText(String(value).replace(/Z$/, "")),
    );
    const item = CLICKHOUSE.cast({ sql: `arrayJoin([${items.join(", ")}])`, type: "VARCHAR" }, type);
    return `SELECT ${item ?? "NULL"} AS ${CLICKHOUSE.quoteName(name)}`;
  },
  barrier: " LIMIT 9223372036854775807",
  hasGroupingSets: true,
  hasFullJoin: true,
  explain: "EXPLAIN ",
  functions: {
    ...COMMON_FUNCTIONS,
    // Its own counts have no sign, and so no type in common with other numbers.
    count: "CAST(count($1) AS Int64)",
    "count/0": "CAST(count() AS Int64)",
    count_star: "CAST(count() AS Int64)",
    length: "lengthUTF8($1)",
    len: "lengthUTF8($1)",
    strlen: "length($1)",
    lower: "lowerUTF8($1)",
    upper: "upperUTF8($1)",
    "trim/1": "trimBoth($1)",
    "ltrim/1": "trimLeft($1)",
    "rtrim/1": "trimRight($1)",
    reverse: "reverseUTF8($1)",
    replace: "replaceAll($1, $2, $3)",
    "%": "modulo($1, nullIf($2, 0))",
    mod: "modulo($1, nullIf($2, 0))",
    "//": "intDivOrZero($1, nullIf($2, 0))",
    "log/1": "log10($1)",
    ln: "log($1)",
    log2: "log2($1)",
    // Its own rounds halves to even ones.
    round: "(sign($1) * floor(abs($1) * pow(10, $2) + 0.5) / pow(10, $2))",
    "round/1": "(sign($1) * floor(abs($1) + 0.5))",
    trunc: "trunc($1)",
    pi: "pi()",
    greatest: "greatest($*)",
    least: "least($*)",
    concat: "concatWithSeparator('', $*)",
    "||": "concat($1, $2)",
    substring: "substringUTF8($1, $2, $3)",
    "substring/2": "substringUTF8($1, $2)",
    substr: "substringUTF8($1, $2, $3)",
    "substr/2": "substringUTF8($1, $2)",
    left: "leftUTF8($1, $2)",
    right: "rightUTF8($1, $2)",
    contains: "(positionUTF8($1, $2) > 0)",
    strpos: "positionUTF8($1, $2)",
    instr: "positionUTF8($1, $2)",
    starts_with: "startsWith($1, $2)",
    prefix: "startsWith($1, $2)",
    "^@": "startsWith($1, $2)",
    ends_with: "endsWith($1, $2)",
    suffix: "endsWith($1, $2)",
    "~~": likes("", ""),
    "!~~": likes("NOT ", ""),
    "~~*": likes("", "I"),
    "!~~*": likes("NOT ", "I"),
    "regexp_matches/2": "match($1, $2)",
    avg: "avg(toFloat64($1))",
    mean: "avg(toFloat64($1))",
    favg: "avg(toFloat64($1))",
    count_if: "CAST(countIf($1) AS Int64)",
    countif: "CAST(countIf($1) AS Int64)",
    approx_count_distinct: "CAST(uniq($1) AS Int64)",
    median: "quantileExactInclusive(0.5)(toFloat64($1))",
    quantile_cont: "quantileExactInclusive($2)(toFloat64($1))",
    stddev: "stddevSamp($1)",
    stddev_samp: "stddevSamp($1)",
    stddev_pop: "stddevPop($1)",
    variance: "varSamp($1)",
    var_samp: "varSamp($1)",
    var_pop: "varPop($1)",
    corr: "corr($1, $2)",
    bool_and: "min($1)",
    bool_or: "max($1)",
    any_value: "any($1)",
    arbitrary: "any($1)",
    arg_max: "argMax($1, $2)",
    max_by: "argMax($1, $2)",
    arg_min: "argMin($1, $2)",
    min_by: "argMin($1, $2)",
    date_trunc: truncated,
    datetrunc: truncated,
    date_part: part,
    datepart: part,
    ...Object.fromEntries(
      "year quarter month day hour minute second week weekofyear dow dayofweek weekday isodow doy dayofyear dayofmonth epoch"
        .split(" ")
        .map((name): [string, FunctionText] => [name, ([moment]) => partOf(name, moment)]),
    ),
    date_diff: "dateDiff($1, $2, $3)",
    datediff: "dateDiff($1, $2, $3)",
    monthname: "dateName('month', $1)",
    dayname: "dateName('weekday', $1)",
    last_day: "toLastDayOfMonth($1)",
  },
};

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\0", "\\0");
}

function interval(unit: string): string {
  return unit.charAt(0) + unit.slice(1).toLowerCase();
}

function asMoment({ sql, type }: Printed): string {
  return type.startsWith("TIMESTAMP") ? sql : `toDateTime64(${sql}, 6, 'UTC')`;
}

/** A backslash is one of the text, as nothing escapes there. */
function likes(not: string, kind: string): FunctionText {
  return (args) => {
    const [text, pattern] = args;
    if (text === undefined || pattern === undefined) return undefined;
    return `${text.sql} ${not}${kind}LIKE replaceAll(${pattern.sql}, '\\\\', '\\\\\\\\')`;
  };
}

function truncated([unit, moment]: readonly Printed[]): string | undefined {
  const name = String(unit?.constant).toLowerCase();
  if (moment === undefined || !/^(?:year|quarter|month|week|day|hour|minute|second)$/.test(name))
    return undefined;
  const starts = `toStartOf${interval(name.toUpperCase())}`;
  const sql =
    name === "week"
      ? `toMonday(${moment.sql})`
      : name === "day"
        ? `toDate32(${moment.sql})`
        : `${starts}(${moment.sql})`;
  return `toDateTime64(${sql}, 6, 'UTC')`;
}

const PARTS: Readonly<Record<string, string>> = {
  ...{
    year: "toYear",
    quarter: "toQuarter",
    month: "toMonth",
    day: "toDayOfMonth",
    dayofmonth: "toDayOfMonth",
  },
  ...{ hour: "toHour", minute: "toMinute", second: "toSecond", week: "toISOWeek", weekofyear: "toISOWeek" },
  ...{ isodow: "toDayOfWeek", doy: "toDayOfYear", dayofyear: "toDayOfYear" },
};

function part([name, moment]: readonly Printed[]): string | undefined {
  return partOf(String(name?.constant).toLowerCase().replace(/s$/, ""), moment);
}

function partOf(name: string, moment: Printed | undefined): string | undefined {
  if (moment === undefined) return undefined;
  if (/^(?:dow|dayofweek|weekday)$/.test(name)) return `(toDayOfWeek(${moment.sql}) % 7)`;
  if (name !== "epoch") return PARTS[name] && `${PARTS[name]}(${moment.sql})`;
  const seconds = (of: Printed) => `toUnixTimestamp64Micro(${asMoment(of)})`;
  if (moment.between === undefined) return `(${seconds(moment)} / 1000000)`;
  const [from, to] = moment.between;
  return `((${seconds(to)} - ${seconds(from)}) / 1000000)`;
}
