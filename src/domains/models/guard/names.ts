/** Names that are the engine's own, whatever a model calls its datasets. */
const RESERVED = new Set(
  "information_schema pg_catalog sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema main memory temp system".split(
    " ",
  ),
);
const RESERVED_BEGINNING = /^(?:_scope_|duckdb_)/i;

export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase()) || RESERVED_BEGINNING.test(name);
}

/** Views of the engine that are found without a schema: PostgreSQL's catalog and settings. */
export function isCatalogView(name: string): boolean {
  return /^(?:pg_|pragma_|sqlite_)/i.test(name);
}

/** Where there is no table of such a name, DuckDB looks for a file. */
export function looksLikeFile(name: string): boolean {
  return /[/\\:*?]|\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet|db|duckdb|gz|zst|xlsx|arrow|vortex)\b/i.test(
    name,
  );
}
