import { unitCalled } from "../../models/quantities/index.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { stem, type Word, wordsOf } from "../understand/languages/words.ts";
import type { Borrowed, Question, Understanding } from "../understand/reading.ts";
import { likeness } from "./likeness.ts";
import type { Meanings, Near } from "./meaning.ts";
import { type Target, targetsIn } from "./targets.ts";
import { valuesLike } from "./values-like.ts";

/** Words that stand together and are compared as one. */
const MOST_WORDS = 3;
/** Names that are less like a word are not what is meant by it. */
const LEAST_LIKE = 0.5;
/** A part of a name that the question does not say. */
const UNSAID = 0.05;
const ID_DOUBT = 0.35;
/** What a name costs that is a word's own, and how much more one that is hardly like it. */
const COST = { like: 0.6, unlike: 1.2, meant: 1 };
/** A meaning is taken where it is near, and nearer than the next by a margin: less near by a larger one. */
const SURE = [
  { score: 0.55, margin: 0.1 },
  { score: 0.5, margin: 0.15 },
];

/** Columns that are as near as that are asked about, if they are few. */
const TIED = { score: 0.6, margin: 0.1, most: 3 };

/** Some words of a question of which at least one is unknown. */
interface Span {
  words: readonly Word[];
  unknown: readonly Word[];
  place: Place;
}

/** What stands there: a number that is counted with, what groups are told apart by, or anything. */
type Place = "number" | "group" | "any";

/** What the unknown words of a question can be taken for, by their letters and by their meaning. */
async function borrow(
  text: string,
  missing: Understanding["missing"],
  knowledge: Knowledge,
  meanings: Meanings,
): Promise<Borrowed[]> {
  const targets = targetsIn(knowledge);
  const found: Borrowed[] = [];
  for (const language of languagesOf(text))
    for (const span of spansIn(text, missing, language)) {
      const like = [...namesLike(span, targets, language), ...valuesLike(span.words, knowledge, language)];
      const isTold = like.length > 0 || language.isForeign === true;
      found.push(...(isTold ? like : await meant(span, knowledge, { meanings, language })));
    }
  return found;
}

/** What words mean that are like no name. */
async function meant(
  span: Span,
  knowledge: Knowledge,
  { meanings, language }: { meanings: Meanings; language: Language },
): Promise<Borrowed[]> {
  const { words, unknown, place } = span;
  // What was done to something is no column of it.
  if (words.some(({ norm }) => isPast(norm))) return [];
  const columnsNear = async (some: readonly Word[], at: Place) => {
    const near = await meanings.nearest(textOf(some), knowledge);
    return near.filter(
      ({ target }) => !target.isId && fits(target, at) && !isAnother(unknown, target, language),
    );
  };
  const all = sureOf(await columnsNear(words, place));
  const [best] = all;
  if (best === undefined) return [];
  // In "large orders" it is the orders that are near to something, and "large" that nobody knows.
  const rest = words.filter((word) => !unknown.includes(word));
  const others = rest.length === 0 ? [] : await meanings.nearest(textOf(rest), knowledge);
  const without = others.find(({ target }) => target.name === best.target.name)?.score ?? 0;
  if (without > best.score - ADDED) return [];
  // And in "course cost" the cost is something else by itself.
  for (const word of words.length === 1 ? [] : unknown) {
    const [own] = sureOf(await columnsNear([word], "any"));
    if (own !== undefined && own.target.name !== best.target.name) return [];
  }
  return all.map(({ target, score }) => borrowed(words, target.name, COST.meant + (1 - score) / 2));
}

/** The one column that is meant; several of a kind that are as near are all handed on, and asked about. */
function sureOf(near: readonly Near[]): Near[] {
  const [best, next] = near;
  if (best === undefined) return [];
  const margin = best.score - (next?.score ?? 0);
  if (SURE.some((sure) => best.score >= sure.score && margin >= sure.margin)) return [best];
  const rivals = near.filter(({ score }) => score > best.score - TIED.margin).slice(0, TIED.most + 1);
  const isOpen = rivals.length <= TIED.most && rivals.every(({ target }) => target.kind === best.target.kind);
  return best.score >= TIED.score && isOpen ? rivals : [];
}

