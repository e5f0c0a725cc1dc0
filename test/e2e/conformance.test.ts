import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../support/server.ts";
import { startTokenProxy, type TokenProxy } from "../support/token-proxy.ts";
import { conformanceFixtures } from "./conformance/fixtures.ts";

/** The official conformance suite, on the real stack, in each revision that it has requirements for. */

const SUITE = dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")));
const TIMEOUT_MS = 400_000;

/** Scenarios that the suite runs without asking for them, and that hold here too. */
const BEYOND_REQUIRED: Record<string, readonly string[]> = {
  "2025-11-25": ["server-session-lifecycle", "json-schema-2020-12"],
  "2026-07-28": ["json-schema-2020-12", "http-header-validation"],
};

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

let server: TestServer;
let proxy: TokenProxy;
const results = mkdtempSync(join(tmpdir(), "kenning-conformance-"));

beforeAll(async () => {
  server = await startTestServer({ extend: (registry) => registry.add(conformanceFixtures) });
  proxy = await startTokenProxy(server.url, await server.token());
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
  rmSync(results, { recursive: true, force: true });
});

describe.each(["2025-11-25", "2026-07-28"])("revision %s", (revision) => {
  let checks: ReadonlyMap<string, Check[]>;

  beforeAll(async () => {
    const folder = join(results, revision);
    const output = await runSuite(["--requirements", revision, "-o", folder]);
    checks = readChecks(folder);
    expect(checks.size, `no scenario was run:\n${output}`).toBeGreaterThan(0);
  }, TIMEOUT_MS);

  it.each([...required(revision), ...(BEYOND_REQUIRED[revision] ?? [])])("%s", (scenario) => {
    const made = checks.get(scenario) ?? [];
    expect(made, "it found nothing good").toContainEqual(expect.objectContaining({ status: "SUCCESS" }));
    const bad = made.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    expect(bad.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`)).toEqual([]);
  });
});

/** The server scenarios of the suite's own list for a revision. */
function required(revision: string): string[] {
  const list = readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8");
  const section = /^server:\n((?: {2}- .+\n)+)/m.exec(list)?.[1] ?? "";
  const scenarios = [...section.matchAll(/- (\S+)/g)].map((match) => match[1] as string);
  if (scenarios.length === 0) throw new Error(`The suite requires nothing of a server in ${revision}.`);
  return scenarios;
}

/** Returns what the suite printed. Scenarios that fail are no error here: their files tell what was wrong. */
function runSuite(args: string[]): Promise<string> {
  const { promise, resolve: end } = Promise.withResolvers<string>();
  const command = [join(SUITE, "dist/index.js"), "server", "--url", `${proxy.url}/mcp`, ...args];
  const options = { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  execFile(process.execPath, command, options, (_failed, stdout, stderr) => end(stdout + stderr));
  return promise;
}

function readChecks(folder: string): Map<string, Check[]> {
  const files = globSync("server-*/checks.json", { cwd: folder });
  return new Map(
    files.map((file) => {
      // The folder is named "server-SCENARIO-TIME".
      const scenario = dirname(file).replace(/^server-(.+)-\d{4}-\d{2}-\d{2}T.*$/, "$1");
      return [scenario, JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[]];
    }),
  );
}
