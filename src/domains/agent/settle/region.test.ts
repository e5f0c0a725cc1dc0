import { expect, it } from "vitest";
import { regionIn, withRegion } from "./region.ts";

const VALUES = ["North", "South"];
const field = (name: string, ...synonyms: string[]) => ({ name, ai: { synonyms } });
const of = (ds: string, ...fields: ReturnType<typeof field>[]) => ({
  model: { datasets: [{ name: ds, fields }] },
  values: fields.map(({ name }) => ({ ds, field: name, values: VALUES })),
});

it.each([
  ["sales in my region", of("regions", field("region_name")), "region North"],
  ["sales in my region", of("sales", field("channel"), field("country", "region", "Land")), "region North"],
  ["sales in my country", of("sales", field("ticket_country"), field("country", "region")), "country North"],
  ["sales in my market", of("sales", field("sales_area", "market")), "market North"],
  ["Verkäufe in meinem Land", of("sales", field("country", "region", "Land")), "country North"],
  ["Verkäufe meiner Region", of("sales", field("district", "Region")), "district North"],
  ["sales in my district", of("shops", field("shop_district")), "district North"],
])("%s: any word that means the field", (text, places, expected) => {
  const own = regionIn(text, places);
  expect(own?.values).toEqual(VALUES);
  expect(withRegion(text, own as never, "North")).toContain(expected);
});

it.each(["sales of my customers", "sales in my channel", "sales in my town"])(
  "%s: speaks of no region that there is",
  (text) => {
    expect(regionIn(text, of("sales", field("country", "region"), field("channel")))).toBeUndefined();
  },
);

it("puts a region's name in once and as it is, whatever signs it has in it", () => {
  const own = { word: "region", name: "region", values: VALUES };
  const text = "revenue of my region and my region";
  expect(withRegion(text, own, "$'$&")).toBe("revenue of region $'$& and region");
});
