import { describe, expect, it } from "vitest";
import { AppError } from "../../../kernel/errors.ts";
import type { ModelDataset } from "../model.ts";
import { bindDataset, type Engine } from "./bind-dataset.ts";

const AI = { instructions: null, synonyms: [], examples: [], more: {} };
const field = (name: string, expression: string) => ({
  name,
  expression: { dialects: [{ dialect: "ANSI_SQL", expression }] },
  label: null,
  description: null,
  dataType: null,
  typeText: null,
  isTime: null,
  distinctValues: [],
  ai: AI,
  extensions: [],
});
const dataset: ModelDataset = {
  name: "orders",
  source: "orders",
  viewQuery: null,
  primaryKey: [],
  uniqueKeys: [],
  description: null,
  ai: AI,
  fields: [field("net", "net"), field("total", "net * 2")],
  policies: [],
  extensions: [],
};
const columns = [{ name: "net", type: "BIGINT" }];

/** An engine in a state that a real one cannot be brought into at will. */
function engineThat(fails: AppError): Engine {
  const refuse = () => Promise.reject(fails);
  return { serialize: refuse, describe: refuse };
}

describe("binding", () => {
  it.each(["unavailable", "timeout", "rate_limited", "cancelled"] as const)(
    "takes an engine that is %s for no fault of the model",
    async (code) => {
      const engine = engineThat(new AppError(code, "Not now."));
      await expect(bindDataset(dataset, columns, [], engine)).rejects.toMatchObject({ code });
    },
  );

  it("leaves a field out that the engine refuses, and knows the others without asking", async () => {
    const engine = engineThat(new AppError("bad_request", "No such thing."));
    const bound = await bindDataset(dataset, columns, [], engine);
    expect(bound.columns).toEqual(columns);
    expect(bound.problems).toMatchObject([{ severity: "error", path: "datasets.orders.fields.total" }]);
  });
});
