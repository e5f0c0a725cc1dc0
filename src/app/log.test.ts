import { DrizzleQueryError } from "drizzle-orm/errors";
import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { createLog } from "./log.ts";

test("an error is logged without the values of its query", () => {
  let written = "";
  const write = (line: string) => {
    written += line;
  };
  const log = createLog(loadConfig({ env: {}, cwd: "/" }), { write });
  const error = new DrizzleQueryError("select $1", ["private"]);
  log.error({ err: error }, "unexpected error");
  log.error({ err: error });
  log.error(error);
  expect(written).toContain("Failed query: select $1");
  expect(written).not.toContain("private");
});
