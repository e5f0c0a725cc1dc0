import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isSameField, metricsIn, nodesIn } from "../query/parts.ts";
import type { Ask, Cond, Literal } from "../query/semantic-query.ts";
import { numberCandidates } from "../understand/candidates/numbers.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { fold, wordsOf } from "../understand/languages/words.ts";

type Condition<K extends Cond["k"]> = Extract<Cond, { k: K }>;

/** What a query takes into account that this caller does not see, and has not typed either. */
export function closedIn(ask: Ask, knowledge: Knowledge, question: string): Literal[] {
  const numbers = numbersIn(question);
  const conds = nodesIn(ask) as unknown as Cond[];
  return conds.flatMap((cond): Literal[] => {
    if (cond.k === "is") return closedValues(cond, knowledge, question, numbers);
    if ((cond.k !== "cmp" && cond.k !== "link") || isWhole(cond, knowledge)) return [];
    // That there is none or some of it tells nothing.
    return boundsOf(cond).filter((value) => value !== 0 && !numbers.has(Math.abs(value)));
  });
}

function closedValues(
  { key, values: wanted, match }: Condition<"is">,
  { values }: Knowledge,
  typed: string,
  numbers: ReadonlySet<number>,
): Literal[] {
  const known = values.find((each) => isSameField(each, key));
  const isListed = match === "equal" && key.part === undefined && known !== undefined && !known.isCut;
  return wanted.filter((value) => {
    if (typeof value === "boolean") return false;
    if (match === "equal" && known?.values.includes(String(value)) === true) return false;
    const isTyped =
      typeof value === "number" ? numbers.has(Math.abs(value)) : asWords(typed).includes(asWords(value));
    return isListed || !isTyped;
  });
}

/** Whole words, so that one is not found inside of another. */
function asWords(text: string): string {
  return ` ${fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}

/** The numbers that something is compared with. */
function boundsOf(cond: Condition<"cmp" | "link">): number[] {
  if (cond.k === "link") return cond.count === undefined ? [] : [cond.count.n];
  return [cond.a, cond.b].flatMap((side) => ("k" in side && side.k === "lit" ? [side.v] : []));
}

/** Whether policies keep no rows of what is compared from this caller. */
function isWhole(part: Cond, { schema, model }: Knowledge): boolean {
  const formulas = metricsIn(part).flatMap((name) => schema.metrics.get(name)?.formula.aggregates ?? []);
  const columns: readonly { ds?: unknown }[] = formulas.flatMap((each) => each.columns);
  const named = new Set([...nodesIn(part), ...columns].map(({ ds }) => ds));
  return !model.datasets.some(({ name, isRestricted }) => isRestricted === true && named.has(name));
}

function numbersIn(text: string): Set<number> {
  const found = languagesOf(text).flatMap((language) => numberCandidates(wordsOf(text), language, undefined));
  return new Set(found.flatMap(({ sense }) => (sense.t === "number" ? [sense.value] : [])));
}
