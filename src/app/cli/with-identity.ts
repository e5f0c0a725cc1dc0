import type { Identity } from "../../domains/identity/index.ts";
import { openIdentity } from "../compose.ts";
import { type Config, loadConfig } from "../config.ts";
import { requireHome } from "../home-folder.ts";

/** Opens the catalog for one piece of work, whether the server runs or not, and closes it again. */
export async function withIdentity<T>(work: (identity: Identity) => Promise<T>): Promise<T> {
  const config = loadConfig();
  requireHome(config.storage.home);
  const { identity, close } = await openIdentity(quiet(config));
  try {
    return await work(identity);
  } finally {
    await close();
  }
}

/** What interests the operator of a server (the database started, tables were made) is noise beside a command. */
function quiet(config: Config): Config {
  const { operations } = config;
  return operations.logLevel === "info"
    ? { ...config, operations: { ...operations, logLevel: "warn" } }
    : config;
}
