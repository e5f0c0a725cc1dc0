import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { t, word } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { SchemaDataset } from "../query/schema.ts";
import type { Literal } from "../query/semantic-query.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { type Word, wordsOf } from "../understand/languages/words.ts";
import type { Reading } from "../understand/reading.ts";
import type { Query } from "./execute.ts";
import { filtersIn, instead, type NamedFilter } from "./filters.ts";
import { isSame, type Question } from "./question.ts";

/** A part of a name that several people can share. */
const PART_OF_NAME = /^(sur|last_?|first_?|fore|family_?|given_?)name$/i;

/** Fields by which entities of one name are told apart. */
const TOLD = 4;

/**
 * Numbers about somebody whose name others have as well are numbers about several people: one reading becomes one
 * for each of them, or the one that an answer has chosen.
 */
export async function apart(
  readings: readonly Reading[],
  { answers, isForced }: Question,
  { knowledge, query }: { knowledge: Knowledge; query: Query },
): Promise<{ readings: readonly Reading[]; isChosen: boolean }> {
  const [best, ...others] = readings;
  const asTheyAre = { readings, isChosen: false };
  if (best === undefined || best.ask.k !== "table" || isForced) return asTheyAre;
  for (const filter of filtersIn(best.ask)) {
    const dataset = entitiesNamedIn(filter, knowledge, best.oneOf);
    if (dataset === undefined) continue;
    const each = await oneForEach(best, filter, dataset, query);
    const chosen = each.find(({ said }) => answers.some((answer) => isSame(answer, said)));
    if (chosen !== undefined) return { readings: [chosen], isChosen: true };
    if (each.length > 1) return { readings: [...each, ...others], isChosen: false };
  }
  return asTheyAre;
}

/** The dataset whose entities a condition calls by a name that is not their key, or of which it should hold for one. */
function entitiesNamedIn(
  { key, value }: NamedFilter,
  { schema }: Knowledge,
  oneOf: string | undefined,
): SchemaDataset | undefined {
  const dataset = key === undefined ? undefined : schema.datasets.get(key.ds);
  if (dataset === undefined || value === undefined) return undefined;
  const field = key?.field ?? "";
  const isName = dataset.nameField === field || PART_OF_NAME.test(field) || oneOf === key?.ds;
  return isName && dataset.isKeyed && dataset.key.length === 1 && !dataset.key.includes(field)
    ? dataset
    : undefined;
}

async function oneForEach(
  reading: Reading,
  filter: NamedFilter,
  { name, key, fields, nameField }: SchemaDataset,
  query: Query,
): Promise<Reading[]> {
  const [id] = key as [string];
  const value = filter.value as string;
  const own = filter.key?.field ?? "";
  const texts = [...fields.values()].filter(
    ({ kind, name }) => kind === "text" && name !== own && name !== id,
  );
  const first = texts.filter(({ name }) => name === nameField);
  const told = [id, ...new Set([...first, ...texts].map((field) => field.name))].slice(0, TOLD + 1);
  const { rows } = await query(
    `SELECT ${told.map(quoteName).join(", ")} FROM ${quoteName(name)} WHERE ${quoteName(own)} = ${quoteText(value)} ORDER BY 1 LIMIT ${LIMITS.agent.rivals + 1}`,
  );
  // What is called the same again and again, such as a race of every year, is one thing.
  const isSeries = rows.length > LIMITS.agent.rivals && !PART_OF_NAME.test(own);
  if (rows.length < 2 || isSeries) return [];
  return rows.slice(0, LIMITS.agent.rivals).map((row) => {
    const name = row[told.indexOf(nameField ?? "")] ?? value;
    const facts = told.flatMap((field, i) =>
      field === nameField ? [] : [`${field.replaceAll("_", " ")} ${row[i] ?? word("unknown")}`],
    );
    const cond = {
      k: "is" as const,
      key: { ...(filter.key as NonNullable<NamedFilter["key"]>), field: id },
      values: [row[0] as Literal],
      match: "equal" as const,
    };
    return {
      ...reading,
      ask: instead(reading.ask, filter, cond),
      said: t`${reading.said}: ${String(name)} with ${facts.join(", ")}`,
    };
  });
}

/**
 * Whether a word of a question surely names something that there could be a dataset of. There is no dictionary that
 * knows parts of speech, so a noun is told by how it is written and by the words around it; in doubt it is none, since
 * no verb may be told as a dataset.
 */
export function namesThing(text: string, question: string): boolean {
  const [language] = languagesOf(question) as [Language];
  const words = wordsOf(question, language);
  const places = words.flatMap((word, i) => (word.text.toLowerCase() === text.toLowerCase() ? [i] : []));
  // What is no word of the question is a sign or a statement in it, or a name that comes from elsewhere.
  if (places.length === 0) return isCapital(text) && !question.includes(text);
  return places.every((i) => !isAsking(words[i], language) && isNoun(i, words, language));
}

