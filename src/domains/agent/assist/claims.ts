import { editDistance } from "../../../kernel/nearest.ts";
import { fold } from "../understand/languages/words.ts";
import type { ModelPlan } from "./plan-shape.ts";

type Claim = ModelPlan["words"][number];

/** What a language model says that words of the question stand for. */
export class Claims {
  readonly #claims: readonly Claim[];
  readonly #isKnown: (word: string) => boolean;
  readonly #used = new Set<Claim>();
  #isDoubtful = false;

  constructor(
    words: readonly Claim[],
    { question, isKnown }: { question: string; isKnown: (word: string) => boolean },
  ) {
    const said = new Set(plain(question).split(" "));
    const taken = new Set<string>();
    // A word stands for one thing, and nothing stands for something by an article or a preposition alone.
    this.#claims = words.filter(({ word }) => {
      const parts = plain(word).split(" ");
      const own = parts.filter((part) => part.length > 3 && !taken.has(part));
      if (own.length === 0 || !parts.every((part) => said.has(part))) return false;
      for (const part of own) taken.add(part);
      return true;
    });
    this.#isKnown = isKnown;
  }

  /** Whether a word is said to stand for this part of a query; what is not sure to be a name is not left to known words. */
  has(part: string, { isSure = true } = {}): boolean {
    const found = this.#claims.find(
      ({ word, means }) => isSame(means, part) && (isSure || isNear(word, part) || !this.#isKnown(word)),
    );
    if (found === undefined) return false;
    this.#use(found, isSure);
    return true;
  }

  /** What a word is said to stand for, where that is in the query. */
  for(word: string, isPart: (means: string) => boolean): boolean {
    const found = this.#claims.find(
      (claim) => plain(claim.word).split(" ").includes(plain(word)) && isPart(claim.means),
    );
    if (found !== undefined) this.#use(found, true);
    return found !== undefined;
  }

  #use(claim: Claim, isSure: boolean): void {
    this.#used.add(claim);
    if (!isSure && !isNear(claim.word, claim.means)) this.#isDoubtful = true;
  }

  /** Whether a value or an operation hangs on nothing but the model's word. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** What was believed, in words. */
  get assumed(): string[] {
    const told = [...this.#used].filter(({ word, means }) => !isNear(word, means));
    return told.map(({ word, means }) => `"${word}" is taken for ${inWords(means)}`);
  }
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
  const parts = plain(part).split(" ");
  const most = (text: string) => (text.length >= 8 ? 2 : text.length >= 5 ? 1 : 0);
  return plain(word)
    .split(" ")
    .some((each) => parts.some((own) => own === each || editDistance(own, each) <= most(each)));
}

function isSame(a: string, b: string): boolean {
  return a.trim() === b || (plain(a) !== "" && plain(a) === plain(b));
}

/** Letters and digits alone, in small letters. */
export function plain(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
