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
