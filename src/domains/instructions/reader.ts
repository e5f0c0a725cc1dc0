/** Stands for what has been taken, so that words on both sides of it do not become neighbours. */
const TAKEN = "\u00b7";
const WORD = /[\p{L}\p{N}]+(?:[-'’.][\p{L}\p{N}]+)*/gu;

/** A pattern in short: `~` is any ending, a space any space. */
export function pattern(source: string): string {
  return source.replaceAll("~", "\\p{L}*").replaceAll(" ?", "\\s*").replaceAll(" ", "\\s+");
}

/** A pattern of whole words. */
export function words(source: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern(source)})(?![\\p{L}\\p{N}])`, "iu");
}

export type Kind = "dashboard" | "widget" | "alert" | "report";

/** What is called by its whole name in a text. Things of several kinds may have the same. */
interface Name {
  ids: { kind: Kind; id: number }[];
  from: number;
  to: number;
}

/**
 * A text of which parts are taken by whoever understands them. What nobody has taken in the end was not understood, and
 * is asked about: nothing is done on half of a sentence. Names of things are set apart first, so that no word of theirs
 * is taken for something else.
 */
export class Reader {
  readonly text: string;
  #left: string;
  #names: Name[] = [];

  constructor(text: string) {
    this.text = text;
    this.#left = text;
  }

  /** The text, with marks in the place of what was taken. */
  get left(): string {
    return this.#left;
  }

  fork(): Reader {
    const other = new Reader(this.text);
    other.#left = this.#left;
    other.#names = [...this.#names];
    return other;
  }

  has(pattern: RegExp): boolean {
    return pattern.test(this.#left);
  }

  take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#left);
    if (found !== null) this.drop(found.index, found.index + found[0].length);
    return found;
  }

  takeAll(pattern: RegExp): RegExpExecArray[] {
    const found = [...this.#left.matchAll(new RegExp(pattern, "giu"))].filter(([said]) => said !== "");
    for (const { index, 0: said } of found) this.drop(index, index + said.length);
    return found;
  }

  /** The first of a list whose pattern is there. */
  oneOf<T>(list: readonly (readonly [RegExp, T])[]): T | undefined {
    return list.find(([pattern]) => this.take(pattern) !== null)?.[1];
  }

  drop(from: number, to: number): void {
    this.#left = this.#left.slice(0, from) + TAKEN.repeat(to - from) + this.#left.slice(to);
  }

  /** Sets a name apart. */
  mark(ids: Name["ids"], from: number, to: number): void {
    this.drop(from, to);
    this.#names.push({ ids, from, to });
  }

  named(kind: Kind): boolean {
    return this.#names.some(({ ids }) => ids.some((each) => each.kind === kind));
  }

  /** The first thing of a kind that is called by its name, behind some place in the text. */
  takeNamed(kind: Kind, behind = 0): number | undefined {
    const found = this.#names
      .filter(({ ids, from }) => from >= behind && ids.some((each) => each.kind === kind))
      .toSorted((a, b) => a.from - b.from)[0];
    this.#names = this.#names.filter((name) => name !== found);
    return found?.ids.find((each) => each.kind === kind)?.id;
  }

  /** Names that nobody wants are words like others: all of them, or those of one word, which many things are called. */
  release(isAll = false): void {
    const kept = this.#names.filter(
      ({ from, to }) => !isAll && wordsIn(this.text.slice(from, to)).length > 1,
    );
    for (const { from, to } of this.#names.filter((name) => !kept.includes(name)))
      this.#left = this.#left.slice(0, from) + this.text.slice(from, to) + this.#left.slice(to);
    this.#names = kept;
  }

  /** All that is left, for a reader of its own kind that answers for it. */
  rest(): string {
    this.release();
    const rest = this.#left.replaceAll(new RegExp(`${TAKEN}+`, "g"), " ");
    this.drop(0, this.#left.length);
    return rest;
  }

  /** The words that nobody has taken and that say something, and the names. */
  words(): string[] {
    const names = this.#names.map(({ from, to }) => this.text.slice(from, to));
    return [...wordsIn(this.#left).filter((word) => !isFunctionWord(word)), ...names];
  }
}

export function wordsIn(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Words of grammar and of manners. What limits, denies or compares is none of them. */
const FUNCTION_WORDS = new Set(
  `s a an the of and or with in on onto into for from to at as is are be been was were am do does did done that which who
  what has have had it its this these those our ours my mine me us we i you your yours they them their there here so
  also too then will would should shall could can may might must let let's lets i'd i'll i'm we'd it's that's 's ll d re
  please kindly thanks thank hey hi hello ok okay just now some about via by per
  der die das den dem des ein eine einen einem einer eines und oder mit in im ins auf für von vom zu zum zur als ist sind
  sei war waren wird werden wurde wurden soll sollen sollte kann können könnte könntest kannst würde würdest darf will
  möchte möchten hätte gern gerne es ich du wir uns mir mich dir dich ihr ihm ihn sie sich euch unser unsere unserem
  unseren unserer unseres mein meine meinem meinen meiner meines dein deine deinem deinen dieser diese dieses diesem
  diesen da dort hier so auch dann mal doch einfach bitte danke an am bei beim aus darin daran darauf davon dafür dazu
  damit fürs ans aufs übers man dass welche welcher welches was wer nach pro je per über um ab`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word.toLowerCase().replace("’", "'"));
}
