/** What is measured, and how much of the smallest common one a unit is. */
interface Unit {
  kind: "time" | "money" | "area";
  factor: number;
}

const TIME: readonly [words: string, factor: number][] = [
  ["ms millisecond milliseconds msec millisekunde millisekunden", 0.001],
  ["s sec secs second seconds sekunde sekunden", 1],
  ["min mins minute minutes minuten", 60],
  ["h hr hrs hour hours stunde stunden", 3600],
  ["day days tag tage tagen", 86_400],
];
const MONEY = "euro euros eur dollar dollars usd bucks pound pounds gbp chf franc francs franken cent cents";

const AREA = "sqm m2 m² qm quadratmeter square";

const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...TIME.flatMap(([words, factor]) =>
    words.split(" ").map((word): [string, Unit] => [word, { kind: "time", factor }]),
  ),
  ...AREA.split(" ").map((word): [string, Unit] => [word, { kind: "area", factor: 1 }]),
  ...MONEY.split(" ").map((word): [string, Unit] => [word, { kind: "money", factor: 1 }]),
]);

/** What a word after a number, or after "in", says that it is measured in. */
export function unitNamed(norm: string): Unit["kind"] | undefined {
  return UNITS.get(norm)?.kind;
}

/** Words before the unit that something is measured in; elsewhere in a text a day is no unit. */
const BEFORE_UNIT = /^(in|of|average|mean|total|square)?$/;

/** The unit that a description of a number names: `duration_minutes`, "Length in minutes", "Hours from …". */
export function unitIn(texts: readonly (string | null)[]): string | undefined {
  for (const text of texts) {
    const words = (text ?? "").toLowerCase().split(/[^\p{L}]+/u);
    const isName = !text?.includes(" ");
    const named = words.find((word, i) => {
      const { kind } = UNITS.get(word) ?? {};
      if (!isName && !BEFORE_UNIT.test(words[i - 1] ?? "")) return false;
      return kind === "area" || (kind === "time" && (word.length > 2 || word === "ms"));
    });
    if (named !== undefined) return named;
  }
  return undefined;
}

/** How many of one unit make one of another; undefined where they measure something else. */
export function unitsIn(one: string, other: string): number | undefined {
  const [a, b] = [UNITS.get(one), UNITS.get(other)];
  return a === undefined || b === undefined || a.kind !== b.kind ? undefined : a.factor / b.factor;
}
