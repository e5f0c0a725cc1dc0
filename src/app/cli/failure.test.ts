import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import { logFailure, reportFailure } from "./failure.ts";

let home: string;
let said = "";
const terminal = {
  out: () => {},
  err: (text: string) => {
    said += text;
  },
  readAll: async () => "",
};

beforeEach(() => {
  said = "";
  home = mkdtempSync(join(tmpdir(), "kenning-failure-"));
  vi.stubEnv("KENNING_HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

test("an expected failure is one line with its advice, and is not logged", async () => {
  await reportFailure(
    new AppError("not_found", "There is no such thing.\nReally.", { hint: "Make one." }),
    terminal,
  );
  expect(said).toBe("kenning: There is no such thing. Really. Make one.\n");
  expect(statSync(join(home, "logs"), { throwIfNoEntry: false })).toBeUndefined();
});

test("an unexpected one gets an id; its insides are in the log, for the owner alone and without secrets", async () => {
  const cause = new Error("connect postgres://ann:hunter2@db/x");
  await reportFailure(new TypeError("boom", { cause }), terminal);
  const file = join(home, "logs", "errors.log");
  const id = /\(error ([0-9a-f-]{36})\); details are in (.*)\.\n$/.exec(said) ?? expect.fail(said);
  expect(id[2]).toBe(file);
  expect(said).not.toMatch(/boom|\bat /);
  const entry = JSON.parse(readFileSync(file, "utf8")) as { id: string; error: string };
  expect(entry.id).toBe(id[1]);
  expect(entry.error).toMatch(/TypeError: boom\n\s+at [\s\S]*caused by: Error: connect/);
  expect(entry.error).not.toContain("hunter2");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "logs")).mode & 0o777).toBe(0o700);
});

test("the values of a query that failed are not in it", async () => {
  await reportFailure(new DrizzleQueryError("select $1", ["private"]), terminal);
  const text = readFileSync(join(home, "logs", "errors.log"), "utf8");
  expect(text).toContain("Failed query: select $1");
  expect(text).not.toContain("private");
});

test("the stack is shown to who asks for it", async () => {
  vi.stubEnv("KENNING_LOG_LEVEL", "debug");
  await reportFailure(new TypeError("boom"), terminal);
  expect(said).toMatch(/TypeError: boom\n\s+at /);
});

test("without a log the sentence says how to see more", async () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  vi.stubEnv("KENNING_HOME", file);
  await reportFailure(new TypeError("boom"), terminal);
  expect(said).toMatch(/^kenning: .*; KENNING_LOG_LEVEL=debug shows more\.\n$/);
});

test("the log is bounded: one older file is kept", () => {
  const file = logFailure(home, "1", new Error("first")) ?? expect.fail();
  writeFileSync(file, "x".repeat(LIMITS.commandLine.errorLogBytes + 1));
  logFailure(home, "2", new Error("second"));
  expect(readFileSync(file, "utf8")).toContain("second");
  expect(statSync(`${file}.1`).size).toBeGreaterThan(LIMITS.commandLine.errorLogBytes);
});
