import { expect, it } from "vitest";
import { questionKey } from "./question-key.ts";

it.for([
  ["Revenue by shop?", "  revenue  by SHOP"],
  ["Umsatz nach Straße!", "umsatz nach straße"],
  ["revenue, by month.", "revenue by month"],
  ["Ada’s visits", "ada's visits"],
  ["revenue of “Aroma”", 'revenue of "Aroma"'],
])("the same question: %j", ([a, b]) => {
  expect(questionKey(a as string)).toBe(questionKey(b as string));
});

it.for([
  ["shops with revenue > 10", "shops with revenue < 10"],
  ["shops with revenue > 1.5", "shops with revenue > 15"],
  ["shops with revenue > .5", "shops with revenue > 5"],
  ["revenue on 2025-01-05", "revenue on 2025-01-5"],
  ["revenue + tip", "revenue - tip"],
  ["revenue", "revenue [Time period: 2025]"],
])("another question: %j", ([a, b]) => {
  expect(questionKey(a as string)).not.toBe(questionKey(b as string));
});
