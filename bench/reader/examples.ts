import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "node:v8";
import { languageOf } from "../../src/domains/agent/reader/language.ts";
import { type Linked, link } from "../../src/domains/agent/reader/link.ts";
import { type LinkSchema, linkSchemaOf } from "../../src/domains/agent/reader/schema.ts";
import { said } from "../../src/domains/agent/reader/words.ts";
import type { Collected, CollectedSet } from "./collect.ts";
import { type Gold, goldOf } from "./gold.ts";
import { FOLDS } from "./learn.ts";
import { bucketOf, type GoldQuestion } from "./sets.ts";

/** A question over tables that belong together, with the query that somebody wrote for it. */
export interface Example {
  set: string;
  question: GoldQuestion;
  collected: Collected;
  schema: LinkSchema;
  linked: Linked;
  gold: Gold | undefined;
  fold: number;
  /** A word in it was replaced by one that the data do not know, so that nothing answers it. */
  isSpoiled?: true;
  /** When it is asked, where that matters. */
  now?: string;
  /** Periods in which there was nothing may be there or not. */
  hasGaps?: true;
}

/** The questions of the sets that were collected in a folder. */
export function examplesIn(folder: string, isWanted: (set: string) => boolean): Example[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".bin"))
    .map((file) => file.slice(0, -".bin".length))
    .sort();
  return names.filter(isWanted).flatMap((name) => {
    const set = deserialize(readFileSync(join(folder, `${name}.bin`))) as CollectedSet;
    return set.questions.flatMap((question) => exampleOf(set, question) ?? []);
  });
}

/** Of several sets of tables, the one that its query is about, or else the one that its words are about. */
function exampleOf({ name, groups }: CollectedSet, question: GoldQuestion): Example | undefined {
  const language = languageOf(said(question.question).tokens.map(({ text }) => text));
  const all = groups
    .filter(({ rows }) => existsSync(rows))
    .map((collected) => {
      const schema = linkSchemaOf(collected.knowledge, language);
      const linked = link(schema, question.question);
      return { collected, schema, linked, gold: goldOf(question.gold_sql, schema, collected) };
    });
  const known = (linked: Linked) => linked.marks.filter((mark) => mark !== "").length;
  const [best] = all.toSorted(
    (a, b) =>
      Number(b.gold !== undefined) - Number(a.gold !== undefined) || known(b.linked) - known(a.linked),
  );
  return best && { set: name, question, fold: bucketOf(name, FOLDS), ...best };
}

/** Share of the questions that are asked once more with a word that the data do not know. */
const SPOILED = 6;

/** Questions of which a word that names something was replaced by a name from other data. */
export function spoiled(examples: readonly Example[]): Example[] {
  const nouns = [...new Set(examples.flatMap(({ schema }) => schema.columns.flatMap(({ words }) => words)))]
    .filter((word) => /^\p{L}{5,}$/u.test(word))
    .sort();
  return examples.flatMap((example) => {
    const { question, linked, schema } = example;
    const key = bucketOf(`spoil ${question.id}`, 1_000);
    if (key % SPOILED !== 0) return [];
    const named = linked.tokens.filter(
      ({ text, quoted }, i) =>
        ["C", "T"].includes(linked.marks[i] ?? "") && quoted === undefined && text.length > 3,
    );
    const token = named[key % Math.max(1, named.length)];
    const own = new Set([...schema.columns, ...schema.tables].flatMap(({ stems }) => stems));
    const start = (key * 7) % Math.max(1, nouns.length);
    const isStrange = (word: string) =>
      ![...own].some((stem) => word.startsWith(stem) || stem.startsWith(word));
    const noun = [...nouns.slice(start), ...nouns.slice(0, start)].find(isStrange);
    if (token === undefined || noun === undefined) return [];
    const text = question.question.replaceAll(new RegExp(`(?<!\\p{L})${token.text}(?!\\p{L})`, "giu"), noun);
    const asked = { ...question, id: `${question.id}-spoiled`, question: text, rows: [] };
    return [
      { ...example, question: asked, linked: link(schema, text), gold: undefined, isSpoiled: true as const },
    ];
  });
}
