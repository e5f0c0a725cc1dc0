import { squared, type Unit, unitCalled, unitsPer } from "../../../models/quantities/index.ts";

/** What is measured in units that questions are read with. */
type Kind = "time" | "money" | "area" | "weight" | "length";

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["duration", "time"],
  ["money", "money"],
  ["area", "area"],
  ["weight", "weight"],
  ["length", "length"],
]);

function kindOf(unit: Unit | undefined): Kind | undefined {
  return unit === undefined ? undefined : KINDS.get(unit.quantity);
}

/** What a word after a number, or after "in", says that it is measured in. */
export function unitNamed(norm: string): Kind | undefined {
  return kindOf(unitCalled(norm));
}

/** The sign of the currency that a text names. */
export function currencyIn(text: string): string | undefined {
  const named = text
    .toLowerCase()
    .split(/[^\p{L}€$£¥]+/u)
    .map((word) => unitCalled(word));
  return named.find((unit) => unit?.quantity === "money" && unit.factor === 1)?.sign;
}

/** Words before the unit that something is measured in; elsewhere in a text a day is no unit. */
const BEFORE_UNIT = /^(in|of|average|mean|total|square)?$/;

/** The unit that a description of a number names: `duration_minutes`, "Length in minutes", "Hours from …". */
export function unitIn(texts: readonly (string | null)[]): string | undefined {
  for (const text of texts) {
    const words = squared(text ?? "")
      .toLowerCase()
      .split(/[^\p{L}]+/u);
    const isName = !text?.includes(" ");
    const named = words.find((word, i) => {
      const kind = unitNamed(word);
      if (!isName && !BEFORE_UNIT.test(words[i - 1] ?? "")) return false;
      return kind === "area" || (kind === "time" && (word.length > 2 || word === "ms"));
    });
    if (named !== undefined) return named;
  }
  return undefined;
}

/** How many of one unit make one of another; undefined where they measure something else. */
export function unitsIn(one: string, other: string): number | undefined {
  const [a, b] = [unitCalled(one), unitCalled(other)];
  return a === undefined || b === undefined ? undefined : unitsPer(a, b);
}
