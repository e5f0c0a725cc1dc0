/** Functions of the pinned DuckDB that are not allowed, with what each of them does. */
const FAMILIES: readonly (readonly [does: string, names: string])[] = [
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
  FAMILIES.flatMap(([does, names]) =>
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
