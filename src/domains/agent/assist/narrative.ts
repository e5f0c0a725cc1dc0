import { isAppError } from "../../../kernel/errors.ts";
import { injectionIn } from "../../../kernel/instructions.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import { numberIn } from "../explain/format.ts";
import { cell, type View } from "../explain/view.ts";
import { LIMITS } from "../limits.ts";
import { fold } from "../understand/words.ts";
import { NARRATIVE_SYSTEM } from "./prompt.ts";
import type { Write } from "./read-by-model.ts";

interface Told {
  question: string;
  result: Result;
  view: View;
  /** The numbers of the whole, where they are known. */
  totals: readonly JsonValue[] | undefined;
}

/** A text about a result by a language model; undefined where not every number in it holds, or it is more than plain text. */
export async function narrateByModel(told: Told, write: Write): Promise<string | undefined> {
  const { question, result, view } = told;
  if (view.rows.length === 0 || result.isTruncated) return undefined;
  const text = JSON.stringify({
    question,
    reading: result.reading.said,
    columns: view.columns.map(({ label }) => label),
    ...shownRows(view.rows),
  });
  const maxTokens = LIMITS.agent.narrativeTokens;
  const task = { key: "narrative", system: NARRATIVE_SYSTEM, text, maxTokens };
  const written = await write(task).catch((error: unknown) => {
    // The answer is there; it only has to be told in our own words.
    if (isAppError(error)) return "";
    throw error;
  });
  return isPlain(written) && holds(written, told) ? written.trim() : undefined;
}

/** As many rows as fit: half of them again and again, until they do. */
function shownRows(all: readonly JsonValue[][]): { rows: readonly JsonValue[][]; totalRows: number } {
  let rows = all.slice(0, LIMITS.agent.narratedRows);
  while (rows.length > 1 && JSON.stringify(rows).length > LIMITS.agent.narratedCharacters)
    rows = rows.slice(0, Math.ceil(rows.length / 2));
  return { rows, totalRows: all.length };
}

