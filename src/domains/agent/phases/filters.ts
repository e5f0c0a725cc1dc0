import { period, t, word } from "../explain/words.ts";
import type { Ask, Cond, Key, Num, Rel, Scope, Window } from "../query/semantic-query.ts";

/** A condition of a query that can be left out to see what it does. */
export interface NamedFilter {
  /** The condition or period itself, as it stands in the query. */
  part: Cond | Window;
  said: string;
  key?: Key;
  /** The one value that is asked for. */
  value?: string;
}

/** The conditions that all rows have to meet. */
export function filtersIn(ask: Ask): NamedFilter[] {
  if (ask.k === "list") return inRel(ask.rel);
  const having = ask.having === undefined ? [] : inCond(ask.having);
  return [...inScope(ask.scope), ...ask.cols.flatMap(inNum), ...having];
}

/** The same query without one of its conditions. */
export function without(ask: Ask, { part }: NamedFilter): Ask {
  return replaced(ask, part, isWindow(part) ? { ...part, from: null, to: null } : ALWAYS) as Ask;
}

/** The same query with another condition in the place of one. */
export function instead(ask: Ask, { part }: NamedFilter, by: Cond): Ask {
  return replaced(ask, part, by) as Ask;
}

const ALWAYS: Cond = { k: "and", of: [{ k: "cmp", a: { k: "lit", v: 1 }, op: "=", b: { k: "lit", v: 1 } }] };

function replaced(node: unknown, part: unknown, by: unknown): unknown {
  if (node === part) return by;
  if (Array.isArray(node)) return node.map((each) => replaced(each, part, by));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, replaced(value, part, by)]));
}

function isWindow(part: unknown): part is Window {
  return typeof part === "object" && part !== null && !("k" in part);
}

function inNum(num: Num): NamedFilter[] {
  if (num.k === "calc") return [...inNum(num.a), ...inNum(num.b)];
  const counted = num.k === "agg" && num.in !== undefined ? inRel(num.in) : [];
  return [...("scope" in num ? inScope(num.scope) : []), ...counted];
}

function inScope(scope: Scope | undefined): NamedFilter[] {
  return [
    ...(scope?.if === undefined ? [] : inCond(scope.if)),
    ...(scope?.win === undefined ? [] : [{ part: scope.win, said: t`the period ${period(scope.win.said)}` }]),
  ];
}

function inRel(rel: Rel): NamedFilter[] {
  switch (rel.k) {
    case "where":
      return [...inCond(rel.if), ...inRel(rel.in)];
    case "top":
      return inRel(rel.in);
    case "via":
      return inRel(rel.from);
    default:
      return [];
  }
}

function inCond(cond: Cond): NamedFilter[] {
  switch (cond.k) {
    case "and":
      return cond.of.flatMap(inCond);
    case "is": {
      const [only, ...others] = cond.values;
      const value = typeof only === "string" && others.length === 0 ? only : undefined;
      const said = `${cond.key.field} = ${cond.values.join(` ${word("or")} `)}`;
      return [{ part: cond, said, key: cond.key, ...(value !== undefined && { value }) }];
    }
    case "link":
      return [...inRel(cond.to), { part: cond, said: t`the condition on what it belongs to` }];
    case "during":
      return [{ part: cond, said: t`the period ${period(cond.win.said)}` }];
    case "cmp":
      return [{ part: cond, said: t`the comparison` }];
    default:
      return [{ part: cond, said: t`one of the conditions` }];
  }
}
