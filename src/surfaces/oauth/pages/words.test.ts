import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keysIn } from "../../../../test/support/template-keys.ts";
import { GERMAN } from "./german.ts";
import { wordsIn } from "./words.ts";

const SURFACES = join(import.meta.dirname, "../..");
const sources = readdirSync(SURFACES, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("german.ts"))
  .map((name) => readFileSync(join(SURFACES, name), "utf8"));

const keys = new Set(sources.flatMap(keysIn));

it("has every text of a page in German, with the same values in it", () => {
  const isText = (key: string) => key.replaceAll(/\{\d\}/g, "").trim() !== "";
  const missing = [...keys].filter((key) => isText(key) && GERMAN[key] === undefined);
  expect(missing).toEqual([]);
  const valuesOf = (text: string) => text.match(/\{\d\}/g)?.toSorted() ?? [];
  for (const [english, german] of Object.entries(GERMAN)) expect(valuesOf(german)).toEqual(valuesOf(english));
});

it("has nothing in German that no page says", () => {
  const all = readdirSync(join(SURFACES, ".."), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("german.ts"))
    .map((name) => readFileSync(join(SURFACES, "..", name), "utf8"))
    .join("\n");
  expect(Object.keys(GERMAN).filter((key) => !keys.has(key) && !all.includes(`"${key}`))).toEqual([]);
});

it("escapes values, keeps markup, and puts values where the language wants them", () => {
  const t = wordsIn("de");
  expect(String(t`Connect <span class="client">${"<b>"}</span>?`)).toBe(
    '<span class="client">&lt;b&gt;</span> verbinden?',
  );
  expect(String(wordsIn("en")`Hello, ${"<i>"}`)).toBe("Hello, &lt;i&gt;");
});
