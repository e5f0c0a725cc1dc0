import { numberIn } from "../explain/format.ts";
import { cell, type View } from "../explain/view.ts";
import { fold } from "../understand/languages/words.ts";
import { type Fact, factsOf, type Told, type Written, writtenIn } from "./told-numbers.ts";

/**
 * Whether each number of a text is one of the result, or follows from it, and is said of the row that it is of.
 * A text that cannot be followed does not hold: ours is as good.
 */
export function holds(text: string, told: Told): boolean {
  const names = new Names(text, told.view);
  if (names.isConfused) return false;
  const clauses = sentencesOf(fold(text)).flatMap((sentence) => clausesOf(names.hide(sentence)));
  const checker = new Checker(told, names);
  return clauses.every((clause, i) => checker.holds(clause, clauses[i + 1]));
}

interface Clause {
  text: string;
  /** What joins it to the one before. */
  joint: string;
  /** All of its sentence. */
  sentence: string;
}

const JOINT =
  /(,(?=\s|$)|[;:()—–]|\s-\s|\b(?:and|while|but|whereas|ahead of|compared (?:to|with)|followed by|versus|vs|behind|than|against|und|wahrend|aber|gegenuber|als)\b)/u;

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?;])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
}

function clausesOf(sentence: string): Clause[] {
  const parts = sentence.split(JOINT);
  return parts.flatMap((text, i) =>
    i % 2 === 1 || (text.trim() === "" && i > 0) ? [] : [{ text, joint: parts[i - 1] ?? "", sentence }],
  );
}

interface Name {
  column: number;
  rows: Set<number>;
}

const FIRST_MARK = 0xe000;
const MOST_MARKS = 6_000;
const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

/** The rows that a text names. Each name becomes a mark of its own, so that its words and digits are nothing else. */
class Names {
  readonly #marks = new Map<string, Name>();
  readonly #texts: [text: string, mark: string][];
  readonly isConfused: boolean;

  constructor(text: string, { rows, keys }: View) {
    const said = fold(text);
    const named = new Map<string, Name>();
    for (const [i, row] of rows.entries()) {
      for (const [column, key] of keys.entries()) {
        const shown = fold(cell(row, key));
        const long = shown.replace(
          /^(\p{L}{3})(?= \d)/u,
          (short) => MONTHS.find((each) => each.startsWith(short)) ?? short,
        );
        for (const name of new Set([shown, long, fold(String(row[key.index] ?? ""))])) {
          if (name.length < 2 || !said.includes(name)) continue;
          const known = named.get(name) ?? { column, rows: new Set() };
          known.rows.add(i);
          named.set(name, known);
        }
      }
    }
    this.isConfused = /\p{Co}/u.test(text) || named.size > MOST_MARKS;
    this.#texts = [...named.keys()]
      .toSorted((a, b) => b.length - a.length)
      .map((name, i) => [name, String.fromCodePoint(FIRST_MARK + (i % MOST_MARKS))]);
    for (const [name, mark] of this.#texts) this.#marks.set(mark, named.get(name) as Name);
  }

  hide(sentence: string): string {
    return this.#texts.reduce((text, [name, mark]) => {
      const whole = new RegExp(`(?<![\\p{L}\\p{N}])${literally(name)}(?![\\p{L}\\p{N}])`, "gu");
      return text.replaceAll(whole, mark);
    }, sentence);
  }

  /** The rows of which all is true that is said: those of the north in January. */
  in(text: string): number[] {
    const columns = new Map<number, Set<number>>();
    for (const sign of text) {
      const name = this.#marks.get(sign);
      if (name === undefined) continue;
      columns.set(name.column, new Set([...(columns.get(name.column) ?? []), ...name.rows]));
    }
    const [first, ...others] = columns.values();
    return [...(first ?? [])].filter((row) => others.every((rows) => rows.has(row)));
  }
}

