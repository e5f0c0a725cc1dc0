import type { Identity } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Config, loadConfig } from "../config.ts";
import { openIdentity } from "../core-services.ts";
import { hasEmbeddedDatabase, requireHome } from "../home/home-folder.ts";
import { auditedCommand } from "./command-audit.ts";

/** Opens the catalog for one piece of work, whether the server runs or not, and closes it again. */
export async function withIdentity<T>(work: (identity: Identity) => Promise<T>): Promise<T> {
  requireDatabase(loadConfig());
  return makeHomeWith(work);
}

/** The same for what may come before everything else: it makes a database where there is none. */
export async function makeHomeWith<T>(work: (identity: Identity) => Promise<T>): Promise<T> {
  const config = loadConfig();
  requireHome(config.storage.home);
  const { identity, close } = await openIdentity(quiet(config));
  try {
    return await auditedCommand(identity, () => work(identity));
  } finally {
    await close();
  }
}

export function requireDatabase({ storage: { home, databaseUrl } }: Config): void {
  requireHome(home);
  if (databaseUrl !== null || hasEmbeddedDatabase(home)) return;
  throw new AppError("not_found", `There is no database in ${home} yet.`, {
    hint: "Start Kenning once with: kenning serve. If it keeps its data elsewhere, set KENNING_HOME.",
  });
}

/** What interests the operator of a server (the database started, tables were made) is noise beside a command, which says itself what failed. */
export function quiet(config: Config): Config {
  const { operations } = config;
  return operations.logLevel === "info"
    ? { ...config, operations: { ...operations, logLevel: "error" } }
    : config;
}
