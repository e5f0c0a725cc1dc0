import { unitCalled } from "../../../models/quantities/index.ts";
import type { Language } from "../languages/language.ts";
import { normsOf, type Word } from "../languages/words.ts";
import { currencyIn, unitNamed } from "../model/metric-facts.ts";
import type { Quantity } from "../senses/fragment.ts";
import type { Found } from "./candidates.ts";

/** Numbers, and how something is compared with them: "more than 60k". */
export function numberCandidates(
  words: readonly Word[],
  language: Language,
  currency: string | undefined,
): Found[] {
  const found: Found[] = [];
  // What a dollar is worth in euros, nobody said.
  const isForeign = (unit: string | undefined) => {
    const said = currency === undefined ? undefined : currencyIn(unit ?? "");
    return said !== undefined && said !== currency;
  };
  for (const i of words.keys()) {
    const number = numberAt(words, i, language);
    if (number === undefined || isForeign(number.unit)) continue;
    const { value, isPercent, isWord, end, ...more } = number;
    // Said as a word it counts something, and "one" mostly says nothing.
    if (!(isWord && value === 1))
      found.push({ sense: { t: "number", value, isPercent }, start: i, end, cost: 0 });
    found.push(...quantitiesAt(words, i, { value, end, ...more }, language));
  }
  for (const [i, word] of words.entries()) {
    if (language.inUnits.has(word.norm)) found.push(...unitAt(words, i, language));
    const skip = language.ordinals.get(word.norm);
    if (skip !== undefined)
      found.push({ sense: { t: "op", op: "ordinal", arg: String(skip) }, start: i, end: i + 1, cost: 0 });
    if (language.averages.has(word.norm) || language.averages.has(word.stem))
      found.push(...quantitiesAt(words, i, { value: "average", end: i + 1 }, language));
  }
  return found.filter(({ sense }) => sense.t !== "unit" || !isForeign(sense.unit));
}

const SCALES: ReadonlyMap<number, string> = new Map([
  [1e3, "thousand"],
  [1e6, "million"],
  [1e9, "billion"],
]);

/** "in minutes", "in thousands", "in million euros" */
function unitAt(words: readonly Word[], at: number, { scales, isForeign }: Language): Found[] {
  const first = words[at + 1]?.norm ?? "";
  const scale = scales.get(first) ?? scales.get(first.replace(/s$/, ""));
  const last = scale === undefined ? at + 1 : at + 2;
  const unit = unitNamed(words[last]?.norm ?? "") === undefined ? "" : (words[last]?.norm ?? "");
  if (scale === undefined && unit === "") return [];
  const end = unit === "" ? last : last + 1;
  // Answers are told in English.
  const signs = [SCALES.get(scale ?? 1) ?? "", unitCalled(unit)?.sign ?? ""];
  const said = isForeign === true ? signs.join(" ").trim() : textOf(words, at + 1, end);
  return [{ sense: { t: "unit", unit, scale: scale ?? 1, said }, start: at, end, cost: -0.3 }];
}

interface NumberAt {
  value: number;
  isPercent: boolean;
  unit?: string | undefined;
  isTimes?: true | undefined;
  isWord: boolean;
  /** What the digits stand for: thousands, millions, hundredths. */
  scale: number;
  end: number;
}

