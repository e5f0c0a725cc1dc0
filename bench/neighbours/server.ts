import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";

/** The whole server with two tokens of `ours` and one of `theirs`, in a process of its own. */
const home = mkdtempSync(join(tmpdir(), "kenning-bench-requests-"));
chmodSync(home, 0o711);
const config = loadConfig({
  env: {
    PORT: "0",
    KENNING_HOME: home,
    RATE_LIMIT_ENABLED: "false",
    KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1",
    EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
    EXTERNAL_KNOWLEDGE_MCP_RATE_LIMIT_ENABLED: "false",
    EXTERNAL_KNOWLEDGE_MCP_SEARCH_RATE_LIMIT_ENABLED: "false",
  },
  cwd: home,
});
const app = await compose(config, { log: pino({ level: "error" }) });
const tokens: string[] = [];
for (const [workspace, email] of [
  ["ours", "a@example.com"],
  ["ours", "b@example.com"],
  ["theirs", "c@example.com"],
] as const) {
  if (!email.startsWith("b")) await app.identity.workspaces.create({ slug: workspace });
  await app.identity.users.create({ email, workspace, role: "admin", password: "bench bench bench" });
  tokens.push((await app.identity.tokens.create({ email, workspace, kind: "api" })).token);
}
const { url } = await app.listen();
process.send?.({ url: `${url}/mcp`, tokens });
process.once("message", async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
});
