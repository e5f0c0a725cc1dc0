import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AssetKind, AssetKinds } from "../../registry/asset-kind.ts";
import { adaptIds, idArguments, namedAsset } from "./define.ts";

const table = (name: string): AssetKind => ({
  name,
  idsFrom: `list_${name}s`,
  can: async () => true,
  describe: async (_caller, id) => ({ id, name }),
  rows: async () => {
    throw new Error("Nobody reads rows here.");
  },
});
const one = new AssetKinds().add(table("dataset"));
const two = new AssetKinds().add(table("dataset")).add(table("widget"));

describe("arguments that name an asset", () => {
  it("are an id that is required, or an id of each kind", () => {
    const schemaOf = (assets: AssetKinds) =>
      z.toJSONSchema(z.strictObject(idArguments(assets, "rows", { described: true })));
    expect(schemaOf(one)).toMatchObject({
      properties: { dataset_id: { type: "integer", description: "From list_datasets" } },
      required: ["dataset_id"],
    });
    expect(Object.keys(schemaOf(two).properties ?? {})).toEqual(["dataset_id", "widget_id"]);
    expect(schemaOf(two)).not.toHaveProperty("required");
    expect(idArguments(two, "delete")).toEqual({});
  });

  it("tell the kind and the id, as we or as a contract name them", () => {
    expect(namedAsset({ dataset_id: undefined, widget_id: 5 })).toEqual({ type: "widget", id: 5 });
    expect(adaptIds({ datasetId: undefined, widgetId: 5 }, two, "rows")).toEqual({ widget_id: 5 });
    expect(() => adaptIds({ widgetId: 5 }, one, "rows")).toThrow("There is no widget with id 5.");
  });

  it.each([{}, { datasetId: 1, widgetId: 2 }])("refuse none and several: %j", (given) => {
    const ids = { datasetId: undefined, widgetId: undefined, ...given };
    expect(() => namedAsset(ids)).toThrow("One of datasetId or widgetId is required, and only one.");
  });
});
