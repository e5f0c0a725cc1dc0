/** Nobody misspells a longer word, and comparing costs the product of the lengths. */
const LONGEST_WORD = 64;

/** The word of a list that a misspelt one was probably meant to be. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known.filter(({ length }) => length <= LONGEST_WORD)) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance))
      best = { word: candidate, distance };
  }
  return best?.word;
}

/** A list with the words first that are most like one; what is as much like it stays in its order. */
export function nearestFirst(word: string, known: readonly string[]): string[] {
  const far = (each: string) =>
    Math.max(word.length, each.length) > LONGEST_WORD
      ? Number.POSITIVE_INFINITY
      : editDistance(word.toLowerCase(), each.toLowerCase());
  const distances = new Map(known.map((each) => [each, far(each)]));
  const of = (each: string) => distances.get(each) ?? 0;
  return known.toSorted((a, b) => (of(a) === of(b) ? 0 : of(a) - of(b)));
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row[j] = Math.min(at(i - 1, j) + 1, (row[j - 1] as number) + 1, substitution, swap);
    }
  }
  return at(a.length, b.length);
}
