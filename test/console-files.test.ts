import { describe, expect, it } from "vitest";
import { previewOf } from "../web/src/pages/data/preview.ts";
import { changed, modelIn } from "../web/src/pages/models/source.ts";

const MODEL = `version: 0.2.0.dev0
semantic_model:
  - name: shop # the only one
    datasets:
      - name: orders
        source: orders
        primary_key: [id]
        fields:
          - name: day
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: ordered_on
            dimension:
              is_time: true
    metrics:
      - name: revenue
        expression:
          dialects:
            - dialect: ANSI_SQL
              expression: SUM(orders.amount)
        ai_context:
          synonyms: [turnover, Umsatz]
`;

describe("the file of a model in the console", () => {
  it("is shown as forms", () => {
    const model = modelIn(MODEL);
    expect(model?.datasets).toMatchObject([
      { name: "orders", keys: ["id"], fields: [{ name: "day", role: "time", expression: "ordered_on" }] },
    ]);
    expect(model?.metrics).toMatchObject([{ name: "revenue", synonyms: ["turnover", "Umsatz"] }]);
    expect(modelIn("semantic_model: [")).toBeNull();
  });

  it("is changed in one place, and keeps everything else", () => {
    const path = modelIn(MODEL)?.metrics[0]?.path ?? [];
    const next = changed(MODEL, path, { description: "After discount", synonyms: ["sales"] });
    expect(modelIn(next)?.metrics).toMatchObject([{ description: "After discount", synonyms: ["sales"] }]);
    expect(next).toContain("# the only one");
    expect(changed(next, path, { description: "", synonyms: ["turnover", "Umsatz"] })).toBe(MODEL);
  });
});

describe("the preview of a file", () => {
  const preview = (name: string, text: string | Uint8Array<ArrayBuffer>) => previewOf(new File([text], name));

  it("shows rows as they are written, and guesses types", async () => {
    const found = await preview(
      "a.csv",
      'day;name;amount\r\n01.03.2026;"A; ""b""";1.234,50\r\n02.03.2026;;7,00\r\n',
    );
    expect(found?.columns).toEqual([
      { name: "day", guess: "DATE", empty: 0 },
      { name: "name", guess: "VARCHAR", empty: 1 },
      { name: "amount", guess: "DOUBLE", empty: 0 },
    ]);
    expect(found?.rows[0]).toEqual(["01.03.2026", 'A; "b"', "1.234,50"]);
  });

  it("takes numbers that begin with zero for text, and names columns that have no name of their own", async () => {
    const found = await preview("a.tsv", "code\t\tcode\n00123\tx\t1\n");
    expect(found?.columns.map(({ name, guess }) => [name, guess])).toEqual([
      ["code", "VARCHAR"],
      ["column 2", "VARCHAR"],
      ["code (2)", "BIGINT"],
    ]);
  });

  it("reads Windows' letters, and leaves other kinds of files to the server", async () => {
    const bytes = new Uint8Array([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xc4, 0x72, 0x7a, 0x74, 0x65, 0x0a]);
    expect((await preview("a.csv", bytes))?.rows).toEqual([["Ärzte"]]);
    expect(await preview("a.xlsx", bytes)).toBeNull();
  });
});
