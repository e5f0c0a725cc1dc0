import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import { unitNamed } from "../model/units.ts";
import type { Quantity } from "../senses/fragment.ts";
import type { Found } from "./candidates.ts";

/** Numbers, and how something is compared with them: "more than 60k". */
export function numberCandidates(words: readonly Word[], language: Language): Found[] {
  const found: Found[] = [];
  for (const i of words.keys()) {
    const number = numberAt(words, i, language);
    if (number === undefined) continue;
    const { value, isPercent, end, unit, isTimes } = number;
    const more = { ...(unit === undefined ? {} : { unit }), ...(isTimes === true ? { isTimes } : {}) };
    // Said as a word it counts something, and "one" mostly says nothing.
    if (!(number.isWord && value === 1))
      found.push({ sense: { t: "number", value, isPercent }, start: i, end, cost: 0 });
    found.push(...quantitiesAt(words, i, { value, end, ...more }, language));
  }
  for (const [i, word] of words.entries()) {
    if (language.inUnits.has(word.norm) && unitNamed(words[i + 1]?.norm ?? "") !== undefined)
      found.push({
        sense: { t: "unit", unit: words[i + 1]?.norm ?? "" },
        start: i,
        end: i + 2,
        cost: -0.3,
      });
    const skip = language.ordinals.get(word.norm);
    if (skip !== undefined)
      found.push({ sense: { t: "op", op: "ordinal", arg: String(skip) }, start: i, end: i + 1, cost: 0 });
    if (language.averages.has(word.norm) || language.averages.has(word.stem))
      found.push(...quantitiesAt(words, i, { value: "average", end: i + 1 }, language));
  }
  return found;
}

/** A number in digits or as a word, with its unit. */
function numberAt(
  words: readonly Word[],
  i: number,
  language: Language,
):
  | { value: number; isPercent: boolean; unit?: string; isTimes?: true; isWord: boolean; end: number }
  | undefined {
  const norm = words[i]?.norm ?? "";
  const times = language.times.get(norm);
  const spelt = times ?? language.numbers.get(norm);
  if (spelt !== undefined) {
    const after = words[i + 1]?.norm ?? "";
    const isTimes = language.timesWords.has(after);
    if (unitNamed(after) !== undefined)
      return { value: spelt, isPercent: false, isWord: true, unit: after, end: i + 2 };
    return {
      value: spelt,
      isPercent: false,
      isWord: true,
      end: isTimes ? i + 2 : i + 1,
      ...(isTimes || times !== undefined ? { isTimes: true as const } : {}),
    };
  }
  const match = /^([$€£])?(\d[\d.,]*)([km])?(%)?$/.exec(norm);
  if (match === null) return undefined;
  const scale = match[3] === "k" ? 1e3 : match[3] === "m" ? 1e6 : 1;
  const factor = language.scales.get(words[i + 1]?.norm ?? "");
  let end = factor === undefined ? i + 1 : i + 2;
  const isPercent = match[4] === "%" || /^(percent|prozent)$/.test(words[end]?.norm ?? "");
  const after = words[end]?.norm ?? "";
  const unit =
    match[1] === undefined ? (unitNamed(after) === undefined ? undefined : after) : SIGNS.get(match[1]);
  if (unit === after || /^(percent|prozent)$/.test(words[end]?.norm ?? "")) end += 1;
  const isTimes = language.timesWords.has(after);
  if (isTimes) end += 1;
  // "square metres" is one unit.
  if (after === "square") end += 1;
  const value = (language.digits(match[2] as string) * scale * (factor ?? 1)) / (isPercent ? 100 : 1);
  return {
    value,
    isPercent,
    ...(unit === undefined ? {} : { unit }),
    ...(isTimes ? { isTimes } : {}),
    isWord: false,
    end,
  };
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["$", "dollars"],
  ["€", "euros"],
  ["£", "pounds"],
]);

/** The words before a number that say how something is compared with it. */
function quantitiesAt(
  words: readonly Word[],
  i: number,
  { end, ...quantity }: Pick<Quantity, "value" | "unit" | "isTimes"> & { end: number },
  language: Language,
): Found[] {
  const before = (length: number) =>
    i < length
      ? undefined
      : words
          .slice(i - length, i)
          .map(({ norm }) => norm)
          .join(" ");
  const found: Found[] = [];
  // "from all six categories"
  if (language.all.has(before(1) ?? "") && typeof quantity.value === "number")
    found.push({ sense: { t: "quantity", op: ">=", ...quantity }, start: i - 1, end, cost: -0.2 });
  for (const length of [1, 2, 3, 4, 5]) {
    const said = before(length);
    const op = said === undefined ? undefined : language.quantities.get(said);
    if (op === undefined) continue;
    const adjective = said?.split(` ${language.than}`)[0] ?? "";
    const [, dim] = (language.comparatives.get(adjective) ?? "").split(":");
    const measured = dim ? { dim } : {};
    found.push({
      sense: { t: "quantity", op, ...quantity, ...measured },
      start: i - length,
      end,
      cost: -0.3 * length,
    });
  }
  // "25 or more"
  for (const length of [2, 3]) {
    const after = words
      .slice(end, end + length)
      .map(({ norm }) => norm)
      .join(" ");
    const op = language.quantitiesAfter.get(after);
    if (op !== undefined)
      found.push({
        sense: { t: "quantity", op, ...quantity },
        start: i,
        end: end + length,
        cost: -0.3 * length,
      });
  }
  // "between 100 and 200"
  const [and, upper] = [words[end], numberAt(words, end + 1, language)];
  if (
    quantity.value !== "average" &&
    language.ranges.has(before(1) ?? "") &&
    language.rangeAnd.has(and?.norm ?? "") &&
    upper !== undefined
  ) {
    const unit = upper.unit ?? quantity.unit;
    found.push({
      sense: {
        t: "quantity",
        op: ">=",
        value: quantity.value,
        upTo: upper.value,
        ...(unit === undefined ? {} : { unit }),
      },
      start: i - 1,
      end: upper.end,
      cost: -1,
    });
  }
  return found;
}
