import {
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Scope,
} from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";

/** Readings in words that tell them apart: their own, or those that the query itself gives. */
export function inTheirWords(readings: readonly Reading[]): Reading[] {
  const said = readings.map((reading) => reading.said.trim());
  return readings.map((reading, i) => {
    const isOwn = said[i] !== "" && said.indexOf(said[i] as string) === said.lastIndexOf(said[i] as string);
    return isOwn ? reading : { ...reading, said: say(reading.ask) };
  });
}

/** A query in words. */
export function say(ask: Ask): string {
  if (ask.k === "list") return sayList(ask);
  const { by, cols, scope, having, top } = ask;
  const numbers = cols.map(sayNum).join(" and ");
  const keys = by.length === 0 ? "" : ` by ${by.map(sayKey).join(" and ")}`;
  const groups = having === undefined ? "" : `, only with ${sayCond(having)}`;
  const first =
    top === undefined
      ? ""
      : `, the ${top.n === 1 ? "" : `${top.n} `}${top.dir === "max" ? "highest" : "lowest"} by ${sayNum(top.by)}${each(top.per)}`;
  return `${numbers}${keys}${sayScope(scope)}${first}${groups}`;
}

function sayList({ rel, show, limit }: Extract<Ask, { k: "list" }>): string {
  const fields = show.map(sayKey);
  const what = fields.length === 0 ? "" : `${fields.join(", ")} of `;
  return `${what}${sayRel(rel)}${limit === undefined ? "" : `, the first ${limit}`}`;
}

function sayKey({ field, bucket, fiscal }: Key): string {
  if (bucket !== undefined) return fiscal === true ? `fiscal ${bucket}` : bucket;
  return words(field.replace(/_name$/i, ""));
}

function sayScope(scope: Scope | undefined): string {
  const parts = [
    scope?.if === undefined ? "" : ` where ${sayCond(scope.if)}`,
    scope?.win === undefined ? "" : ` (${scope.win.said})`,
    scope?.whole === true ? " of all" : "",
  ];
  return parts.join("");
}

function sayRel(rel: Rel): string {
  switch (rel.k) {
    case "all":
      return words(rel.ds);
    case "where":
      return `${sayRel(rel.in)} where ${sayCond(rel.if)}`;
    case "via":
      return `what ${sayRel(rel.from)} lead to by ${rel.path.map(({ link }) => words(link)).join(", ")}`;
    case "top": {
      const by = isKey(rel.by) ? sayKey(rel.by) : sayNum(rel.by);
      const n = rel.n === 1 ? "" : `${rel.n} `;
      return `the ${n}${sayRel(rel.in)} with the ${rel.dir === "max" ? "highest" : "lowest"} ${by}${each(rel.per)}`;
    }
    case "set": {
      const word = { union: "or", intersect: "that are also", minus: "but not" }[rel.op];
      return `${sayRel(rel.a)} ${word} ${sayRel(rel.b)}`;
    }
  }
}

function sayCond(cond: Cond): string {
  switch (cond.k) {
    case "and":
    case "or":
      return cond.of.map(sayCond).join(` ${cond.k} `);
    case "not":
      return `not (${sayCond(cond.of)})`;
    case "is":
      return `${words(cond.key.ds)} ${sayKey(cond.key)} ${cond.match === "contains" ? "contains" : "is"} ${cond.values.join(" or ")}`;
    case "null":
      return `${sayKey(cond.key)} is empty`;
    case "during":
      return cond.win.said;
    case "cmp":
      return `${side(cond.a)} ${cond.op} ${side(cond.b)}`;
    case "link": {
      const number = cond.count === undefined ? "" : `${cond.count.op} ${cond.count.n} `;
      return `with ${number}${sayRel(cond.to)}`;
    }
  }
}

function side(value: Num | Key): string {
  return isKey(value) ? sayKey(value) : sayNum(value);
}

const AGGREGATES = {
  count: "number of",
  distinct: "number of different",
  sum: "total",
  avg: "average",
  median: "median",
  min: "lowest",
  max: "highest",
  only: "the",
} as const;

function sayNum(num: Num): string {
  switch (num.k) {
    case "lit":
      return num.v.toLocaleString("en-US");
    case "field":
      return sayKey(num.key);
    case "metric":
      return `${words(num.name)}${sayScope(num.scope)}`;
    case "agg": {
      const of = num.of === undefined ? "" : sayKey(num.of);
      const rows =
        num.in === undefined ? (num.path?.map(({ link }) => words(link)).join(", ") ?? "") : sayRel(num.in);
      const what = of === "" ? rows : rows === "" ? of : `${of} of ${rows}`;
      return `${AGGREGATES[num.fn]} ${what}${sayScope(num.scope)}`.trim();
    }
    case "each":
      return `${AGGREGATES[num.fn]} ${sayNum(num.of)}${each(num.per)}${sayScope(num.scope)}`;
    case "calc":
      return sayCalc(num);
    case "lag":
      return `${sayNum(num.of)} ${num.n === 1 ? `the ${num.grain} before` : `${num.n} ${num.grain}s before`}`;
    case "running":
      return `running total of ${sayNum(num.of)}`;
  }
}

function sayCalc({ op, a, b }: Extract<Num, { k: "calc" }>): string {
  const [x, y] = [sayNum(a), sayNum(b)];
  if (op === "growth") return `growth of ${x} over ${y}`;
  if (op === "/") return `${x} as a share of ${y}`;
  return { "+": `${x} plus ${y}`, "-": `${x} less ${y}`, "*": `${x} times ${y}` }[op];
}

function each(keys: readonly Key[] | undefined): string {
  return keys === undefined || keys.length === 0 ? "" : ` for each ${keys.map(sayKey).join(" and ")}`;
}

function words(name: string): string {
  return name.replaceAll(/[_~]+/g, " ").trim();
}
