import { AGGREGATES } from "../../../../platform/analytics/index.ts";

export { isAggregate } from "../../../../platform/analytics/index.ts";

/**
 * The functions that a query may call: those of the pinned DuckDB whose result depends on nothing but their arguments,
 * the clock and chance. `refused.ts` names the others; a test makes sure that none is in neither.
 */

/** Dates and times. Reading the clock is allowed. */
const DATES = `
  age ago century current_date current_localtime current_localtimestamp date_add date_diff date_part
  date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
  days_in_month decade epoch epoch_ms epoch_ns epoch_us era get_current_time get_current_timestamp hour
  isfinite isodow isoyear julian last_day make_date make_time make_timestamp make_timestamp_ms
  make_timestamp_ns make_timestamptz microsecond millennium millisecond minute month monthname
  nanosecond normalized_interval now quarter second strftime strptime time_bucket timezone timezone_hour
  timezone_minute to_centuries to_days to_decades to_hours to_microseconds to_millennia to_milliseconds
  to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today transaction_timestamp
  try_strptime week weekday weekofyear year yearweek
`;

/** JSON and variants, in values only: nothing here reads a file or runs SQL. */
const JSON_FUNCTIONS = `
  array_to_json from_json from_json_strict json json_array json_array_length json_contains json_exists
  json_extract json_extract_path json_extract_path_text json_extract_string json_group_array
  json_group_object json_group_structure json_keys json_merge_patch json_object json_pretty json_quote
  json_structure json_transform json_transform_strict json_type json_valid json_value row_to_json
  to_json variant_extract variant_typeof
`;

/** Lists and arrays, also with lambdas. How long one can get is bounded by the engine's memory. */
const LISTS = `
  aggregate apply array_aggr array_aggregate array_append array_apply array_cat array_concat
  array_contains array_cosine_distance array_cosine_similarity array_cross_product array_distance
  array_distinct array_dot_product array_extract array_filter array_grade_up array_has array_has_all
  array_has_any array_indexof array_inner_product array_intersect array_length
  array_negative_dot_product array_negative_inner_product array_pop_back array_pop_front array_position
  array_prepend array_push_back array_push_front array_reduce array_resize array_reverse
  array_reverse_sort array_select array_slice array_sort array_to_string array_to_string_comma_default
  array_transform array_unique array_value array_where array_zip filter flatten generate_series
  generate_subscripts grade_up len list_aggr list_aggregate list_any_value list_append list_apply
  list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or
  list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count
  list_distance list_distinct list_dot_product list_element list_entropy list_extract list_filter
  list_first list_grade_up list_has list_has_all list_has_any list_histogram list_indexof
  list_inner_product list_intersect list_kurtosis list_kurtosis_pop list_last list_mad list_max
  list_median list_min list_mode list_negative_dot_product list_negative_inner_product list_pack
  list_position list_prepend list_product list_reduce list_resize list_reverse list_reverse_sort
  list_select list_sem list_skewness list_slice list_sort list_stddev_pop list_stddev_samp
  list_string_agg list_sum list_transform list_unique list_value list_var_pop list_var_samp list_where
  list_zip range reduce unlist unnest unpivot_list
`;

/** Numbers, and `random`. */
const NUMBERS = `
  abs acos acosh add asin asinh atan atan2 atanh bit_count bit_position cbrt ceil ceiling cos cosh cot
  degrees divide equi_width_bins even exp factorial fdiv floor fmod gamma gcd geomean geometric_mean
  get_bit greatest greatest_common_divisor is_histogram_other_bin isinf isnan lcm least
  least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians random
  round round_even roundbankers set_bit sign signbit sin sinh sqrt subtract tan tanh trunc wavg
  weighted_avg xor
`;

/** Operators, which are functions to the parser. */
const OPERATORS = `
  !__postfix !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~
`;

/** What does not fit elsewhere. */
const OTHERS = `
  alias gen_random_uuid hash nullif st_asbinary st_astext st_aswkb st_aswkt st_crs st_geomfromwkb
  st_intersects_extent st_setcrs typeof uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7
`;

/** Structs, maps, unions and enums. */
const STRUCTS = `
  cardinality element_at enum_code enum_first enum_last enum_range enum_range_boundary map map_concat
  map_contains map_contains_entry map_contains_value map_entries map_extract map_extract_value
  map_from_entries map_keys map_values row struct_concat struct_contains struct_extract
  struct_extract_at struct_has struct_indexof struct_insert struct_keys struct_pack struct_position
  struct_update struct_values switch union_extract union_tag union_value
`;

