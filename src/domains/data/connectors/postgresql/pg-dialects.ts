/** Servers that speak PostgreSQL's protocol, and in what they differ. */
export interface PgDialect {
  /** Of the transaction; `:timeout` is the time limit in milliseconds. */
  settings: Readonly<Record<string, string>>;
  /** A condition that leaves out what nobody looks for among the tables, over pg_class c. */
  onlyTables: string;
}

const ALWAYS = {
  client_encoding: "UTF8",
  statement_timeout: ":timeout",
  datestyle: "ISO, YMD",
  timezone: "UTC",
  // All digits of a floating-point number, on servers before PostgreSQL 12, too.
  extra_float_digits: "3",
};

const POSTGRESQL: PgDialect = {
  settings: {
    ...ALWAYS,
    default_transaction_read_only: "on",
    idle_in_transaction_session_timeout: ":timeout",
    intervalstyle: "postgres",
    bytea_output: "hex",
    // The scanner relies on it.
    standard_conforming_strings: "on",
  },
  onlyTables: "NOT c.relispartition",
};

export const PG_DIALECTS = {
  postgresql: POSTGRESQL,
  citus: POSTGRESQL,
  cockroachdb: { ...POSTGRESQL, onlyTables: "true" },
  /** Forked from PostgreSQL 8: it knows few settings, and extra_float_digits only up to 2. */
  redshift: { settings: { ...ALWAYS, extra_float_digits: "2" }, onlyTables: "true" },
} as const satisfies Record<string, PgDialect>;