/** A number in digits or as a word, with its unit. */
function numberAt(words: readonly Word[], i: number, language: Language): NumberAt | undefined {
  const norm = words[i]?.norm ?? "";
  const times = language.times.get(norm);
  const spelt = times ?? language.numbers.get(norm);
  if (spelt !== undefined) {
    const after = words[i + 1]?.norm ?? "";
    const scale = language.scales.get(after);
    if (scale !== undefined)
      return { value: spelt * scale, isPercent: false, isWord: false, scale, end: i + 2 };
    const isTimes = language.timesWords.has(after);
    if (unitNamed(after) !== undefined)
      return { value: spelt, isPercent: false, isWord: true, scale: 1, unit: after, end: i + 2 };
    const end = isTimes ? i + 2 : i + 1;
    const often = isTimes || times !== undefined ? { isTimes: true as const } : {};
    return { value: spelt, isPercent: false, isWord: true, scale: 1, end, ...often };
  }
  const match = /^([$€£])?(\d[\d.,]*)([km])?(%)?$/.exec(norm);
  if (match === null) return undefined;
  const short = match[3] === "k" ? 1e3 : match[3] === "m" ? 1e6 : 1;
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
  const digits = language.digits(match[2] as string);
  const scale = isPercent ? 0.01 : short * (factor ?? 1);
  return {
    value: isPercent ? digits / 100 : digits * scale,
    scale,
    isPercent,
    unit,
    isTimes: isTimes || undefined,
    isWord: false,
    end,
  };
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["$", "dollars"],
  ["€", "euros"],
  ["£", "pounds"],
]);

/** A number, or the average, and what was said of it. */
type Compared = Pick<Quantity, "value" | "unit" | "isTimes">;

/** "between 1 and 2 million": what is said of the second number holds of the first. */
function lowerEnd(value: number, ownScale: number, { value: most, scale }: NumberAt): number {
  return ownScale === 1 && value < most / scale ? (scale === 0.01 ? value / 100 : value * scale) : value;
}

/** How something is compared with a number: by the words before it, behind it, or between two. */
function quantitiesAt(
  words: readonly Word[],
  at: number,
  { end, scale = 1, ...than }: Compared & { end: number; scale?: number },
  language: Language,
): Found[] {
  const found: Found[] = [];
  const put = (quantity: Quantity, from: number, to: number, cost: number) =>
    found.push({ sense: { t: "quantity", ...quantity }, start: from, end: to, cost });
  // "from all six categories"
  if (language.all.has(textOf(words, at - 1, at)) && typeof than.value === "number")
    put({ op: ">=", ...than }, at - 1, end, -0.2);
  for (const length of [1, 2, 3, 4, 5]) {
    const said = textOf(words, at - length, at);
    const op = language.quantities.get(said);
    if (op === undefined) continue;
    const adjective = said.split(` ${language.than}`)[0] ?? "";
    const [, dim] = (language.comparatives.get(adjective) ?? "").split(":");
    put({ op, ...than, dim: dim || undefined }, at - length, end, -0.3 * length);
  }
  // "over 40 years old", "unter 18 Jahren"
  const years =
    YEARS_OLD.exec(textOf(words, end, end + 3))?.[0]
      .trim()
      .split(" ").length ?? 0;
  if (years > 0 && than.unit === undefined)
    for (const { sense, start, cost } of [...found])
      if (sense.t === "quantity") put({ ...sense, dim: "age" }, start, end + years, cost - 0.3 * years);
  // "25 or more"
  for (const length of [2, 3]) {
    const op = language.quantitiesAfter.get(textOf(words, end, end + length));
    if (op !== undefined) put({ op, ...than }, at, end + length, -0.3 * length);
  }
  const upper = upperEnd(words, at, end, language);
  if (upper !== undefined && typeof than.value === "number") {
    const unit = upper.unit ?? than.unit;
    const range = { op: ">=" as const, value: lowerEnd(than.value, scale, upper), upTo: upper.value };
    put({ ...range, unit }, at - 1, upper.end, -1);
  }
  return found;
}

const YEARS_OLD = /^(?:years? (?:old|of age)|jahren? alt|years|jahren?)(?: |$)/;

/** The words from one place to another; none before the first. */
function textOf(words: readonly Word[], from: number, to: number): string {
  return from < 0 ? "" : normsOf(words.slice(from, to));
}

/** "between 100 and 200" */
function upperEnd(words: readonly Word[], at: number, end: number, language: Language): NumberAt | undefined {
  const isRange =
    language.ranges.has(textOf(words, at - 1, at)) && language.rangeAnd.has(words[end]?.norm ?? "");
  return isRange ? numberAt(words, end + 1, language) : undefined;
}