const LONGEST = 4_000;
/** What could lead a reader or a client elsewhere, or pass for a part of our own text. */
const NOT_PLAIN = /:\/\/|www\.|\]\s*\(|!\[|<[a-z!/]|[{}\p{Cf}]|^\s*(#|\||```|⚠)/imu;
/** Whoever tells of rows speaks to a person and of no tools. */
const TO_A_MODEL =
  /^\s*(system|assistant|user)\s*:|\b[a-z]+_[a-z_]+\b|\b(ignore|disregard)\b.*\binstructions?\b/im;

function isPlain(text: string): boolean {
  return (
    text.trim() !== "" &&
    text.length <= LONGEST &&
    !NOT_PLAIN.test(text) &&
    injectionIn(text) === undefined &&
    !TO_A_MODEL.test(text)
  );
}

/** A number that may be written, and the rows that it is of; null is all of them. */
interface Fact {
  value: number;
  isPercent: boolean;
  rows: readonly number[] | null;
  /** It was worked out, and does not stand there as it is. */
  isDerived?: boolean;
}

/** Whether each number is one of the result, or follows from it, and stands beside no name that it is not of. */
function holds(text: string, told: Told): boolean {
  const facts = factsOf(told);
  const material = fold(materialOf(told));
  const names = told.view.rows.map((row) => namesOf(row, told.view));
  return sentencesOf(text).every((sentence) => {
    if (!isRankedRight(sentence, told, names)) return false;
    const said = fold(sentence);
    const mentioned = names.flatMap((each, i) => (each.some((name) => said.includes(name)) ? [i] : []));
    return writtenIn(sentence).every(
      (written) => isMaterial(written.text, material) || isFact(written, facts, mentioned),
    );
  });
}

const FIRST = /\b(highest|largest|biggest|greatest|most|best|strongest|top|leading|leads?)\b/i;
const LAST = /\b(lowest|smallest|least|fewest|worst|weakest|bottom)\b/i;

/** What is called the highest or lowest is that by one of the numbers. */
function isRankedRight(
  sentence: string,
  { view: { rows, numbers } }: Told,
  names: readonly string[][],
): boolean {
  const end = (pick: (...values: number[]) => number) =>
    new Set(
      numbers.flatMap(({ index }) => {
        const cells = rows.map((row) => numberIn(row[index]) ?? Number.NaN);
        const value = pick(...cells.filter((each) => !Number.isNaN(each)));
        return cells.flatMap((each, i) => (each === value ? [i] : []));
      }),
    );
  return sentence.split(/[,;]|\b(?:and|while|but|whereas)\b/i).every((clause) => {
    const said = fold(clause);
    const mentioned = names.flatMap((each, i) => (each.some((name) => said.includes(name)) ? [i] : []));
    const holdsAt = (pattern: RegExp, pick: (...values: number[]) => number) =>
      mentioned.length === 0 || !pattern.test(clause) || mentioned.some((row) => end(pick).has(row));
    return holdsAt(FIRST, Math.max) && holdsAt(LAST, Math.min);
  });
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?;])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
}

function namesOf(row: readonly JsonValue[], { keys }: View): string[] {
  return keys
    .flatMap((key) => [cell(row, key), String(row[key.index] ?? "")])
    .map(fold)
    .filter((name) => name.length > 1);
}

/** Everything that was said, or named, before a word was written: years, names with digits in them. */
function materialOf({ question, result, view }: Told): string {
  const named = view.rows.flatMap((row) => view.keys.map((key) => `${cell(row, key)} ${row[key.index]}`));
  return [question, result.reading.said, ...view.columns.map(({ label }) => label), ...named].join(" ");
}

function isMaterial(written: string, material: string): boolean {
  const plain = fold(written).replace(/[.,]$/, "");
  return material.split(/[^\p{L}\p{N}.,%-]+|(?<=\d)-(?=\d)/u).includes(plain);
}

interface Written {
  text: string;
  value: number | undefined;
  isPercent: boolean;
  /** Half of the last digit that is written. */
  tolerance: number;
  isWord?: true;
}

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tsd: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
  mrd: 1e9,
};
const NUMBER =
  /(?<![\p{L}\p{N}.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:\s?(%|percent\b|k\b|m\b|mn\b|bn\b|thousand\b|million\b|billion\b|tsd\b|mio\b|mrd\b))?(?![\p{L}\p{N}])/giu;
const NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve".split(" ");
/** Numbers in words that nobody needs to write so. */
const LARGE_WORDS =
  /\b(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|millions?|billions?|dozens?|half|twice|double|triple|third|quarter of)\b/gi;
const MIXED = /(?=\p{L}*\d)(?=\d*\p{L})[\p{L}\p{N}]+/gu;

/** Every number in a text; what mixes digits and letters, such as Q3, is none and has no value. */
function writtenIn(text: string): Written[] {
  const numbers = [...text.matchAll(NUMBER)].map(([whole, digits = "", fraction = "", unit = ""]) => {
    const scale = SCALES[unit.toLowerCase()] ?? 1;
    const value = Number(`${digits.replaceAll(",", "")}${fraction}`) * scale;
    const tolerance = 0.5 * 10 ** -Math.max(0, fraction.length - 1) * scale;
    return { text: whole, value, isPercent: /^(%|percent)$/i.test(unit), tolerance };
  });
  const words = [...text.toLowerCase().matchAll(/\p{L}+/gu)].flatMap(([word]) => {
    const at = NUMBER_WORDS.indexOf(word);
    return at === -1
      ? []
      : [{ text: word, value: at + 2, isPercent: false, tolerance: 0, isWord: true as const }];
  });
  const rest = text.replaceAll(NUMBER, " ");
  const mixed = [...rest.matchAll(MIXED), ...rest.matchAll(LARGE_WORDS)].map(([each]) => ({
    text: each,
    value: undefined,
    isPercent: false,
    tolerance: 0,
  }));
  return [...numbers, ...words, ...mixed];
}

/** However few digits are written, a number is not further off than this. */
const FARTHEST = 0.05;

function isFact(
  { value, isPercent, tolerance, isWord }: Written,
  facts: readonly Fact[],
  mentioned: readonly number[],
): boolean {
  if (value === undefined) return false;
  return facts.some((fact) => {
    if (fact.isPercent !== isPercent) return false;
    // A small number in words counts something; it is hardly a difference.
    if (isWord === true && fact.isDerived === true) return false;
    if (fact.rows !== null && mentioned.length > 0 && !fact.rows.some((row) => mentioned.includes(row)))
      return false;
    const wanted = Math.abs(fact.value);
    const most = Math.min(tolerance, FARTHEST * wanted) + 1e-9 * Math.max(1, wanted);
    return Math.abs(value - wanted) <= most;
  });
}

/** Cells, and what follows from them: sum, average, shares of the sum or the whole, differences and changes. */
function factsOf({ view, totals }: Told): Fact[] {
  const { rows, numbers, keys } = view;
  const facts: Fact[] = [{ value: rows.length, isPercent: false, rows: null }];
  const add: Add = (value, owners, isShare = false, isDerived = false) => {
    if (!Number.isFinite(value)) return;
    if (!isShare) facts.push({ value, isPercent: false, rows: owners, isDerived });
    facts.push({ value: isShare ? value * 100 : value, isPercent: true, rows: owners });
  };
  for (const column of numbers) {
    const cells = rows.flatMap((row, i) => {
      const value = numberIn(row[column.index]);
      return value === undefined ? [] : [{ value, i }];
    });
    const sum = cells.reduce((all, { value }) => all + value, 0);
    const whole = numberIn(totals?.[column.index - keys.length]);
    for (const { value, i } of cells) {
      add(value, [i]);
      add(value, [i], true);
      for (const all of [sum, whole]) if (all !== undefined && all !== 0) add(value / all, [i], true);
    }
    add(sum, null, false, true);
    if (whole !== undefined) add(whole, null);
    if (cells.length > 0) add(sum / cells.length, null, false, true);
    const ranked = cells.toSorted((a, b) => b.value - a.value);
    const pairs = [...cells.slice(1).map((each, i) => [cells[i], each]), [cells[0], cells.at(-1)]];
    for (const [a, b] of [...pairs, [ranked[0], ranked[1]], [ranked[0], ranked.at(-1)]]) {
      if (a !== undefined && b !== undefined) addChange(a.value, b.value, [a.i, b.i], add);
    }
  }
  for (const [i, row] of rows.entries()) {
    const [a, b] = numbers.map(({ index }) => numberIn(row[index]));
    if (a !== undefined && b !== undefined) addChange(a, b, [i], add);
  }
  return facts;
}

type Add = (value: number, owners: Fact["rows"], isShare?: boolean, isDerived?: boolean) => void;

function addChange(a: number, b: number, owners: readonly number[], add: Add): void {
  add(b - a, owners, false, true);
  if (a !== 0) add((b - a) / a, owners, true);
  if (b !== 0) add((a - b) / b, owners, true);
}
