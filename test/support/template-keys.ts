import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The texts of t`…` in a source, with {0}, {1} … in place of values. */
export function keysIn(source: string): string[] {
  return [...source.matchAll(/(?<![\w.])t`/g)].map(({ index }) => {
    let key = "";
    let values = 0;
    for (let at = index + 2; source[at] !== "`"; at += 1) {
      if (!source.startsWith("${", at)) {
        key += source[at];
        continue;
      }
      let depth = 1;
      for (at += 2; depth > 0; at += 1) depth += source[at] === "{" ? 1 : source[at] === "}" ? -1 : 0;
      at -= 1;
      key += `{${values++}}`;
    }
    return key;
  });
}

/** What is wrong between the texts of t`…` in the sources of a folder and their translations. */
export function faultsOf(folder: string, translations: Readonly<Record<string, string>>): string[] {
  const keys = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => keysIn(readFileSync(join(folder, name), "utf8"))),
  );
  const valuesOf = (text: string) => (text.match(/\{\d\}/g) ?? []).toSorted().join();
  return [
    ...[...keys].filter((key) => translations[key] === undefined).map((key) => `not translated: ${key}`),
    ...Object.keys(translations)
      .filter((key) => !keys.has(key))
      .map((key) => `said nowhere: ${key}`),
    ...Object.entries(translations)
      .filter(([english, other]) => valuesOf(english) !== valuesOf(other))
      .map(([english]) => `other values: ${english}`),
  ];
}
