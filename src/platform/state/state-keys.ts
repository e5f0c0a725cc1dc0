import { LIMITS } from "./limits.ts";

/** Keys come from our own code, so a bad one is a bug and not an expected failure. */
export function assertKey(key: string): void {
  if (key === "" || key.endsWith(":") || key.length > LIMITS.state.keyCharacters) {
    throw new TypeError(`not a key of shared state: ${JSON.stringify(key.slice(0, 80))}`);
  }
}

export function assertPrefix(prefix: string): void {
  if (!prefix.endsWith(":") || prefix.length > LIMITS.state.keyCharacters) {
    throw new TypeError(`not a prefix of shared state: ${JSON.stringify(prefix.slice(0, 80))}`);
  }
}

/** `a:b:c` lies below `a:` and `a:b:`. */
export function prefixesOf(key: string): string[] {
  const prefixes: string[] = [];
  for (let colon = key.indexOf(":"); colon !== -1; colon = key.indexOf(":", colon + 1)) {
    prefixes.push(key.slice(0, colon + 1));
  }
  return prefixes;
}
