import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";

/** Kenning as it is started, on its own embedded database, with one token, and with the settings that it is given. */
const home = mkdtempSync(join(tmpdir(), "kenning-bench-"));
const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const env = { PORT: "0", KENNING_HOME: home, KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1", ...given };
const app = await compose(loadConfig({ env, cwd: home }), { log: pino({ level: "warn" }) });
await app.identity.workspaces.create({ slug: "bench" });
const email = "bench@example.com";
await app.identity.users.create({ email, workspace: "bench", role: "admin", password: "bench bench bench" });
const { token } = await app.identity.tokens.create({ email, workspace: "bench", kind: "api" });
const { url } = await app.listen();
process.send?.({ url: `${url}/mcp`, token, home });
process.once("message", async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
});
