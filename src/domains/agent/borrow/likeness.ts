import { editDistance } from "../../../kernel/text.ts";
import { type Folding, fold } from "../understand/languages/words.ts";

/** How a word of a question is like a word of a name, the surest first. */
const LIKE = { same: 1, form: 0.9, compound: 0.85, short: 0.75, misspelt: 0.7 } as const;

/** What makes another kind of word of the same root: recruit-ing and recruit-ment, satisf-ied and satisf-action. */
const ENDING =
  /^(?:s|e|es|ed|ied|ing|er|ers|or|ors|al|als|ion|ions|ation|ations|action|ment|ments|ance|ence|ity|y|ies|ic|ical|ive|able|ness|ary|ant|ent|n|en|em|er|ern|ung|ungen|lich|isch|ische[nrsm]?|heit|keit|in|innen)?$/;
/** Letters that two forms of a word have in common at least. */
const ROOT = 5;
/** Letters between the parts of a German compound. */
const LINK = "(?:s|es|n|en|er|e)?";
/** A compound has parts of this length at least. */
const PART = 4;

/** How much a word of a question and one of a name are the same word; 0 where they are not. */
export function likeness(word: string, name: string, folding: Folding): number {
  const [said, part] = [folding.fold(word), folding.fold(name)];
  const [a, b] = [folding.stem(said), folding.stem(part)];
  if (said === part || a === b) return LIKE.same;
  if (isForm(said, part)) return LIKE.form;
  if (isInCompound(a, b) || isShortened(a, b)) return LIKE.compound;
  if (isShort(said, part)) return LIKE.short;
  return isMisspelt(said, part) ? LIKE.misspelt : 0;
}

/** Whether a word says all that a value does: "Damenräder" of Damenfahrrad, but no "Anlage" of Kläranlage. */
export function isWhole(word: string, value: string, folding: Folding): boolean {
  const [said, part] = [folding.fold(word), folding.fold(value)];
  const [a, b] = [folding.stem(said), folding.stem(part)];
  return said === part || a === b || isForm(said, part) || isShortened(a, b);
}

function isForm(a: string, b: string): boolean {
  const root = shared(a, b);
  return root >= ROOT && ENDING.test(a.slice(root)) && ENDING.test(b.slice(root));
}

/** "Schaden" in `schadenshoehe`, "Höhe" too: a whole part of a word that is written together. */
function isInCompound(word: string, compound: string): boolean {
  if (word.length < PART || compound.length < word.length + PART - 1) return false;
  return compound.startsWith(word) || new RegExp(`^\\p{L}{${PART},}${LINK}${word}$`, "u").test(compound);
}

/** "Damenrad" for Damenfahrrad: the same at both ends, and nothing else. */
function isShortened(word: string, whole: string): boolean {
  if (whole.length <= word.length) return false;
  const head = shared(word, whole);
  const tail = word.slice(head);
  return head >= 3 && tail.length >= 3 && word.length >= 2 * PART - 1 && whole.endsWith(tail);
}

/** "bez" is short for Bezirk, "sat" for satisfied. */
function isShort(word: string, name: string): boolean {
  const [short, long] = word.length < name.length ? [word, name] : [name, word];
  return short.length >= 3 && short.length <= 5 && long.length >= short.length + 2 && long.startsWith(short);
}

function isMisspelt(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  if (length < 7 || a[0] !== b[0]) return false;
  return editDistance(a, b) <= (length >= 10 ? 2 : 1);
}

function shared(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  return i;
}

/** The words of a name as a column is called, or as a value is written. */
export function partsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "")
    .map(fold);
}
