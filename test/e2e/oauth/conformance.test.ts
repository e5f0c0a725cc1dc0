import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/command-line.ts";
import { appUrlOf, Browser, newAccount } from "../../support/oauth-client.ts";
import { PATHS } from "../../support/rpc.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

/** The official conformance suite for authorization servers, on the real stack; a person answers where it asks for one. */

const SUITE = dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")));
const TIMEOUT_MS = 240_000;

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

let server: TestServer;
let email: string;
const results = mkdtempSync(join(tmpdir(), "kenning-authorization-"));

beforeAll(async () => {
  server = await startTestServer();
  email = await newAccount(server);
});
afterAll(async () => {
  await server.stop();
  rmSync(results, { recursive: true, force: true });
});

/** Opens the link that the suite prints, signs in, allows it, and follows the redirect to the suite's own listener. */
async function answer(link: string): Promise<void> {
  const browser = new Browser(appUrlOf(server));
  const signIn = await browser.open(link);
  const consent = await browser.submit(signIn, { email, password: "correct horse battery" });
  const { url } = await browser.submit(consent, { button: "allow" });
  await fetch(url);
}

async function runSuite(folder: string, more: string[]): Promise<string> {
  const port = await freePort();
  const args = ["authorization", "--url", appUrlOf(server), "--port", String(port), "-o", folder, ...more];
  const suite = spawn(process.execPath, [join(SUITE, "dist/index.js"), ...args], { timeout: TIMEOUT_MS });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let output = "";
  let isAnswered = false;
  const onText = (text: Buffer) => {
    output += text;
    const link = /^http\S+\/api\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
    if (link === undefined || isAnswered || !output.includes("Waiting up to")) return;
    isAnswered = true;
    answer(link).catch(reject);
  };
  suite.stdout.on("data", onText);
  suite.stderr.on("data", onText);
  suite.on("error", reject);
  suite.on("close", () => resolve());
  try {
    await ended;
  } finally {
    suite.kill();
  }
  return output;
}

function readChecks(folder: string): Map<string, Check[]> {
  const files = globSync("*/checks.json", { cwd: folder });
  return new Map(
    files.map((file) => {
      // The folder is named "authorization-server-SCENARIO-TIME".
      const scenario = dirname(file).replace(/^authorization-server-(.+)-\d{4}-\d{2}-\d{2}T.*$/, "$1");
      return [scenario, JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[]];
    }),
  );
}

describe.each([
  { client: "a client nobody registered", more: () => ["--client-id", "conformance-suite"] },
  {
    client: "one that names its resource",
    more: () => ["--client-id", "conformance-suite", "--resource", `${appUrlOf(server)}${PATHS.all}`],
  },
])("with $client", ({ client, more }) => {
  let checks: ReadonlyMap<string, Check[]>;

  beforeAll(async () => {
    const folder = join(results, client.replaceAll(" ", "-"));
    const output = await runSuite(folder, more());
    checks = readChecks(folder);
    expect(checks.size, `no scenario was run:\n${output}`).toBeGreaterThan(0);
  }, TIMEOUT_MS);

  it.each(["authorization-server-metadata-endpoint", "authorization-code-grant"])(
    "[oauth.client.conformance] %s",
    (scenario) => {
      const made = checks.get(scenario) ?? [];
      expect(made, `not among ${[...checks.keys()]}`).not.toEqual([]);
      const bad = made.filter(({ status }) => status !== "SUCCESS");
      expect(bad.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`)).toEqual([]);
    },
  );

  it("has no scenario that this test does not know", () => {
    expect([...checks.keys()].toSorted()).toEqual([
      "authorization-code-grant",
      "authorization-server-metadata-endpoint",
    ]);
  });
});
