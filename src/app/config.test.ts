import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isAppError } from "../kernel/errors.ts";
import { createGuardedFetch } from "../platform/guarded-fetch/index.ts";
import { type Config, loadConfig, SETTINGS, settingsOf } from "./config.ts";

const folder = mkdtempSync(join(tmpdir(), "kenning-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function load(env: Record<string, string> = {}, more: { cwd?: string; root?: boolean } = {}): Config {
  return loadConfig({ env, cwd: folder, root: false, ...more });
}

/** The one sentence with which the start is refused. */
function refusal(env: Record<string, string>, cwd = folder): string {
  try {
    load(env, { cwd });
  } catch (error) {
    if (isAppError(error)) return error.advice;
    throw error;
  }
  throw new Error("The settings were accepted.");
}

describe("defaults", () => {
  test("are those that the contracts document", () => {
    const config = load();
    expect(config.server).toMatchObject({
      port: 8319,
      host: "127.0.0.1",
      appUrl: "http://localhost:8319",
      apiPrefix: null,
    });
    expect(config.security).toMatchObject({
      jwtSecret: null,
      accessTtlMinutes: 15,
      refreshTtlDays: 14,
      authorizationCodeTtlMinutes: 10,
      deviceCodeTtlMinutes: 15,
    });
    expect(config.mcp).toEqual({
      sessionTtlMinutes: 60,
      sessionCleanupIntervalMinutes: 15,
      rateLimitEnabled: true,
      rateLimitWindowMs: 60_000,
      rateLimitMaxRequests: 5,
    });
    expect(config.knowledge).toEqual({
      enabled: false,
      authModule: null,
      requests: { enabled: true, requests: 120, windowSeconds: 60 },
      searches: { enabled: true, requests: 30, windowSeconds: 60 },
      downloads: { enabled: true, requests: 20, windowSeconds: 60 },
      downloadsByAddress: { requests: 300, windowSeconds: 60 },
      downloadsByAddressAndDocument: { requests: 60, windowSeconds: 60 },
    });
  });

  test("depend on who runs the server and on the port", () => {
    expect(load({}, { root: true }).storage.home).toBe("/var/lib/kenning");
    expect(load().storage.home).toBe(join(homedir(), ".local/share/kenning"));
    expect(load({ XDG_DATA_HOME: "/data" }).storage.home).toBe("/data/kenning");
    expect(load({ PORT: "9000" }).server.appUrl).toBe("http://localhost:9000");
  });

  test("hold where a variable is empty", () => {
    expect(load({ PORT: "", APP_URL: " ", DATABASE_URL: "" })).toEqual(load());
  });
});

describe("every variable that the contracts name", () => {
  const named = [
    "PORT APP_URL DATABASE_URL NODE_ENV JWT_SECRET JWT_ACCESS_TTL_MINUTES JWT_REFRESH_TTL_DAYS",
    "OAUTH_AUTHORIZATION_CODE_TTL_MINUTES OAUTH_DEVICE_CODE_TTL_MINUTES GOOGLE_CLIENT_ID GOOGLE_CLIENT_SECRET",
    "MCP_SESSION_TTL_MINUTES MCP_SESSION_CLEANUP_INTERVAL_MINUTES MCP_RATE_LIMIT_WINDOW_MS MCP_RATE_LIMIT_MAX_REQUESTS",
    "API_PREFIX REDIS_URL RATE_LIMIT_ENABLED EXTERNAL_KNOWLEDGE_MCP_ENABLED",
    "EXTERNAL_KNOWLEDGE_MCP_RATE_LIMIT_ENABLED EXTERNAL_KNOWLEDGE_MCP_RATE_LIMIT_REQUESTS",
    "EXTERNAL_KNOWLEDGE_MCP_RATE_LIMIT_WINDOW_SECONDS EXTERNAL_KNOWLEDGE_MCP_SEARCH_RATE_LIMIT_ENABLED",
    "EXTERNAL_KNOWLEDGE_MCP_SEARCH_RATE_LIMIT_REQUESTS EXTERNAL_KNOWLEDGE_MCP_SEARCH_RATE_LIMIT_WINDOW_SECONDS",
    "EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_RATE_LIMIT_ENABLED EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_RATE_LIMIT_REQUESTS",
    "EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_RATE_LIMIT_WINDOW_SECONDS",
    "EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_PREAUTH_IP_RATE_LIMIT_REQUESTS",
    "EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_PREAUTH_IP_RATE_LIMIT_WINDOW_SECONDS",
    "EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_PREAUTH_DOCUMENT_RATE_LIMIT_REQUESTS",
    "EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_PREAUTH_DOCUMENT_RATE_LIMIT_WINDOW_SECONDS",
  ].flatMap((line) => line.split(" "));
  const known = Object.values(SETTINGS).flatMap(({ settings }) =>
    settingsOf(settings).map(({ name }) => name),
  );

  test.each(named)("%s is a setting", (name) => {
    expect(known).toContain(name);
  });

  test("no name is used twice", () => {
    expect(known.length).toBe(new Set(known).size);
  });
});

describe("values", () => {
  test.each([
    [
      { APP_URL: "https://kenning.example.com/" },
      (config: Config) => config.server.appUrl,
      "https://kenning.example.com",
    ],
    [
      { APP_URL: "https://Example.COM/kenning//" },
      (config: Config) => config.server.appUrl,
      "https://example.com/kenning",
    ],
    [{ API_PREFIX: "/api/" }, (config: Config) => config.server.apiPrefix, "/api"],
    [{ KENNING_HOST: "::" }, (config: Config) => config.server.host, "::"],
    [
      { KENNING_TRUSTED_PROXIES: "loopback, 10.0.0.0/8,fd00::1" },
      (config: Config) => config.server.trustedProxies,
      ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "fd00::1"],
    ],
    [
      { KENNING_ALLOWED_HOSTS: "Kenning.lan:8319,[::1]" },
      (config: Config) => config.server.allowedHosts,
      ["kenning.lan:8319", "[::1]"],
    ],
    [
      { KENNING_ALLOWED_ORIGINS: "https://a.example/" },
      (config: Config) => config.server.allowedOrigins,
      ["https://a.example"],
    ],
    [
      { KENNING_ALLOW_PRIVATE_URLS: "intranet,10.1.2.3" },
      (config: Config) => config.security.allowPrivateUrls,
      ["intranet", "10.1.2.3"],
    ],
    [{ EXTERNAL_KNOWLEDGE_MCP_ENABLED: "TRUE" }, (config: Config) => config.knowledge.enabled, true],
    [{ RATE_LIMIT_ENABLED: "0" }, (config: Config) => config.mcp.rateLimitEnabled, false],
    [{ KENNING_HOME: "~/k" }, (config: Config) => config.storage.home, join(homedir(), "k")],
    [{ KENNING_LOG_LEVEL: "debug" }, (config: Config) => config.operations.logLevel, "debug"],
  ])("%o", (env, pick, expected) => {
    expect(pick(load(env))).toEqual(expected);
  });

  test.each([
    [{ PORT: "http" }, 'PORT is "http", but must be a whole number from 0 to 65535.'],
    [{ PORT: "65536" }, 'PORT is "65536", but must be a whole number from 0 to 65535.'],
    [{ PORT: "-1" }, /^PORT is "-1"/],
    [{ PORT: "1e3" }, /^PORT is "1e3"/],
    [
      { APP_URL: "kenning.example.com" },
      /^APP_URL is "kenning.example.com", but must be an absolute URL with http or https/,
    ],
    [{ APP_URL: "ftp://kenning.example.com" }, /^APP_URL is/],
    [{ APP_URL: "https://u:p@kenning.example.com" }, /^APP_URL is/],
    [{ APP_URL: "https://kenning.example.com/?a=b" }, /^APP_URL is/],
    [{ API_PREFIX: "api" }, /^API_PREFIX is "api", but must be a path/],
    [{ EXTERNAL_KNOWLEDGE_MCP_ENABLED: "maybe" }, /must be `true` or `false`\.$/],
    [{ KENNING_LOG_LEVEL: "loud" }, /^KENNING_LOG_LEVEL is "loud", but must be one of `fatal`/],
    [{ KENNING_TRUSTED_PROXIES: "10.0.0.0/33" }, /^KENNING_TRUSTED_PROXIES is/],
    [{ KENNING_TRUSTED_PROXIES: "proxy.example.com" }, /^KENNING_TRUSTED_PROXIES is/],
    [{ KENNING_ALLOWED_HOSTS: "https://kenning.lan" }, /^KENNING_ALLOWED_HOSTS is/],
    [{ KENNING_ALLOWED_ORIGINS: "https://a.example/path" }, /^KENNING_ALLOWED_ORIGINS is/],
    [{ KENNING_HOST: "300.1.1.1" }, /^KENNING_HOST is/],
    [{ MCP_RATE_LIMIT_MAX_REQUESTS: "0" }, /^MCP_RATE_LIMIT_MAX_REQUESTS is/],
  ])("%o stops the start", (env, sentence) => {
    expect(refusal(env)).toMatch(sentence);
  });

  test.each([
    [
      { JWT_SECRET: "hunter2-hunter2" },
      "JWT_SECRET has a value that cannot be used; it must be a secret of at least 32 characters.",
    ],
    [
      { DATABASE_URL: "mysql://root:hunter2@db/x" },
      /^DATABASE_URL .* must be a URL that begins with `postgres:\/\/` or/,
    ],
    [{ REDIS_URL: "hunter2" }, /^REDIS_URL/],
    [{ KENNING_METRICS_TOKEN: "hunter2" }, /^KENNING_METRICS_TOKEN/],
  ])("a secret is refused without being shown: %#", (env, sentence) => {
    expect(refusal(env)).toMatch(sentence);
    expect(refusal(env)).not.toContain("hunter2");
  });

  test("a very long value is cut in the message", () => {
    expect(refusal({ PORT: "9".repeat(10_000) }).length).toBeLessThan(200);
  });
});

