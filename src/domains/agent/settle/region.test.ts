import { expect, it } from "vitest";
import { withRegion } from "./region.ts";

it("puts a region's name in once and as it is, whatever signs it has in it", () => {
  expect(withRegion("revenue of my region and my region", "$'$&")).toBe("revenue of region $'$& and region");
});
