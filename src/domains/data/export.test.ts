import { describe, expect, it } from "vitest";
import type { QueryBatch } from "../../platform/analytics/index.ts";
import { exportText, textOf } from "./export.ts";
import { LIMITS } from "./limits.ts";

const columns = [{ name: "a", type: "VARCHAR" }];
let isClosed = false;

async function* batchesOf(count: number, value: string): AsyncGenerator<QueryBatch> {
  isClosed = false;
  try {
    for (let n = 0; n < count; n += 1) yield { columns, rows: [[value]] };
  } finally {
    isClosed = true;
  }
}

const MIB = 1024 * 1024;

describe("a file of rows", () => {
  it.each(["csv", "json"] as const)("as %s is cut between rows at its largest size", async (format) => {
    const file = await exportText(batchesOf(100, "x".repeat(MIB)), { format, escapeFormulas: false });
    expect(file).toMatchObject({ isCut: true, rows: 15 });
    expect(file.content.length).toBeLessThanOrEqual(LIMITS.data.exportBytes);
    // The engine does not go on for nobody.
    expect(isClosed).toBe(true);
    if (format === "json") expect(JSON.parse(file.content.toString())).toHaveLength(15);
    else expect(file.content.toString().split("\r\n")).toHaveLength(17);
  });

  it.each([
    ["csv", 0, ""],
    ["json", 0, "[\n]\n"],
    ["csv", 2, "a\r\nx\r\nx\r\n"],
    ["json", 2, '[\n{"a":"x"},\n{"a":"x"}\n]\n'],
  ] as const)("as %s of %d rows is whole", async (format, count, expected) => {
    const file = await exportText(batchesOf(count, "x"), { format, escapeFormulas: false });
    expect({ ...file, content: file.content.toString() }).toMatchObject({
      content: expected,
      rows: count,
      isCut: false,
    });
    let text = "";
    for await (const piece of textOf(batchesOf(count, "x"), format)) text += piece;
    expect(text).toBe(expected);
  });
});