/** "Discount" and `price`: where both are words of business, they are two things however near they are. */
function isAnother(words: readonly Word[], { called }: Target, { gloss, stem: stemOf }: Language): boolean {
  const parts = called.flat().map((part) => stemOf(part));
  return words.some(({ stem: word }) => {
    const names = gloss.get(word);
    return (
      names !== undefined &&
      parts.some((part) => gloss.has(part) && !names.some((name) => name.stems === part))
    );
  });
}

/** What unknown words have to add to what the others mean without them. */
const ADDED = 0.15;

function textOf(words: readonly Word[]): string {
  return words.map(({ text }) => text.toLowerCase()).join(" ");
}

function isPast(norm: string): boolean {
  return /ed$/.test(norm) || (stem(norm) !== norm && !/s$|ing$|e$/.test(norm));
}

/** Unknown words, alone and with those beside them that say something. */
function spansIn(text: string, missing: Understanding["missing"], language: Language): Span[] {
  const words = wordsOf(text, language);
  const unknown = new Set(
    missing
      .filter(({ isKnown }) => isKnown !== true)
      .map((each) => each.text.toLowerCase())
      .flatMap((word) => [word, word.replace(/s$/, "")]),
  );
  const isUnknown = (word: Word) => unknown.has(word.text.toLowerCase());
  const says = ({ norm, stem }: Word) =>
    /^\p{L}{2,}/u.test(norm) &&
    languagesOf(text).every(
      ({ fillers, grammar, superlatives }) =>
        !fillers.has(norm) && ![norm, stem].some((form) => grammar.has(form) || superlatives.has(form)),
    );
  // "average days absent": a number in that unit, and no periods.
  const isMeasured = (span: readonly Word[], start: number) =>
    span.length === 2 && language.grains.has(span[0]?.norm ?? "") && placeAt(words, start) === "number";
  return [...words.keys()].flatMap((start) =>
    Array.from({ length: MOST_WORDS }, (_, i) => words.slice(start, start + i + 1))
      .filter((span, i) => span.length === i + 1 && (span.some(isUnknown) || isMeasured(span, start)))
      .filter((span) => span.length === 1 || span.every((word, i) => says(word) || isInside(span, i)))
      .map((span) => ({
        words: span,
        unknown: isMeasured(span, start) ? span : span.filter(isUnknown),
        place: placeAt(words, start),
      })),
  );
}

const BEFORE_NUMBER =
  /\b(?:average|avg|mean|median|total|sum|highest|lowest|maximum|minimum|max|min|how much|durchschnittlich\w*|gesamt\w*|summe|hochste\w*|niedrigste\w*|mittlere\w*|wie hoch ist)(?: (?:the|of|der|die|das|des))*$/;
const BEFORE_GROUP =
  /\b(?:by|per|each|every|which|what kind of|what|nach|je|pro|jede\w*|welche\w*)(?: (?:the|der|die|das))*$/;

/** "way of paying" is one name. */
function isInside(span: readonly Word[], at: number): boolean {
  return at > 0 && at < span.length - 1 && span[at]?.norm === "of";
}

function placeAt(words: readonly Word[], at: number): Place {
  const before = words.slice(0, at).map(({ norm }) => norm);
  const said = before.join(" ");
  if (BEFORE_NUMBER.test(said)) return "number";
  return BEFORE_GROUP.test(said) ? "group" : "any";
}

function fits({ kind }: Target, place: Place): boolean {
  if (place === "number") return kind === "number";
  return place === "any" || kind !== "number";
}

