import { expect, it } from "vitest";
import { visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { buildKnowledge } from "../knowledge/build-knowledge.ts";
import { nearestNames } from "./offers.ts";

const KNOWLEDGE = buildKnowledge(visibleCafe(), [
  { ds: "shops", field: "shop_name", values: ["Alpha", "Cargo bar", "Nora's", "Philadelphia"], isCut: false },
  { ds: "items", field: "product", values: ["Tea", "Coffee"], isCut: false },
]);

it.each([
  ["Alfa", ["Alpha"]],
  ["Kargo", ["Cargo bar"]],
  ["Tee", ["Tea"]],
  ["Cofee", ["Coffee"]],
  ["Filadelpia", ["Philadelphia"]],
  ["Norway", []],
  ["tax", []],
])("%s: %s", (word, near) => {
  expect(nearestNames(word, KNOWLEDGE)).toEqual(near);
});
