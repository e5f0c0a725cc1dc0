import pg from "pg";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { pgCodeOf } from "./pg-errors.ts";
import { adviceOn } from "./start-failure.ts";

const OLDEST_VERSION = 15;

/** Host, port and database of a connection string: what may be shown of it. */
export function describeServer(databaseUrl: string): string {
  try {
    const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
    return `the PostgreSQL server at ${host}, port ${port}, database ${database}`;
  } catch (cause) {
    throw new AppError("bad_request", "DATABASE_URL is not a valid connection string.", {
      hint: "It looks like postgresql://user:password@host:5432/database.",
      cause: messageOf(cause),
    });
  }
}

/** How the embedded server is called. */
export const EMBEDDED = "the embedded database";
const CHECK = "Check DATABASE_URL and that the server is running.";

const SENTENCES: Readonly<Record<string, string>> = {
  "28P01": "it refused the password",
  "28000": "it refused the user",
  "3D000": "it has no such database",
  ECONNREFUSED: "nothing listens there",
  ENOENT: "its socket does not exist",
  ENOTFOUND: "its host name is not known",
  ETIMEDOUT: "it did not answer in time",
  "53300": "all its connections are taken",
};

/** A sentence that says which server failed and how, without anything secret from its address. */
export function explainFailure(error: unknown, server: string): AppError {
  const code = pgCodeOf(error) ?? "";
  const reason = SENTENCES[code] ?? messageOf(error);
  return new AppError("unavailable", `Kenning cannot use ${server}: ${reason}.`, {
    hint: server === EMBEDDED ? adviceOn(reason, "Its log is postgres/server.log in KENNING_HOME.") : CHECK,
    // For whoever runs the server; callers are told only that the database is away.
    data: { engine: "catalog" },
    cause: error,
  });
}

export async function assertServerVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ server_version: string }>("SHOW server_version");
  const version = rows[0]?.server_version ?? "0";
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return;
  throw new AppError(
    "unavailable",
    `Kenning needs PostgreSQL ${OLDEST_VERSION} or newer; the server is version ${version}.`,
    {
      hint: "Upgrade the server, or unset DATABASE_URL to use the embedded one.",
    },
  );
}