function isNoun(i: number, words: readonly Word[], language: Language): boolean {
  const { text, norm } = words[i] as Word;
  if (!/^\p{L}/u.test(text)) return false;
  const isGerman = language.isForeign === true;
  if (isWrittenWithCapitals(words, isGerman)) {
    if (isCapital(text) && !isFirst(i, words)) return true;
    if (isGerman) return false;
  }
  if (!isGerman && /ly$|[^e]ed$/.test(norm)) return false;
  const isMany = !isGerman && language.isMany(norm);
  const before = words[i - 1];
  if (!isGerman && /ing$/.test(norm) && !DETERMINER.en.test(before?.norm ?? "")) return false;
  if (before?.norm === "to" && !isMany) return false;
  if (followsGroup(i, words, language)) return true;
  if (before === undefined) return words[1]?.norm === "of";
  let at = i - 1;
  while (at > 0 && isAdjective(words[at], language)) at -= 1;
  const isHead = isEnd(words[i + 1], language) || (!isGerman && NOUN_ENDING.test(norm));
  return opens(at, words, language) && (isHead || (isMany && at === i - 1));
}

/** Articles and what stands in their place. */
const DETERMINER = {
  en: /^(?:an?|the|our|my|your|his|her|its|their|every|each|all|any|some|no|many|much|several|other|another|these|those|['’]s)$/,
  de: /^(?:d(?:er|ie|as|en|em|es)|(?:k?ein|mein|dein|sein|unse?r|ihr|eue?r)(?:e[nmrs]?)?|(?:jed|all|viel|dies|mehrer)e[nmrs]?|im|am|beim|vom|zum|zur)$/,
};
const ASKS_WHICH = /^(?:which|welche[nmrs]?)$/;
const SHOWS = /^(?:list|show|display)$/;
const OPENING: ReadonlySet<string> = new Set(["prep", "by", "each", "across", "distinct", "agg"]);
/** Endings that only nouns have, or adjectives that are known as such. */
const NOUN_ENDING = /(?:tion|sion|ment|ness|ity|ship|ance|ence|ist|ism|er|or)s?$/;

/** Whether a noun begins behind a word: "the", "by", "which". */
function opens(at: number, words: readonly Word[], language: Language): boolean {
  const { norm = "", stem = "" } = words[at] ?? {};
  const before = words[at - 1];
  // "customers, which complain", "kunden, die kündigen": there it is no noun that follows.
  const isClause = before?.norm === "," && (language.isForeign === true || ASKS_WHICH.test(norm));
  if (isClause) return false;
  if (ASKS_WHICH.test(norm)) return before === undefined || isAsking(before, language);
  if (DETERMINER[language.isForeign === true ? "de" : "en"].test(norm) || norm === "with") return true;
  if (SHOWS.test(norm) || (norm === "me" && SHOWS.test(before?.norm ?? "")) || /^\d{1,3}$/.test(norm))
    return true;
  return OPENING.has((language.grammar.get(norm) ?? language.grammar.get(stem))?.op ?? "");
}

/** "by species and sponsor": groups are named one after the other. */
function followsGroup(i: number, words: readonly Word[], language: Language): boolean {
  const opOf = (at: number) => language.grammar.get(words[at]?.norm ?? "")?.op ?? "";
  if (!["and", "or", "comma"].includes(opOf(i - 1))) return false;
  let at = i - 2;
  while (at >= 0 && !isAsking(words[at], language)) at -= 1;
  return opOf(at) === "by";
}

function isAdjective(word: Word | undefined, language: Language): boolean {
  if (word === undefined) return false;
  const { norm, stem } = word;
  const { superlatives, comparatives, ordinals, evaluative, how } = language;
  if (/^(?:new|neue[nmrs]?)$/.test(norm) || evaluative.has(norm)) return true;
  return [superlatives, comparatives, ordinals, how].some((table) => table.has(norm) || table.has(stem));
}

/** Whether a noun has ended before a word: nothing, a mark, or a word of how one asks. */
function isEnd(word: Word | undefined, language: Language): boolean {
  return word === undefined || !/^[\p{L}\p{N}]/u.test(word.text) || isAsking(word, language);
}

/** Words of grammar, and of how one asks. */
function isAsking(word: Word | undefined, { fillers, grammar }: Language): boolean {
  return word !== undefined && (fillers.has(word.norm) || grammar.has(word.norm));
}

function isFirst(i: number, words: readonly Word[]): boolean {
  return i === 0 || /^[.!?:"]$/.test(words[i - 1]?.text ?? "");
}

function isCapital(text: string): boolean {
  return /^\p{Lu}/u.test(text);
}

/** Whether capitals tell something: of nouns in German, and of names in English, where most words are without. */
function isWrittenWithCapitals(words: readonly Word[], isGerman: boolean): boolean {
  const others = words.filter(({ text }, i) => /^\p{L}/u.test(text) && !isFirst(i, words));
  const capitals = others.filter(({ text }) => isCapital(text)).length;
  return capitals > 0 && (isGerman ? capitals < others.length : capitals * 2 < others.length);
}
