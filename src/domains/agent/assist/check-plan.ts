import { clip } from "../../../kernel/clip.ts";
import { nearestFirst } from "../../../kernel/nearest.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { type Node, rebuilt } from "../query/nodes.ts";
import type { Ask, Cond, Key, Literal, Window } from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";

/** Why a model's plan is not taken; the message goes back to the model. */
export class PlanProblem extends Error {
  override readonly name = "PlanProblem";
}

export interface Grounds {
  knowledge: Knowledge;
  question: string;
  /** The periods of the question. */
  periods: readonly Window[];
}

/**
 * The query with the names, values and periods as the data have them. Throws a PlanProblem for what is not there:
 * a value that nobody named and the data do not have, or another period, makes an answer to another question.
 */
export function checkedAsk(ask: Ask, grounds: Grounds): Ask {
  return rebuilt(ask, (node) => {
    requireNames(node, grounds.knowledge);
    if ("from" in node && "to" in node) return { ...windowOf(node as unknown as Window, grounds) };
    if (node.k !== "is") return node;
    const { key, match, values } = node as unknown as Extract<Cond, { k: "is" }>;
    return { ...node, values: values.map((value) => known(value, key, match, grounds)) };
  });
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

/** Periods are those that the rules read in the question: of all that it says, they know these for sure. */
function windowOf({ from, to, on }: Window, grounds: Grounds): Window {
  const day = (end: string | null) => (end === null ? null : end.replace(/T00:00(:00(\.0+)?)?Z?$/, ""));
  const meant = grounds.periods.find((win) => win.from === day(from) && win.to === day(to));
  if (meant === undefined)
    throw new PlanProblem(
      `The question has no period from ${clip(String(from), 40)} to ${clip(String(to), 40)}: use those of "periods" as they are, and no others.`,
    );
  return {
    from: meant.from,
    to: meant.to,
    ...(on !== undefined && { on }),
    said: meant.said,
  };
}

/** The value as the data write it. */
function known(value: Literal, { ds, field }: Key, match: "equal" | "contains", grounds: Grounds): Literal {
  const { schema, values } = grounds.knowledge;
  const kind = schema.datasets.get(ds)?.fields.get(field)?.kind;
  if (typeof value !== "string") return value;
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
