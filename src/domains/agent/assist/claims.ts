import { editDistance } from "../../../kernel/nearest.ts";
import { fold } from "../understand/languages/words.ts";
import type { Part } from "./parts.ts";
import type { ModelPlan } from "./plan-shape.ts";

type Claim = ModelPlan["words"][number];

/** What a language model says that words of the question stand for. Each stands for a part of its own. */
export class Claims {
  readonly #claims: readonly Claim[];
  readonly #isKnown: (word: string) => boolean;
  readonly #used = new Map<Claim, Part>();

  constructor(words: readonly Claim[], text: string, isKnown: (word: string) => boolean) {
    const said = ` ${plain(text)} `;
    this.#claims = words.filter(({ word }) => plain(word).length > 3 && said.includes(` ${plain(word)} `));
    this.#isKnown = isKnown;
  }

  /** Takes a word for a part that no word asks for by itself; false where there is none. */
  take(part: Part): boolean {
    const found = this.#claims.find((claim) => !this.#isTaken(claim) && this.#isFor(claim, part));
    if (found !== undefined) this.#used.set(found, part);
    return found !== undefined;
  }

  #isTaken({ word }: Claim): boolean {
    return [...this.#used.keys()].some((used) =>
      wordsOf(used.word).some((each) => wordsOf(word).includes(each)),
    );
  }

  /** Only a value has a name of several words; and what the rules know means that, unless it is a name of the model. */
  #isFor({ word, means }: Claim, { names, kind }: Part): boolean {
    if (!names.some((name) => means.trim() === name || plain(means) === plain(name))) return false;
    if (isNear(word, means)) return true;
    return (kind === "name" || !this.#isKnown(word)) && (kind === "value" || wordsOf(word).length === 1);
  }

  carries(word: string): boolean {
    return [...this.#used.keys()].some((claim) => wordsOf(claim.word).includes(plain(word)));
  }

  /** Whether a value or an operation hangs on nothing but the model's word. */
  get isDoubtful(): boolean {
    return this.#believed.some(([, { kind }]) => kind !== "name");
  }

  /** What was believed, in words. */
  get assumed(): string[] {
    return this.#believed.map(([{ word, means }]) => `"${word}" is taken for ${inWords(means)}`);
  }

  get #believed(): [Claim, Part][] {
    return [...this.#used].filter(([{ word, means }]) => !isNear(word, means));
  }

  /** A text with what words stand for in their place; undefined where that is no name but an operation. */
  reworded(text: string): string | undefined {
    if (this.#believed.some(([, { kind }]) => kind === "operation")) return undefined;
    return this.#believed.reduce((all, [{ word, means }]) => {
      const whole = new RegExp(
        `(?<![\\p{L}\\p{N}])${word.replaceAll(/[^\p{L}\p{N}]+/gu, "\\P{L}+")}(?![\\p{L}\\p{N}])`,
        "giu",
      );
      return all.replace(whole, () => inWords(means));
    }, text);
  }
}

function wordsOf(text: string): string[] {
  return plain(text).split(" ");
}

/** The name of a part as people say it. */
function inWords(means: string): string {
  if (!/^[\p{L}\p{N}_]+(\.[\p{L}\p{N}_]+)?$/u.test(means)) return means;
  return means
    .replace(/^.*\./, "")
    .replace(/(?<=.)_name$/i, "")
    .replaceAll("_", " ");
}

function isNear(word: string, part: string): boolean {
  const most = (text: string) => (text.length >= 8 ? 2 : text.length >= 5 ? 1 : 0);
  return wordsOf(word).some((each) =>
    wordsOf(part).some((own) => own === each || editDistance(own, each) <= most(each)),
  );
}

/** Letters and digits alone, in small letters. */
export function plain(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