/** Names that have each of the words in them. */
function namesLike({ words, place }: Span, targets: readonly Target[], language: Language): Borrowed[] {
  const found = targets.flatMap((target) => {
    const score = Math.max(...target.called.map((parts) => nameLikeness(words, parts, language)));
    const worth = score - (target.isId ? ID_DOUBT : 0);
    return fits(target, place) && worth >= LEAST_LIKE ? [{ target, worth }] : [];
  });
  return found.map(({ target, worth }) =>
    borrowed(words, target.name, COST.like + COST.unlike * (1 - worth)),
  );
}

function nameLikeness(words: readonly Word[], parts: readonly string[], language: Language): number {
  const said = words.filter((_, i) => !isInside(words, i));
  const last = parts.findLastIndex((part) => said.some(({ norm }) => likeness(norm, part, language) > 0));
  if (!isHead(parts, last)) return 0;
  const each = said.map(({ norm }) => Math.max(0, ...parts.map((part) => likeness(norm, part, language))));
  if (each.includes(0)) return 0;
  const mean = each.reduce((sum, score) => sum + score, 0) / each.length;
  return mean - UNSAID * Math.max(0, parts.length - said.length);
}

/** What a name begins with says whose it is, and not what: a "hospital referral region" is no hospital. */
function isHead(parts: readonly string[], at: number): boolean {
  const behind = parts.slice(at + 1);
  return behind[0] === "of" || behind.every((part) => KINDS.test(part) || unitCalled(part) !== undefined);
}

const KINDS =
  /^(type|kind|sort|name|title|label|code|ids?|no|nr|number|key|category|class|group|parent|level|status|date|time|day|month|year|description|desc|text|amount|value|total|sum|count|rate|ratio|score|index|percent|pct|\p{L}*\d\p{L}*|nummer|hoehe|höhe|betrag|wert|zahl|art|typ|datum|zeit)$/u;

function borrowed(words: readonly Word[], name: string, cost: number): Borrowed {
  const bonus = (words.filter((_, i) => !isInside(words, i)).length - 1) * -0.3;
  return { words: words.map(({ norm }) => norm).join(" "), name, cost: cost + bonus };
}

/** How often words are looked for that turn out to be unknown beside others. */
const ROUNDS = 2;

/** The question as it is read with borrowed meanings; as it was where these make no sense of it. */
export async function readBorrowing(
  question: Question,
  knowledge: Knowledge,
  meanings: Meanings,
  read: (question: Question) => Promise<Understanding>,
): Promise<Understanding> {
  const plain = await read(question);
  const asked = { ...question, text: withNoun(question.text, plain) };
  let [understood, taken]: [Understanding, Borrowed[]] = [plain, []];
  for (let round = 0; round < ROUNDS && isMissing(understood); round += 1) {
    const more = await borrow(asked.text, understood.missing, knowledge, meanings);
    if (more.length === 0) return plain;
    taken = [...taken, ...more];
    understood = await read({ ...asked, borrowed: taken });
  }
  const isRead =
    understood.missing.length === 0 && understood.readings.length + understood.unclear.length > 0;
  return isRead ? understood : plain;
}

/** "Who earns the most" has the highest of what an unknown verb is about. */
function withNoun(text: string, { missing }: Understanding): string {
  return text.replace(VERB_MOST, (said: string, who: string, verb: string, most: string) => {
    const isUnknown =
      !COUNTED.test(verb) && missing.some((each) => each.text === `${verb}s` && each.isKnown !== true);
    return isUnknown ? `${who} has the ${most === "most" ? "highest" : "lowest"} ${verb}` : said;
  });
}

const VERB_MOST = /\b(who|which \p{L}+|what \p{L}+) (\p{L}{3,})s the (most|least)(?=[?.!\s]*$)/iu;

/** Of what happens again and again it is asked how often, and not how much. */
const COUNTED =
  /^(?:sell|buy|rent|order|ship|return|visit|win|lose|play|call|come|leave|happen|appear|occur)$/i;

function isMissing({ missing }: Understanding): boolean {
  return missing.some(({ isKnown }) => isKnown !== true);
}
