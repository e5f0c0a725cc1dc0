import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";

/** Kenning with its knowledge endpoint and without rate limits, on its own embedded database, with one token. */
const home = mkdtempSync(join(tmpdir(), "kenning-bench-"));
const limits = ["", "SEARCH_", "DOWNLOAD_"].map((area) => [
  `EXTERNAL_KNOWLEDGE_MCP_${area}RATE_LIMIT_ENABLED`,
  "false",
]);
const env = {
  PORT: "0",
  KENNING_HOME: home,
  EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
  RATE_LIMIT_ENABLED: "false",
  ...Object.fromEntries(limits),
};
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
