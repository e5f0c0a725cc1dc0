import type { Schema } from "../../query/schema.ts";
import type { Ask, Key } from "../../query/semantic-query.ts";

/** "border other states": of a link of something with itself, the others are meant anyway. */
export function isAmongThemselves(links: ReadonlySet<string>, schema: Schema): boolean {
  return [...links].some((name) => {
    const { from, to } = schema.links.get(name) ?? {};
    return from === to || [...links].some((other) => other !== name && schema.links.get(other)?.to === to);
  });
}

/** Numbers beside each other: in columns, by values that were named, or one period after the other. */
export function isBeside(ask: Ask, text: string): boolean {
  if (ask.k === "list") return false;
  const { by, cols, scope } = ask;
  const isNamed = (key: Key) => text.includes(`"key":${JSON.stringify(key)},"values":[`);
  const isAfter = ({ bucket }: Key) => bucket !== undefined && scope?.win !== undefined;
  return cols.length > 1 || by.some((key) => isNamed(key) || isAfter(key));
}
