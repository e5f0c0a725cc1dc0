/** Whom a process becomes; nobody else when the server is not root. */
export type OsUser = { uid: number; gid: number } | undefined;

/**
 * Nobody's numbers on any system that we know, which need no entry in /etc/passwd. Each kind of process has a
 * block of its own, because the same user can look into another process and read its files.
 */
const BLOCKS = {
  /** The engine's processes, all in the group that may read the parts of datasets. */
  engine: { first: 65_510, count: 10, gid: 65_510 },
  /** Those that write the parts, of the same group. */
  loader: { first: 65_500, count: 10, gid: 65_510 },
  /** Readers of files that are imported. */
  fileReader: { first: 65_521, count: 8, gid: undefined },
  /** Readers of documents. */
  documentReader: { first: 65_470, count: 8, gid: undefined },
  /** Those that make pictures of charts, and those that make documents. */
  pictures: { first: 65_480, count: 8, gid: undefined },
  documents: { first: 65_488, count: 8, gid: undefined },
  /** Readers of SQLite and DuckDB files that are datasources. */
  databaseFile: { first: 65_400, count: 64, gid: undefined },
} as const;

export type OsUserKind = keyof typeof BLOCKS;

/** The account of the `number`th process of a kind. */
export function osUserOf(kind: OsUserKind, number: number): OsUser {
  if (process.geteuid?.() !== 0) return undefined;
  const { first, count, gid } = BLOCKS[kind];
  const uid = first + (number % count);
  return { uid, gid: gid ?? uid };
}