describe("private targets", () => {
  const setting = SETTINGS.security.settings.allowPrivateUrls;
  const documented = [...setting.allowed.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");

  test.each([...documented, "intranet", "[fd00::1]:8080", "10.0.0.5:9000", "fd00::/8"])(
    "%s is taken by the setting and by the fetcher that reads it",
    async (entry) => {
      const allow = load({ KENNING_ALLOW_PRIVATE_URLS: entry }).security.allowPrivateUrls;
      expect(allow).toEqual([entry]);
      await createGuardedFetch({ allow }).close();
    },
  );

  test.each(["10.0.0.0/40", "300.1.1.1", "host:0", "host:99999", "http://a:1"])("%s is not", (entry) => {
    expect(refusal({ KENNING_ALLOW_PRIVATE_URLS: entry })).toMatch(/^KENNING_ALLOW_PRIVATE_URLS is/);
  });

  test("the examples are there", () => expect(documented).toHaveLength(4));
});

describe("unknown names", () => {
  test("that begin with KENNING_ stop the start and name the nearest setting", () => {
    expect(refusal({ KENNING_HOM: "/data" })).toBe(
      "KENNING_HOM is not a setting of Kenning; did you mean KENNING_HOME?",
    );
    expect(refusal({ KENNING_X: "" })).toMatch(
      /^KENNING_X .*known names are KENNING_HOST, .*KENNING_WORKSPACE\.$/,
    );
  });

  test("of others are none of our business", () => {
    expect(load({ HOME: "/root", PRT: "1" })).toEqual(load());
  });
});

describe("the file .env", () => {
  test("gives values, and the environment wins over it", () => {
    const cwd = mkdtempSync(join(folder, "env-"));
    writeFileSync(
      join(cwd, ".env"),
      '# ours\nPORT=9001\nAPP_URL="https://file.example"\nKENNING_LOG_LEVEL=warn\n',
    );
    const config = load({ PORT: "9002", APP_URL: "" }, { cwd });
    expect(config.server).toMatchObject({ port: 9002, appUrl: "https://file.example" });
    expect(config.operations.logLevel).toBe("warn");
  });

  test("is named when the mistake is in it", () => {
    const cwd = mkdtempSync(join(folder, "env-"));
    writeFileSync(join(cwd, ".env"), "PORT=x\n");
    expect(refusal({}, cwd)).toMatch(/^PORT \(in the file \.env\) is "x"/);
    writeFileSync(join(cwd, ".env"), "KENNING_PROT=1\n");
    expect(refusal({}, cwd)).toMatch(/^KENNING_PROT \(in the file \.env\) is not a setting/);
  });
});
