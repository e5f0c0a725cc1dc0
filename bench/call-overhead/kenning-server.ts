import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";

/** Kenning as it is started, on its own embedded database, with one token for each client. */
const home = mkdtempSync(join(tmpdir(), "kenning-bench-"));
const config = loadConfig({ env: { PORT: "0", KENNING_HOME: home }, cwd: home });
const app = await compose(config, { log: pino({ level: "warn" }) });
await app.identity.workspaces.create({ slug: "bench" });
await app.identity.users.create({
  email: "bench@example.com",
  workspace: "bench",
  role: "admin",
  password: "bench bench bench",
});
const tokens = await Promise.all(
  Array.from({ length: 64 }, async () => {
    const made = await app.identity.tokens.create({
      email: "bench@example.com",
      workspace: "bench",
      kind: "api",
    });
    return made.token;
  }),
);
const { url } = await app.listen();
process.send?.({ url: `${url}/mcp`, tokens });
process.once("message", async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
});
