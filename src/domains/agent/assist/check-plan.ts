import { nearestFirst } from "../../../kernel/nearest.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Ask, Key, Literal, Window } from "../query/semantic-query.ts";
import { fold } from "../understand/words.ts";

/** Why a model's plan is not taken; the message goes back to the model. */
export class PlanProblem extends Error {
  override readonly name = "PlanProblem";
}

export interface Grounds {
  knowledge: Knowledge;
  question: string;
  /** Numbers that the question or the author's instructions have in them. */
  numbers: ReadonlySet<number>;
}

type Node = Record<string, unknown>;

/**
 * The query with the names, values and periods as the data have them. Throws a PlanProblem for what is not there:
 * a value that nobody named and the data do not have, or a number out of nowhere, makes an answer to another question.
 */
export function checkedAsk(ask: Ask, grounds: Grounds): Ask {
  return checked(ask, grounds) as Ask;
}

function checked(node: unknown, grounds: Grounds): unknown {
  if (Array.isArray(node)) return node.map((each) => checked(each, grounds));
  if (typeof node !== "object" || node === null) return node;
  const part = node as Node;
  requireNames(part, grounds.knowledge);
  requireNumbers(part, grounds.numbers);
  const inner = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name === "win" ? windowOf(value as Window, grounds) : checked(value, grounds),
    ]),
  );
  if (part.k !== "is") return inner;
  const { key, match } = part as { key: Key; match: "equal" | "contains" };
  const values = (part.values as Literal[]).map((value) => known(value, key, match, grounds));
  return { ...inner, values };
}

function requireNames({ ds, at, field, link, k, name }: Node, { schema }: Knowledge): void {
  const place = ds ?? at;
  if (typeof place === "string") {
    const dataset = schema.datasets.get(place);
    if (dataset === undefined) throw new PlanProblem(`There is no dataset ${place}.`);
    if (typeof field === "string" && !dataset.fields.has(field))
      throw new PlanProblem(`There is no field ${field} in ${place}.`);
  }
  if (typeof link === "string" && !schema.links.has(link))
    throw new PlanProblem(`There is no relationship ${link}.`);
  if (k === "metric" && !schema.metrics.has(String(name)))
    throw new PlanProblem(`There is no metric ${String(name)}.`);
}

/** Small numbers by which one counts and computes. */
const FREE = new Set([0, 1, 100]);
const MOST_PERIODS = 60;

function requireNumbers({ k, v, n, limit }: Node, numbers: ReadonlySet<number>): void {
  const isFree = (value: number) => FREE.has(value) || numbers.has(value) || numbers.has(value * 100);
  if (k === "lag") {
    if (typeof n === "number" && n >= 1 && n <= MOST_PERIODS) return;
    throw new PlanProblem("A lag is of 1 to 60 periods.");
  }
  for (const value of [v, n, limit]) {
    if (typeof value !== "number" || (isFree(value) && value <= LIMITS.agent.rows)) continue;
    if (value === v && isFree(value)) continue;
    throw new PlanProblem(`The number ${value} is neither in the question nor in the definitions.`);
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?$/;

/** A period is said in our words, which nobody can put something else into. */
function windowOf({ from, to, on }: Window, { knowledge, ...grounds }: Grounds): Window {
  for (const day of [from, to]) {
    if (day !== null && (!DAY.test(day) || Number.isNaN(Date.parse(day))))
      throw new PlanProblem(`"${day.slice(0, 40)}" is not a date such as 2025-12-31.`);
  }
  if (from === null && to === null) throw new PlanProblem("A period needs a beginning or an end.");
  if (from !== null && to !== null && from >= to)
    throw new PlanProblem("A period ends after it begins; its end is the first day that is not in it.");
  const said =
    from === null
      ? `before ${to}`
      : to === null
        ? `from ${from}`
        : `${from.slice(0, 10)} to ${dayBefore(to)}`;
  const date = on === undefined ? {} : { on: checked(on, { knowledge, ...grounds }) as Key };
  return { from, to, ...date, said };
}

function dayBefore(end: string): string {
  const day = new Date(`${end.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

/** The value as the data write it. */
function known(value: Literal, { ds, field }: Key, match: "equal" | "contains", grounds: Grounds): Literal {
  const { schema, values } = grounds.knowledge;
  const kind = schema.datasets.get(ds)?.fields.get(field)?.kind;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") {
    requireNumbers({ v: value }, grounds.numbers);
    return value;
  }
  const isSaid = fold(grounds.question).includes(fold(value));
  const there = values.find((each) => each.ds === ds && each.field === field)?.values ?? [];
  if (match === "contains") {
    if (value !== "" && (isSaid || there.some((each) => fold(each).includes(fold(value))))) return value;
    throw new PlanProblem(`Nothing in ${ds}.${field} contains "${value.slice(0, 80)}".`);
  }
  if (kind !== "text") {
    if (isSaid) return value;
    throw new PlanProblem(`The value "${value.slice(0, 80)}" is not in the question.`);
  }
  const found = there.find((each) => each === value) ?? there.find((each) => fold(each) === fold(value));
  if (found !== undefined) return found;
  const near = nearestFirst(value, there).slice(0, 3);
  const instead = near.length === 0 ? "" : ` The nearest: ${JSON.stringify(near)}.`;
  throw new PlanProblem(`There is no value "${value.slice(0, 80)}" in ${ds}.${field}.${instead}`);
}