const HIGHEST =
  /\b(highest|largest|biggest|greatest|most|best|strongest|top|leading|leads?|hochste\w*|grosste\w*|meisten?|beste\w*)\b/;
const LOWEST =
  /\b(lowest|smallest|least|fewest|worst|weakest|bottom|niedrigste\w*|kleinste\w*|wenigsten?|schlechteste\w*)\b/;
const ALL =
  /\b(all|total|totals|overall|together|combined|sum|altogether|average|averages|averaging|mean|whole|entire|insgesamt|zusammen|gesamt\w*|summe|durchschnitt\w*|schnitt)\b/;
const LOSS =
  /\b(lost|los(?:es?|ing)|loss(?:es)?|deficits?|negative|minus|fell|fallen|falls?|drop(?:s|ped)?|declin\w*|decreas\w*|shr[aiu]nk\w*|sank|sunk|verlor\w*|verlust\w*|gefallen|ruckgang)\b/;
const GAIN =
  /\b(grew|grown?|grows|growth|rose|risen|rises?|increas\w*|gain(?:s|ed)?|climb(?:s|ed)?|jump(?:s|ed)?|improv\w*|stieg\w*|gestiegen|wuchs\w*|gewachsen|zuwachs)\b/;
/** However few digits are written, a number is not further off than this. */
const FARTHEST = 0.05;

class Checker {
  readonly #told: Told;
  readonly #names: Names;
  readonly #facts: readonly Fact[];
  readonly #material: ReadonlySet<string>;
  /** The rows that were spoken of last. */
  #spokenOf: number[];

  constructor(told: Told, names: Names) {
    this.#told = told;
    this.#names = names;
    this.#facts = factsOf(told);
    this.#material = materialOf(told);
    this.#spokenOf = told.view.rows.length === 1 ? [0] : [];
  }

  holds(clause: Clause, next: Clause | undefined): boolean {
    const { text, sentence } = clause;
    const own = this.#names.in(text);
    const before = this.#spokenOf;
    if (!this.#isOrdered(clause, own, before)) return false;
    const isNextOf = next?.sentence === sentence && next.joint === ",";
    const ranked = own.length > 0 ? own : isNextOf ? this.#names.in(next.text) : [];
    const ends = this.#endsIn(text);
    if (ends !== undefined && ranked.length > 0 && !ranked.some((row) => ends.has(row))) return false;
    // "The best one made 20": whichever that is.
    if (own.length > 0 || ends !== undefined) this.#spokenOf = own.length > 0 ? own : [...(ends ?? [])];
    const subject = this.#spokenOf;
    const written = writtenIn(text).filter((each) => !this.#isMaterial(each));
    const near = new Set([...this.#names.in(sentence), ...namedIn(sentence, this.#names), ...before]);
    if (written.length === 0) return this.#isMoved(text, subject);
    return written.every((each) => this.#isFact(each, text, { subject, near, isRanked: ends !== undefined }));
  }

  /** The rows that are first, or last, by one of the numbers; undefined where nothing is said to be. */
  #endsIn(text: string): Set<number> | undefined {
    const pick = HIGHEST.test(text) ? Math.max : LOWEST.test(text) ? Math.min : undefined;
    if (pick === undefined) return undefined;
    const { rows, numbers } = this.#told.view;
    return new Set(
      numbers.flatMap(({ index }) => {
        const cells = rows.map((row) => numberIn(row[index]) ?? Number.NaN);
        const end = pick(...cells.filter((each) => !Number.isNaN(each)));
        return cells.flatMap((each, i) => (each === end ? [i] : []));
      }),
    );
  }

  /** "South, ahead of Central": by one of the numbers it is. */
  #isOrdered({ text, joint }: Clause, own: readonly number[], before: readonly number[]): boolean {
    const isMore = /^(ahead of|followed by)$/.test(joint);
    const isLess = joint === "behind" || /\b(trails?|behind)\b/.test(text);
    const [a, b] = [before.at(-1), own[0]];
    if ((!isMore && !isLess) || a === undefined || b === undefined) return !isMore && !isLess;
    return this.#told.view.numbers.some(({ index }) => {
      const [x, y] = [a, b].map((row) => numberIn(this.#told.view.rows[row]?.[index]) ?? Number.NaN) as [
        number,
        number,
      ];
      return isMore ? x >= y : x <= y;
    });
  }

  /** What is said to have grown or shrunk, without a number, did. */
  #isMoved(text: string, subject: readonly number[]): boolean {
    const wanted = LOSS.test(text) ? -1 : GAIN.test(text) ? 1 : undefined;
    if (wanted === undefined) return true;
    return this.#facts.some(
      (fact) => this.#isMove(fact) && Math.sign(fact.value) === wanted && isOf(fact.rows, subject),
    );
  }

