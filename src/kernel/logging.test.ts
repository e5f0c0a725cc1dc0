import { DrizzleQueryError } from "drizzle-orm/errors";
import { afterEach, beforeEach, expect, it, test, vi } from "vitest";
import { AppError, messageOf } from "./errors.ts";
import { LogThrottle, loggable } from "./logging.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

it("tells of each thing when it begins, then once a minute how often it was silent, and anew when it was over", () => {
  const told = new LogThrottle();
  const lines: unknown[] = [];
  const tell = (what: string) => told.log(what, (facts) => lines.push({ what, ...facts }));
  for (let times = 0; times < 100; times += 1) tell("full");
  tell("away");
  expect(lines.splice(0)).toEqual([{ what: "full" }, { what: "away" }]);
  vi.advanceTimersByTime(60_000);
  tell("full");
  tell("away");
  expect(lines.splice(0)).toEqual([{ what: "full", timesSince: 99 }, { what: "away" }]);
  told.forget("full");
  tell("full");
  tell("away");
  expect(lines).toEqual([{ what: "full" }]);
});

const HASH = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g";

function failedQuery(): DrizzleQueryError {
  const cause = Object.assign(new Error("Connection terminated"), {
    code: "57P01",
    detail: "Key (text)=(private)",
  });
  return new DrizzleQueryError("update a set b = $1", ["private\n    at memory (a.ts:1:1)", HASH], cause);
}

test("the values of a query are nowhere, its text, code and stack are", () => {
  const logged = loggable(new AppError("unavailable", "Not now.", { cause: failedQuery() }));
  expect(logged).toMatchObject({
    type: "AppError",
    code: "unavailable",
    message: "Not now.",
    cause: {
      type: "DrizzleQueryError",
      message: "Failed query: update a set b = $1",
      stack: expect.stringMatching(/^Error: Failed query: update a set b = \$1\n\s+at failedQuery/),
      cause: { code: "57P01", message: "Connection terminated" },
    },
  });
  expect(JSON.stringify(logged)).not.toMatch(/private|argon2|memory/);
  expect(messageOf(failedQuery())).toBe("Failed query: update a set b = $1");
});

test("values are also cut from a stack whose message was changed later", () => {
  const error = failedQuery();
  error.message = "another";
  expect(JSON.stringify(loggable(error))).not.toMatch(/private|argon2|memory/);
});

test("secrets are masked, causes are bounded, and anything can be thrown", () => {
  expect(loggable(new Error(`wrong: ${HASH} of ann`)).message).toBe("wrong: $argon2*** of ann");
  const circle = new Error("round");
  circle.cause = circle;
  expect(JSON.stringify(loggable(circle)).match(/"message"/g)).toHaveLength(5);
  expect(loggable("text")).toEqual({ type: "string", message: "text" });
  expect(loggable(undefined)).toEqual({ type: "undefined", message: "undefined" });
});
