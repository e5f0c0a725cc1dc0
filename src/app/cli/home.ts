import { openCatalog } from "../../platform/catalog/index.ts";
import { loadConfig } from "../config.ts";
import { adoptHome } from "../home/adopt-home.ts";
import { createLog } from "../log.ts";
import type { Terminal } from "./command.ts";
import { quiet, requireDatabase } from "./with-services.ts";

export async function adopt(
  { options }: { options: { "accept-loss": boolean } },
  terminal: Terminal,
): Promise<number> {
  const config = quiet(loadConfig());
  requireDatabase(config);
  const { home, databaseUrl } = config.storage;
  const catalog = await openCatalog({
    home,
    log: createLog(config),
    ...(databaseUrl !== null && { databaseUrl }),
  });
  try {
    await catalog.migrate();
    const parts = { catalog, home, jwtSecret: config.security.jwtSecret };
    terminal.err(`${await adoptHome(parts, { acceptLoss: options["accept-loss"] })}\n`);
    return 0;
  } finally {
    await catalog.close();
  }
}
