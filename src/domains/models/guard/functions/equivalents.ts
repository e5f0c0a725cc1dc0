/** What functions of other databases are called in DuckDB's SQL, for those that it does not know. */
const FAMILIES: readonly (readonly [write: string, names: string])[] = [
  ["strftime(x, '%Y-%m-%d')", "to_char date_format format_date format_datetime formatdatetime"],
  ["strptime(x, '%Y-%m-%d')", "to_date str_to_date parse_date parse_datetime"],
  ["CAST(x AS TIMESTAMP)", "datetime"],
  ["CAST(x AS VARCHAR)", "to_varchar tostring"],
  ["CAST(x AS DECIMAL(18, 2))", "to_number to_decimal tonumber"],
  ["CAST(x AS type)", "convert"],
  ["TRY_CAST(x AS type)", "safe_cast try_convert"],
  ["x IS NULL, or coalesce(x, y)", "isnull"],
  ["coalesce(x, y)", "nvl zeroifnull"],
  ["CASE WHEN … THEN … ELSE … END", "iif iff nvl2"],
  ["a / nullif(b, 0)", "safe_divide div0"],
  ["bool_and(x)", "every logical_and booland_agg"],
  ["bool_or(x)", "logical_or boolor_agg"],
  ["current_date", "getdate curdate sysdate"],
  ["now()", "getutcdate sysdatetime systimestamp"],
  ["strpos(text, part)", "charindex locate"],
  ["x + INTERVAL 1 DAY", "dateadd adddate timestampadd timestamp_add datetime_add add_months"],
  ["x - INTERVAL 1 DAY", "subdate timestamp_sub datetime_sub"],
  ["date_diff('day', a, b)", "timestampdiff timestamp_diff days_between"],
  ["date_diff('month', a, b)", "months_between"],
  ["date_trunc('month', x)", "timestamp_trunc datetime_trunc"],
  ["date_part('month', x)", "datename"],
  ["last_day(x)", "eomonth"],
  ["to_timestamp(x)", "from_unixtime timestamp_seconds"],
  ["epoch(x)", "unix_timestamp unix_seconds"],
  ["string_agg(x, ', ')", "wm_concat"],
  ["substr(x, 1, 3)", "mid"],
  ["repeat(x, 3)", "replicate"],
  ["quantile_cont(x, 0.9)", "percentile"],
  ["approx_quantile(x, 0.9)", "percentile_approx approx_percentile"],
  ["approx_count_distinct(x)", "approx_distinct"],
  ["regexp_matches(x, pattern)", "regexp_like rlike regexp_contains"],
  ["json_extract_string(x, '$.key')", "get_json_object json_extract_scalar"],
  ["random()", "rand"],
];

const EQUIVALENTS: ReadonlyMap<string, string> = new Map(
  FAMILIES.flatMap(([write, names]) => names.split(" ").map((name) => [name, write] as const)),
);

export function equivalentOf(name: string): string | undefined {
  return EQUIVALENTS.get(name.toLowerCase());
}

export const FOREIGN_FUNCTIONS: Iterable<readonly [name: string, write: string]> = EQUIVALENTS;
