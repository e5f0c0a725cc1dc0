import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { nodesIn } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Comparison, Cond } from "../query/semantic-query.ts";
import { isTold } from "../understand/account/hold.ts";
import { unheldWords, unsaidWords } from "../understand/account/unsaid.ts";
import { sensesIn, type Weighed, weigh } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { fold, range } from "../understand/languages/words.ts";
import type { Question } from "../understand/reading.ts";
import type { Sense } from "../understand/senses/fragment.ts";

/** From this on, what a word may mean is a guess. */
const GUESS = 0.6;

/**
 * Holds a query against the question itself, both ways: what the rules know for sure in the question has to be in it,
 * and what comes to it stands for a word that they do not know, or for how all of them stand together. Says
 * what is wrong; nothing where all fits.
 */
export function misfitOf(ask: Ask, question: Question, knowledge: Knowledge): string {
  const foreign = foreignValue(ask, question, knowledge);
  if (foreign !== undefined) return `${JSON.stringify(foreign)} is no value of the data.`;
  const said = saidIn(question, knowledge);
  const { all, found, grammar, known, empty } = said;
  const unsaid = unsaidWords(all, { found, leaves: [] }, ask, { knowledge, grammar });
  const sure = found.filter(({ cost }) => cost < GUESS).flatMap(({ start, end }) => range(start, end));
  const [missed] = [...sure.filter((i) => unsaid.has(i) && isTold(i, said)), ...unheldWords(all, ask, found)];
  if (missed !== undefined) return `it says nothing of "${all[missed]?.text}" in the question.`;
  const senses = found.map(({ sense }) => sense);
  const turned = turnedIn(ask, senses);
  if (turned !== undefined) return `the question does not compare with ${turned} in that way.`;
  const open = [...all.keys()].filter((i) => (unsaid.has(i) || !known.has(i)) && !empty.has(i));
  const added = addedTo(question.text, senses, ask, knowledge.schema);
  return added.length <= Math.max(1, open.length) ? "" : `the question has no words for ${added.join(", ")}.`;
}

/** A text that is no value of its field, or that nobody has said where its values are too many to be known. */
function foreignValue(ask: Ask, { text }: Question, { values }: Knowledge): string | undefined {
  const said = fold(text);
  const conds = nodesIn(ask).filter(({ k }) => k === "is") as unknown as Extract<Cond, { k: "is" }>[];
  for (const { key, values: wanted, match } of conds) {
    const known = values.find(({ ds, field }) => ds === key.ds && field === key.field);
    const isOne = (value: string) =>
      known?.values.some((each) => (match === "equal" ? each === value : fold(each).includes(fold(value))));
    const isSaid = (value: string) => known?.isCut !== false && said.includes(fold(value));
    const found = wanted.find((value) => typeof value === "string" && !isOne(value) && !isSaid(value));
    if (found !== undefined) return String(found);
  }
  return undefined;
}

/** A number that is compared with otherwise than the question says: less than 10 is not more than 10. */
function turnedIn(ask: Ask, senses: readonly Sense[]): number | undefined {
  const opsAt = (value: number) =>
    senses.flatMap((sense) => (sense.t === "quantity" && sense.value === value ? [sense.op] : []));
  return nodesIn(ask).flatMap(({ k, op, b }) => {
    const { v } = (b ?? {}) as { v?: unknown };
    const ops = k === "cmp" && typeof v === "number" ? opsAt(v) : [];
    return ops.length > 0 && !ops.includes(op as Comparison) ? [v as number] : [];
  })[0];
}

function saidIn(question: Question, knowledge: Knowledge): Weighed {
  const [language] = languagesOf(question.text) as [Language];
  return weigh(sensesIn(language, question, knowledge));
}

/** What a query or a sense names: a metric, a field, a dataset, a value, a number, a period. */
interface Named {
  kind: "metric" | "field" | "dataset" | "value" | "number" | "period";
  name: string;
  /** Whose field it is. */
  ds?: string;
}

/** What a query names that no sense of the question's words does, as it is called. */
function addedTo(question: string, senses: unknown, ask: unknown, { metrics }: Schema): string[] {
  const text = fold(question);
  const known = namedIn(senses);
  const isNamed = (ds: string | undefined) =>
    known.some((each) => each.kind === "dataset" && each.name === ds);
  const countedBy = (name: string) => {
    const only = metrics.get(name)?.formula.only;
    return only?.isCount === true ? only.columns[0]?.ds : undefined;
  };
  const isSaid = ({ kind, name, ds }: Named) =>
    known.some((each) => each.kind === kind && (kind === "period" || each.name === name)) ||
    // Whoever speaks of shops is told them by their names, and rows are counted for what is said of them.
    (kind === "field" && isNamed(ds)) ||
    (kind === "metric" && isNamed(countedBy(name))) ||
    (kind === "dataset" && known.some((each) => each.ds === name)) ||
    ((kind === "value" || kind === "number") && name.split(OR).every((each) => text.includes(fold(each))));
  const added = namedIn(ask).filter((each) => !isSaid(each));
  return [...new Set(added.map(({ name }) => name.replace(/^.*\./, "").replaceAll("_", " ")))];
}

/** Between values of which one is enough: they are one condition. */
const OR = " or ";

function namedIn(part: unknown): Named[] {
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap(namedIn);
  const { k, t, name, metric, pieces, ds, field, from, to, said, v, value, values, key, ...more } =
    part as Record<string, unknown>;
  const metrics = [k === "metric" && name, metric, pieces].filter((each) => typeof each === "string");
  // None of something is said without a number.
  const numbers = [k === "lit" && v !== 0 && v, t === "number" && value].filter(
    (each) => typeof each === "number",
  );
  const isValue = k === "is" && Array.isArray(values);
  const isField = typeof ds === "string" && typeof field === "string";
  const isPeriod = from !== undefined && to !== undefined && typeof said === "string";
  return [
    ...metrics.map((each): Named => ({ kind: "metric", name: each })),
    ...numbers.map((each): Named => ({ kind: "number", name: String(each) })),
    // A value brings its field along.
    ...(isValue ? [{ kind: "value", name: values.join(OR) } satisfies Named] : namedIn(key)),
    ...(isField ? [{ kind: "field", name: `${ds}.${field}`, ds } satisfies Named] : []),
    ...(typeof ds === "string" && !isField ? [{ kind: "dataset", name: ds } satisfies Named] : []),
    ...(isPeriod
      ? [{ kind: "period", name: said } satisfies Named]
      : // What links two things goes without saying.
        namedIn([from, to]).filter((each) => k !== "link" || each.kind !== "dataset")),
    ...Object.entries(more).flatMap(([each, inner]) =>
      each === "path" || each === "on" ? [] : namedIn(inner),
    ),
  ];
}
