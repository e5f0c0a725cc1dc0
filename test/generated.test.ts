import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GENERATORS } from "../scripts/generators.ts";

const root = join(import.meta.dirname, "..");

test.each(GENERATORS)("$path is up to date (else: npm run generate)", async ({ path, render }) => {
  expect(readFileSync(join(root, path), "utf8")).toBe(await render());
});
