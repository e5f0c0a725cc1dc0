import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { AppError } from "../kernel/errors.ts";
import { asAppError } from "./as-app-error.ts";

function listener() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

const failed = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: refused, open '/srv/kenning/blobs/parts/1'`), { code, ...more });

describe("what the machine refuses to everybody", () => {
  it.each([
    ["EROFS", "storage can only be read"],
    ["EACCES", "may not use its own storage"],
    ["EPERM", "may not use its own storage"],
    ["EIO", "storage fails"],
    ["EMFILE", "as many files open"],
    ["ENOSPC", "disk is full"],
    ["EDQUOT", "disk is full"],
    ["53100", "disk is full"],
    ["25006", "database can only be read"],
    ["ECONNREFUSED", "database cannot be reached"],
  ])("%s is a sentence without a path, and the log hears of it once", (code, sentence) => {
    const { log, lines } = listener();
    // As Drizzle and others throw it on.
    const thrown = () => new Error("Failed query: insert into t\nparams: hush", { cause: failed(code) });
    for (let call = 0; call < 50; call += 1) {
      const error = asAppError(thrown(), log, { operation: "push_data" });
      expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining(sentence) });
      expect(error.advice).not.toMatch(/srv|hush|error id/);
    }
    expect(lines).toMatchObject([{ operation: "push_data", reason: expect.stringContaining(code) }]);
    expect(JSON.stringify(lines).length).toBeLessThan(500);
    asAppError(failed(code === "EROFS" ? "EIO" : "EROFS"), log, {});
    expect(lines, "another trouble is told, too").toHaveLength(2);
  });
});

it("what nobody expected is logged whole, each time, under the id that is shown", () => {
  const { log, lines } = listener();
  const ids = [1, 2].map(() => asAppError(new TypeError("x is undefined"), log, {}).data.errorId);
  expect(lines.map(({ errorId }) => errorId)).toEqual(ids);
  expect(new Set(ids).size).toBe(2);
});

it("what was expected stays as it is", () => {
  const { log, lines } = listener();
  const error = new AppError("conflict", "There is one.");
  expect(asAppError(error, log, {})).toBe(error);
  expect(lines).toEqual([]);
});
