import { expect, it } from "vitest";
import { faultsOf } from "../../../test/support/template-keys.ts";
import { GERMAN } from "./text.ts";

it("has all that is said in German, and nothing else", () => {
  expect(faultsOf(import.meta.dirname, GERMAN)).toEqual([]);
});
