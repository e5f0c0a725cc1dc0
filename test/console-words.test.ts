import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { german as common } from "../web/src/words/german.ts";
import { germanOfPages } from "../web/src/words/german-of-pages.ts";

const WEB = resolve(import.meta.dirname, "../web/src");

const german = { ...germanOfPages, ...common };

describe("the words of the console", () => {
  const used = new Set(
    globSync("**/*.{ts,tsx}", { cwd: WEB }).flatMap((path) =>
      keysIn(readFileSync(resolve(WEB, path), "utf8")),
    ),
  );

  it("has found them", () => {
    expect(used).toContain("Search or run …");
    expect(used).toContain("Asks: {0}");
  });

  it("has German for each", () => {
    expect([...used].filter((key) => !(key in german))).toEqual([]);
  });

  it("has no German for what is not said", () => {
    expect(Object.keys(german).filter((key) => !used.has(key))).toEqual([]);
  });

  it("keeps the values of each", () => {
    const placesIn = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort();
    const odd = Object.entries(german).filter(([key, text]) => `${placesIn(key)}` !== `${placesIn(text)}`);
    expect(odd).toEqual([]);
  });
});

/** What t`…` is written with, with {0}, {1} … in place of values. */
function keysIn(source: string): string[] {
  return [...source.matchAll(/(?<![\w.])t`/g)].map(({ index }) => {
    let key = "";
    let values = 0;
    let at = index + 2;
    while (source[at] !== "`") {
      if (source.startsWith("${", at)) {
        key += `{${values}}`;
        values += 1;
        at = endOfValue(source, at);
      } else {
        if (source[at] === "\\") at += 1;
        key += source[at];
        at += 1;
      }
    }
    return key;
  });
}

function endOfValue(source: string, start: number): number {
  let at = start + 2;
  for (let depth = 1; depth > 0; at += 1) {
    if (source[at] === "{") depth += 1;
    if (source[at] === "}") depth -= 1;
  }
  return at;
}
