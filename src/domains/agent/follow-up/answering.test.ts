import { expect, it } from "vitest";
import { REVENUE, reading, YEAR } from "../../../../test/support/questions.ts";
import { clarified } from "../phases/refuse.ts";
import type { Understanding } from "../understand/reading.ts";
import { answering, replyTo } from "./answering.ts";

const NOTHING: Understanding = { readings: [], missing: [], unclear: [] };
const WHOLE = reading("", { k: "table", by: [], cols: [REVENUE], scope: { win: YEAR } });

/** The questions that "by size" is tried as an answer to, where these wait for one. */
async function triedFor(...waiting: string[]): Promise<string[]> {
  const tried = new Set<string>();
  await answering({ text: "by size", answers: [], isForced: false }, waiting, {
    read: async (text) => (text === "revenue in Salzburg" ? { ...NOTHING, readings: [WHOLE] } : NOTHING),
    put: async ({ text }) => {
      tried.add(text);
      return clarified([{ question: "Which?", suggestions: ["large"], wants: "choice" }], "cafe");
    },
  });
  return [...tried];
}

it("tries what is said as an answer to all that waits for one, but for what was left for another question", async () => {
  expect(await triedFor("best shops", "maybe later")).toEqual(["best shops", "maybe later"]);
  expect(await triedFor("best shops", "revenue in Salzburg", "maybe later")).toEqual([
    "revenue in Salzburg",
    "maybe later",
  ]);
  expect(await triedFor("best shops", "who was first")).toEqual(["who was first"]);
});

it.each([
  ["takings of Foobar in May", ["Foobar"], "question"],
  ["Foobar", ["Foobar"], "open"],
  ["by revenue in May", [], "said"],
])("%s: a whole question is one of its own, also where a word of it is unknown", (text, missing, k) => {
  const which = { question: "By which number?", suggestions: ["visits"], wants: "number" as const };
  const unknown = missing.map((word) => ({ text: word, span: { start: 0, end: 1 }, nearest: [] }));
  expect(replyTo(text, [which], { ...NOTHING, readings: [WHOLE], missing: unknown })).toEqual({ k });
});
