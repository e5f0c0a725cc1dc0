/** Comparatives before `than`: what has more of a dimension, and what has less of it. */
const PAIRS = `
high: higher taller, lower
big: larger bigger, smaller
long: longer, shorter
price: pricier more_expensive, cheaper
heavy: heavier, lighter
fast: faster, slower
age: older, younger
hot: hotter warmer, colder
deep: deeper
wide: wider
-: more greater, less fewer`;

export const COMPARATIVES: ReadonlyMap<string, string> = new Map(
  pairsIn(PAIRS).flatMap(({ dim, more, less }) => [
    ...more.map((word) => [word, `>:${dim ?? ""}`] as const),
    ...less.map((word) => [word, `<:${dim ?? ""}`] as const),
  ]),
);

/** What has more and what has less of each dimension; a dash stands for none, and words of a phrase are joined. */
export function pairsIn(lines: string): { dim: string | null; more: string[]; less: string[] }[] {
  const words = (list = "") =>
    list
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => word.replaceAll("_", " "));
  return lines
    .trim()
    .split("\n")
    .map((line) => line.split(/: |, /))
    .map(([dim = "-", more, less]) => ({
      dim: dim === "-" ? null : dim,
      more: words(more),
      less: words(less),
    }));
}
