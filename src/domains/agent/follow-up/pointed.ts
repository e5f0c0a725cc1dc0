import { compile } from "../compile/compile.ts";
import { CompileError } from "../compile/compile-error.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isSame } from "../phases/plan.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Key, Num } from "../query/semantic-query.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { phraseKey } from "../understand/languages/words.ts";
import type { Clarification } from "../understand/reading.ts";
import type { Going } from "./follow-up.ts";
import { condsOf, narrowed } from "./merge.ts";
import type { Pointing } from "./pointing.ts";
import { about, type Referent, referentOf } from "./referent.ts";

/** A preposition belongs to what it stands before. */
const LOOSE = /\s*\b(?:of|for|about|with|to|by|from|in|on|at|von|für|mit|bei|zu)\s*$/i;
/** "how many of them", "which of those", "how many are …": the noun is wanted there. */
const SLOT =
  /^(?<ask>(?:and |und )?(?:how many|which|who|wie viele|welche|wer))\s+(?:of (?:them|those|these)|ones?|davon)?\s*(?<rest>.*)$/i;

/** A question about what was answered before, with that in the place of the word that points back to it. */
export async function pointed(
  text: string,
  pointing: Pointing | undefined,
  before: Ask,
  going: Going,
): Promise<Ask | Clarification | undefined> {
  const referent = await referentOf(before, going.knowledge, going.rows);
  if (referent === undefined) return undefined;
  const isGrouped = before.k === "table" && before.by.some(({ bucket }) => bucket === undefined);
  if (pointing?.k === "of" || (pointing?.isOne === true && (referent.of !== undefined || isGrouped))) {
    const open = await choice(pointing, before, going);
    const name = open?.suggestions.find((each) => going.answers?.some((answer) => isSame(answer, each)));
    if (name !== undefined) return pointed(text, { ...pointing, isOne: false }, chosen(before, name), going);
    // "which regions missed it" is about all of them.
    const isNamed = pointing.k === "it" && keyOf(before) !== undefined && namesKey(text, before, going);
    if (open !== undefined) return open.suggestions.length === 0 || isNamed ? undefined : open;
  }
  for (const written of writtenOut(text, pointing, referent)) {
    const { readings, missing, unclear } = await going.read(written);
    if (missing.length > 0 || unclear.length > 0) continue;
    // "how are they doing" wants more than their names.
    if (readings[0]?.ask.k === "list" && /^how|^wie/i.test(written)) continue;
    for (const { ask } of readings.slice(0, TRIED)) {
      const made = about(ask, referent, going.knowledge.schema, pointing?.k === "of");
      if (made !== undefined && isCarried(made, going.knowledge.schema)) return made;
    }
  }
  return undefined;
}

/** Readings that are tried; those behind them are hardly meant. */
const TRIED = 2;

/** More names than these are not offered. */
const OFFERED = 8;

/** Which one is meant, where there are several; undefined where it is clear. */
async function choice(
  { text, noun, isOne }: Pointing,
  ask: Ask,
  { rows, knowledge }: Going,
): Promise<Clarification | undefined> {
  const key = keyOf(ask);
  const none = { question: `What is meant by "${text}"?`, suggestions: [], word: text };
  if (key === undefined || (noun !== undefined && !isCalled(noun, key, knowledge))) return none;
  if (!isOne) return undefined;
  const names = (await rows(ask)).map(([name]) => name).filter((name) => typeof name === "string");
  if (names.length === 1) return undefined;
  return { ...none, suggestions: names.length > OFFERED ? [] : names, isName: true };
}

/** What was answered before, of one of them alone. */
function chosen(ask: Ask, name: string): Ask {
  const key = keyOf(ask);
  if (key === undefined) return ask;
  const cond: Cond = { k: "is", key, values: [name], match: "equal" };
  if (ask.k === "list") return { ...ask, rel: narrowed(ask.rel, [cond], false) };
  const { having: _, top: __, ...table } = ask;
  const all = [...condsOf(ask.scope?.if), cond];
  // What is limited to one is what is meant.
  return {
    ...table,
    scope: { ...ask.scope, if: { k: "and", of: all } },
    top: { n: 1, by: ask.cols[0] as Num, dir: "max", ties: "cut" },
  };
}

/** What an answer tells apart. */
function keyOf(ask: Ask): Key | undefined {
  return ask.k === "table" ? ask.by[0] : ask.show[0];
}

/** Whether one of these words is what the rows of an answer are called. */
export function namesKey(words: string, ask: Ask, { knowledge }: Going): boolean {
  const key = keyOf(ask);
  return (
    key !== undefined &&
    words.split(/[^\p{L}]+/u).some((word) => word !== "" && isCalled(word, key, knowledge))
  );
}

/** Whether a noun is what the author calls the field, or whatever has it for a name. */
function isCalled(noun: string, { ds, field }: Key, { model }: Knowledge): boolean {
  const dataset = model.datasets.find(({ name }) => name === ds);
  const isName = /(?:^|_)(?:name|title|id)$/i.test(field);
  const own = dataset?.fields.find(({ name }) => name === field);
  const named = [
    field,
    ...(own?.ai.synonyms ?? []),
    ...(isName ? [ds, ...(dataset?.ai.synonyms ?? [])] : []),
  ];
  const [english, german] = [phraseKey(noun), stemGerman(foldGerman(noun))];
  const glossed = (GLOSSARY.get(german) ?? []).map(({ stems }) => stems);
  return named.some((name) => {
    const words = phraseKey(name).split(" ");
    return [english, german, ...glossed].some((word) => words.includes(word));
  });
}

/** The question in the ways in which it names what it is about, or nothing at all. */
function writtenOut(text: string, pointing: Pointing | undefined, { of }: Referent): string[] {
  const noun = of?.ds.replaceAll("_", " ");
  const slot = SLOT.exec(text)?.groups;
  const isSlot =
    slot !== undefined && (pointing === undefined || pointing.end <= text.length - (slot.rest ?? "").length);
  const inSlot = !isSlot || noun === undefined ? [] : [`${slot.ask} ${noun} ${slot.rest}`];
  if (pointing === undefined) return inSlot;
  const [head, tail] = [text.slice(0, pointing.start), text.slice(pointing.end)];
  const dropped = `${head.replace(LOOSE, "")}${tail}`.replaceAll(/\s+/g, " ").trim();
  if (noun === undefined) return pointing.k === "whose" ? [`${head}${tail}`] : [dropped];
  const owned = pointing.isGerman ? `von ${noun}` : `of the ${noun}`;
  if (pointing.k === "whose") return [`${head}${tail} ${owned}`, `${head}${tail}`];
  return [...inSlot, `${head}the ${noun}${tail}`, `${dropped} ${owned}`, `${dropped} with ${noun}`, dropped];
}

/** Whether the model's relationships can carry it. */
export function isCarried(ask: Ask, schema: Schema): boolean {
  try {
    compile(schema, ask);
    return true;
  } catch (error) {
    if (error instanceof CompileError) return false;
    throw error;
  }
}