/** Texts and bytes. Functions on paths only take them apart. */
const TEXTS = `
  ascii bar base64 bin bit_length bitstring char_length character_length chr concat concat_ws contains
  damerau_levenshtein decode editdist3 encode ends_with format format_bytes formatreadabledecimalsize
  formatreadablesize from_base64 from_binary from_hex hamming hex ilike_escape instr jaccard
  jaro_similarity jaro_winkler_similarity lcase left left_grapheme length length_grapheme levenshtein
  like_escape lower lpad ltrim md5 md5_number md5_number_lower md5_number_upper mismatches nfc_normalize
  not_ilike_escape not_like_escape octet_length ord parse_dirname parse_dirpath parse_filename
  parse_formatted_bytes parse_path position prefix printf regexp_escape regexp_extract
  regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array
  regexp_split_to_table repeat replace reverse right right_grapheme rpad rtrim sha1 sha256 split
  split_part starts_with str_split str_split_regex string_split string_split_regex string_to_array
  strip_accents strlen strpos substr substring substring_grapheme suffix to_base to_base64 to_binary
  to_hex translate trim ucase unbin unhex unicode upper url_decode url_encode
`;

const FAMILIES = [AGGREGATES, DATES, JSON_FUNCTIONS, LISTS, NUMBERS, OPERATORS, OTHERS, STRUCTS, TEXTS];

/** All of them, in lower case. */
export const FUNCTIONS: ReadonlySet<string> = new Set(FAMILIES.flatMap((names) => names.trim().split(/\s+/)));

/** What functions of other databases are called in DuckDB's SQL, for those that it does not know. */
const FOREIGN_NAMES: readonly (readonly [write: string, names: string])[] = [
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
  FOREIGN_NAMES.flatMap(([write, names]) => names.split(" ").map((name) => [name, write] as const)),
);

export function equivalentOf(name: string): string | undefined {
  return EQUIVALENTS.get(name.toLowerCase());
}

export const FOREIGN_FUNCTIONS: Iterable<readonly [name: string, write: string]> = EQUIVALENTS;

/** Functions of the pinned DuckDB that are not allowed, with what each of them does. */
const REFUSED_NAMES: readonly (readonly [does: string, names: string])[] = [
  [
    "tells about the engine or its settings",
    `
    current_catalog current_connection_id current_database current_query current_query_id current_role
    current_schema current_schemas current_setting current_transaction_id current_user get_block_size getenv
    getvariable in_search_path inet_client_addr inet_client_port inet_server_addr inet_server_port session_user
    txid_current user version vector_type
  `,
  ],
  [
    "tells about the catalog of the engine",
    `
    col_description format_pg_type format_type map_to_pg_oid obj_description shobj_description
  `,
  ],
  ["tells the statistics of a column, which are of all its rows", "stats"],
  [
    "reads or runs SQL",
    `
    json_deserialize_sql json_execute_serialized_sql json_serialize_plan json_serialize_sql parse_sql query
    query_table
  `,
  ],
  ["changes something or waits", "currval nextval setseed sleep_ms write_log enable_logging disable_logging"],
  [
    "reads files",
    `
    glob parquet_metadata parquet_schema read_blob read_csv read_csv_auto read_json read_json_auto
    read_json_objects read_ndjson read_parquet read_text sniff_csv
  `,
  ],
  ["does nothing but fail", "error"],
  [
    "is for the engine itself",
    `
    can_cast_implicitly cast_to_type combine constant_or_null create_sort_key finalize get_type icu_sort_key
    make_type parse_duckdb_log_message remap_struct replace_type timetz_byte_comparable variant_bytes_to_variant
    variant_normalize variant_to_parquet_variant
  `,
  ],
];

const PATTERNS: readonly (readonly [does: string, name: RegExp])[] = [
  ["is for the engine itself", /^(?:__internal_|icu_collate_)/],
  ["tells about the catalog of the engine", /^(?:pg_|duckdb_|pragma_|has_.+_privilege$)/],
  ["reads files", /^(?:read_|parquet_)/],
];

const REFUSED: ReadonlyMap<string, string> = new Map(
  REFUSED_NAMES.flatMap(([does, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, does] as const),
  ),
);

/** What a function does that is known and not allowed. */
export function refusedFor(name: string): string | undefined {
  const key = name.toLowerCase();
  return REFUSED.get(key) ?? PATTERNS.find(([, pattern]) => pattern.test(key))?.[0];
}
