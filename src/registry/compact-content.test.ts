import fc from "fast-check";
import { encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { compactFile, compactRows } from "./compact-content.ts";

const textOf = (output: Parameters<typeof compactRows>[0]) => compactRows(output).content as string;

describe("compact rows", () => {
  it("have their names once, and a line for each row", () => {
    const output = {
      columns: [
        { name: "city", type: "VARCHAR" },
        { name: "people", type: "BIGINT" },
      ],
      rows: [
        { city: "Bonn", people: 330_000 },
        { city: "", people: null },
      ],
      totalRows: 9,
      note: undefined,
    };
    expect(textOf(output)).toBe(
      `{"columns":[{"name":"city","type":"VARCHAR"},{"name":"people","type":"BIGINT"}],"rows":[
["Bonn",330000],
["",null]
],"totalRows":9}`,
    );
    expect(textOf({ columns: ["a"], rows: [] })).toBe('{"columns":["a"],"rows":[]}');
  });

  it("take far fewer tokens than objects", () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({
      order_id: 100_231 + i,
      created_at: `2026-03-${String((i % 28) + 1).padStart(2, "0")} 11:17:05`,
      customer_email: `user${i}@example.com`,
      amount: i * 13.37,
      coupon: null,
    }));
    const output = { columns: Object.keys(rows[0] ?? {}), rows };
    expect(encode(textOf(output)).length).toBeLessThan(0.7 * encode(JSON.stringify(output)).length);
  });

  it("are complete: whatever the values are, the rows can be had from the text", () => {
    const names = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 });
    const table = names.chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        rows: fc.array(
          fc
            .array(fc.jsonValue(), { minLength: columns.length, maxLength: columns.length })
            .map((values) => Object.fromEntries(columns.map((name, i) => [name, values[i]]))),
          { maxLength: 5 },
        ),
      }),
    );
    fc.assert(
      fc.property(table, ({ columns, rows }) => {
        const read = JSON.parse(textOf({ columns, rows })) as { columns: string[]; rows: unknown[][] };
        const back = read.rows.map((row) =>
          Object.fromEntries(read.columns.map((name, i) => [name, row[i]])),
        );
        expect(JSON.stringify(back)).toBe(JSON.stringify(rows));
      }),
    );
  });
});

describe("a compact file", () => {
  it("is text where it is one, and base64 where not", () => {
    const file = (mime_type: string) => {
      const content_base64 = Buffer.from("ä").toString("base64");
      return (compactFile({ file_name: "a b", mime_type, content_base64 }).content as object[])[1];
    };
    const uri = "kenning://exports/a%20b";
    const mimeType = "application/vnd.apache.parquet";
    expect(file("application/json")).toMatchObject({ resource: { uri, text: "ä" } });
    expect(file(mimeType)).toEqual({ type: "resource", resource: { uri, mimeType, blob: "w6Q=" } });
  });
});
