import { expect, it } from "vitest";
import { explainFailure } from "./external.ts";
import { adviceOn, reasonOf, StartFailure } from "./start-failure.ts";

const at = "2026-11-17 12:00:00.000 UTC [1]";

it.each([
  [`${at} FATAL:  could not locate a valid checkpoint record at 0/1A305C0`, /^could not locate/, /backup/],
  [`${at} FATAL:  database files are incompatible with server\n${at} DETAIL:  …`, /incompatible/, /backup/],
  [
    `${at} LOG:  invalid value for parameter "port": "x"\n${at} FATAL:  configuration file "/h" contains errors`,
    /contains errors/,
    /Correct postgresql\.conf/,
  ],
  [
    `${at} FATAL:  could not map anonymous shared memory: Cannot allocate memory`,
    /Cannot allocate/,
    /memory/,
  ],
  ['postgres: could not access the server configuration file "/h": Permission denied', /denied/, /owns/],
  [
    `${at} PANIC:  could not write to file "pg_wal/xlogtemp.9": No space left on device\n${at} PANIC:  cannot abort transaction 1, it was already committed\ninitdb: removing data directory "/h"`,
    /No space left on device$/,
    /Make room/,
  ],
  ['initdb: error: could not create directory "/h": Read-only file system', /Read-only/, /mount/i],
])("%s", (log, reason, advice) => {
  expect(reasonOf(log, { code: 1 })).toMatch(reason);
  expect(adviceOn(reasonOf(log, { code: 1 }), "")).toMatch(advice);
});

it("without a word from it, how it ended is told", () => {
  expect(StartFailure.fromLog("", "/log", { signal: "SIGKILL" }).message).toMatch(/killed.*memory/);
  expect(StartFailure.fromLog("\n", "/log", { code: 3 }).advice).toMatch(/code 3.*Its log is \/log\.$/);
  const error = Object.assign(new Error("spawn ENOEXEC"), { code: "ENOEXEC" });
  expect(StartFailure.fromLog("", "/log", { error }).message).toMatch(/cannot be run \(ENOEXEC\)/);
  const empty = StartFailure.fromLog("", "/log", { code: 0 });
  expect(empty.advice).toMatch(/program did nothing, as an empty .*Install Kenning's packages again/);
});

it("damage that shows only once it runs is told as damage, and names no DATABASE_URL that nobody set", () => {
  for (const message of [
    'database "postgres" does not exist',
    "invalid page in block 0 of relation base/5/1259",
  ]) {
    const code = message.startsWith("database") ? "3D000" : "XX001";
    const failure = explainFailure(Object.assign(new Error(message), { code }), "the embedded database");
    expect(failure.advice).toMatch(/damaged or incomplete: put back a backup/);
    expect(failure.advice).not.toContain("DATABASE_URL");
  }
});
