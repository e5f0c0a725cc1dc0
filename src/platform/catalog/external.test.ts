import type pg from "pg";
import { describe, expect, it } from "vitest";
import { silentLog, testServerUrl, withDatabase } from "../../../test/support/database.ts";
import { assertServerVersion } from "./external.ts";
import { openCatalog } from "./index.ts";

const SECRET = "hunter2-do-not-show";
const open = (databaseUrl: string) => openCatalog({ home: "", databaseUrl, log: silentLog });
const withPassword = (url: string, password: string) => url.replace(/:[^:@]+@/, `:${password}@`);

async function failureOf(databaseUrl: string): Promise<{ code: string; advice: string }> {
  return open(databaseUrl).then(
    () => expect.unreachable("it opened"),
    (error) => error,
  );
}

describe("a database server that cannot be used", () => {
  it.each([
    [
      "refuses the password",
      async () => withPassword(await testServerUrl(), SECRET),
      "it refused the password",
    ],
    [
      "has no such database",
      async () => withDatabase(await testServerUrl(), "absent"),
      "it has no such database",
    ],
    [
      "has an unknown name",
      async () => `postgresql://kenning:${SECRET}@unknown.invalid/x`,
      "unknown.invalid",
    ],
  ])("%s: is named, with the reason and without its password", async (_, url, reason) => {
    const error = await failureOf(await url());
    expect(error).toMatchObject({ code: "unavailable", hint: expect.stringContaining("DATABASE_URL") });
    expect(error.advice).toContain(reason);
    expect(error.advice).not.toContain(SECRET);
  });

  it("is waited for, but not for ever, when nothing listens", { timeout: 120_000 }, async () => {
    const error = await failureOf(`postgresql://kenning:${SECRET}@127.0.0.1:1/x`);
    expect(error.advice).toContain("127.0.0.1, port 1, database x: nothing listens there");
    expect(error.advice).not.toContain(SECRET);
  });

  it("has an address that is none", async () => {
    const error = await failureOf(`postgresql://kenning:${SECRET}@host:port/x`);
    expect(error).toMatchObject({ code: "bad_request" });
    expect(JSON.stringify(error) + error.advice).not.toContain(SECRET);
  });
});

describe("the version of a server", () => {
  const serverOf = (version: string) =>
    ({ query: async () => ({ rows: [{ server_version: version }] }) }) as unknown as pg.Pool;

  it.each(["14.19", "9.6.24 (Debian)"])("%s is too old", async (version) => {
    await expect(assertServerVersion(serverOf(version))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`needs PostgreSQL 15 or newer; the server is version ${version}`),
    });
  });

  it.each(["15.0", "18.4", "19devel"])("%s will do", async (version) => {
    await assertServerVersion(serverOf(version));
  });
});
