import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { spool } from "./spool.ts";

const folder = mkdtempSync(join(tmpdir(), "kenning-spool-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("stops asking for rows before the file is too large", async () => {
  let isEnded = false;
  async function* endless() {
    try {
      for (;;) yield { columns: [{ name: "a", type: "INTEGER" }], rows: [[1], [2]] };
    } finally {
      isEnded = true;
    }
  }
  const path = join(folder, "answer");
  const spooled = await spool(endless(), path, () => undefined, 40);
  expect(spooled).toMatchObject({ rows: 4, truncated: "bytes" });
  expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"a":2}\n'.repeat(2));
  expect(isEnded).toBe(true);
});
