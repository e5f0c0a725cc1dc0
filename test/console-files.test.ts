import { describe, expect, it } from "vitest";
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