  /** A change over time or between two numbers of a row; or a number that may itself be less than nothing. */
  #isMove({ kind, value, rows, isPercent }: Fact): boolean {
    if (kind === "cell") return value < 0 || isPercent;
    const isTime = this.#told.view.keys.some(({ format }) => format.kind === "period");
    return kind === "change" && (rows?.length === 1 || isTime);
  }

  #isFact(
    written: Written,
    text: string,
    { subject, near, isRanked }: { subject: readonly number[]; near: ReadonlySet<number>; isRanked: boolean },
  ): boolean {
    const { symbol, isNegative = false, isWord = false, before = "" } = written;
    const isOfAll =
      !isRanked && (subject.length === 0 || ALL.test(text) || /\bof (the )?[€$£¥]?\s?$/.test(before));
    const moves = LOSS.test(text) ? -1 : GAIN.test(text) ? 1 : undefined;
    return this.#facts.some((fact) => {
      if (!isNumber(written, fact) || (symbol !== undefined && symbol !== fact.symbol)) return false;
      if (isWord && fact.kind !== "count" && fact.kind !== "cell") return false;
      if (fact.kind === "count") return symbol === undefined && moves === undefined;
      if (
        moves !== undefined &&
        fact.kind !== "share" &&
        (!this.#isMove(fact) || Math.sign(fact.value) !== moves)
      )
        return false;
      if (isNegative && fact.value >= 0) return false;
      if (fact.kind === "cell" && fact.value < 0 && !isNegative && moves !== -1) return false;
      if (fact.rows === null) return isOfAll;
      if (fact.rows.length > 1) return fact.rows.every((row) => near.has(row));
      return isRanked ? subject.includes(fact.rows[0] as number) : isOf(fact.rows, subject);
    });
  }

  #isMaterial({ text, symbol, isPercent }: Written): boolean {
    return symbol === undefined && !isPercent && this.#material.has(text.replace(/[.,]$/, ""));
  }
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Whether rows are the ones that are spoken of. */
function isOf(rows: Fact["rows"], subject: readonly number[]): boolean {
  return rows !== null && subject.length === 1 && rows.length === 1 && rows[0] === subject[0];
}

/** Every row of a sentence, by whichever of its names. */
function namedIn(sentence: string, names: Names): number[] {
  return [...sentence].flatMap((sign) => names.in(sign));
}

function isNumber({ value, isPercent, tolerance }: Written, fact: Fact): boolean {
  if (value === undefined || fact.isPercent !== isPercent) return false;
  const wanted = Math.abs(fact.value);
  const most = Math.min(tolerance, FARTHEST * wanted) + 1e-9 * Math.max(1, wanted);
  return Math.abs(value - wanted) <= most;
}

/** Everything that was said before a word was written: years, labels with digits in them. */
function materialOf({ question, result, view }: Told): ReadonlySet<string> {
  const said = [question, result.reading.said, ...view.columns.map(({ label }) => label)].join(" ");
  return new Set(fold(said).split(/[^\p{L}\p{N}.,%-]+|(?<=\d)-(?=\d)/u));
}
