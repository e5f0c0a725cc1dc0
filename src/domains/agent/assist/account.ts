import type { Knowledge } from "../knowledge/build-knowledge.ts";
import {
  type Ask,
  type Cond,
  datasetOf,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Scope,
  type Top,
} from "../query/semantic-query.ts";
import type { Grammar } from "../understand/rules/grammar.ts";
import type { Sense } from "../understand/senses/fragment.ts";
import { PlanProblem } from "./check-plan.ts";
import type { Claims } from "./claims.ts";

/** What there is to hold a plan against. */
export interface Grounds {
  /** Everything that words of the question, and of answers to what was asked back, can mean by themselves. */
  senses: readonly Sense[];
  claims: Claims;
  /** Numbers that are said, without those of periods. */
  numbers: ReadonlySet<number>;
  /** Whether a text stands in the question as it is. */
  isTyped: (text: string) => boolean;
  knowledge: Knowledge;
  grammar: Grammar;
}

/** Words of grammar that ask for a part of a query, by what the part is called in it. */
const ASKED_BY: Readonly<Record<string, readonly string[]>> = {
  growth: ["growth", "versus", "versus period", "series", "compare them", "compare", "more", "difference"],
  lag: ["growth", "versus", "versus period", "series", "compare them", "compare", "more", "difference"],
  "-": ["less", "difference", "versus", "versus period", "compare them", "compare", "more", "growth", "than"],
  "/": ["ratio", "share", "rate", "by per", "agg avg"],
  share: ["ratio", "share", "rate"],
  "+": ["and", "comma", "both", "agg sum"],
  running: ["running"],
  not: ["not", "rest"],
  avg: ["agg avg"],
  median: ["agg median"],
  cmp: ["than", "compare", "more", "growth"],
  per: ["by", "each"],
};

/**
 * Holds every part of a plan against the words of the question: a condition, number, rank or piece of arithmetic that
 * no word asks for makes an answer to another question, however well it compiles.
 */
export class Account {
  readonly #grounds: Grounds;
  readonly #ops: ReadonlySet<string>;
  /** Conditions that words stand for as they are, such as those that the author defines. */
  readonly #conds: ReadonlySet<string>;

  constructor(grounds: Grounds) {
    this.#grounds = grounds;
    const { senses } = grounds;
    this.#ops = new Set(
      senses.flatMap((sense) => {
        if (sense.t === "windows") return ["compare"];
        if (sense.t === "than") return ["than", "compare"];
        if (sense.t === "quantity" && sense.value === "average") return ["than", "agg avg"];
        return sense.t === "op" ? [sense.op, `${sense.op} ${sense.arg ?? ""}`] : [];
      }),
    );
    this.#conds = new Set(senses.flatMap(condsOf).map(textOf));
  }

  require(ask: Ask): void {
    if (ask.k === "list") {
      this.#rel(ask.rel);
      if (ask.limit !== undefined) this.#count(ask.limit);
      return;
    }
    requireSamePeriod(ask);
    for (const key of ask.by) this.#group(key);
    for (const num of ask.cols) this.#num(num);
    this.#scope(ask.scope, true);
    if (ask.having !== undefined) this.#cond(ask.having, true);
    if (ask.top !== undefined) this.#top(ask.top);
  }

  #fail(what: string): never {
    throw new PlanProblem(
      `No word of the question asks for ${what}: leave it out, or name in "words" the word that does.`,
    );
  }

  #need(part: string, what: string): void {
    const isAsked = ASKED_BY[part]?.some((op) => this.#ops.has(op)) === true;
    if (!isAsked && !this.#grounds.claims.has(part, { isSure: false })) this.#fail(what);
  }

  /** As many as are said; or the one that is the first. */
  #count(n: number): void {
    if (n !== 1 && !this.#grounds.numbers.has(n)) this.#fail(`the number ${n}`);
  }

  #top({ n, dir, by, per }: Pick<Top, "n" | "dir" | "per"> & { by: Num | Key }): void {
    const isPlace = (sense: Sense) =>
      (sense.t === "sup" && (sense.dir === dir || sense.dim === null || this.#ops.has("growth"))) ||
      (sense.t === "op" && sense.op === "ordinal");
    const isAsked = this.#grounds.senses.some(isPlace) || this.#grounds.claims.has("top", { isSure: false });
    if (!isAsked) this.#fail(`the ${n} ${dir === "max" ? "highest" : "lowest"}`);
    this.#count(n);
    if (isKey(by)) this.#field(by, { isRanked: true });
    else this.#num(by);
    if (per !== undefined && per.length > 0) this.#need("per", "the first ones of each group");
    for (const key of per ?? []) this.#group(key);
  }

  #group(key: Key): void {
    const { bucket, fiscal } = key;
    if (bucket === undefined) {
      this.#field(key);
      return;
    }
    const isSaid = this.#grounds.senses.some(
      (sense) =>
        (sense.t === "grain" && sense.grain === bucket && (sense.isFiscal || fiscal !== true)) ||
        (sense.t === "op" && sense.op === "series" && sense.arg === bucket),
    );
    if (!isSaid) this.#fail(`periods of a ${bucket}`);
  }

  /** A field by its own name, by the entities that it names, or by one of its values. */
  #field(key: Key, { isRanked = false } = {}): void {
    const { senses, claims, knowledge } = this.#grounds;
    const { ds, field } = key;
    const dataset = knowledge.schema.datasets.get(ds);
    const isName = dataset?.nameField === field || dataset?.key.includes(field) === true;
    const isSame = (own: Key) => own.ds === ds && own.field === field;
    const isSaid = senses.some((sense) => {
      if (sense.t === "field") return isSame(sense.key);
      if (sense.t === "rel" || sense.t === "role") return (isName || isRanked) && sense.ds === ds;
      return condsOf(sense).some((cond) => cond.k === "is" && isSame(cond.key));
    });
    if (isSaid || claims.has(`${ds}.${field}`) || claims.has(field)) return;
    if (isName && claims.has(ds)) return;
    this.#fail(`${ds}.${field}`);
  }

  #metric(name: string): void {
    const { senses, claims, grammar } = this.#grounds;
    const isSaid = senses.some((sense) => {
      if (sense.t === "table") return JSON.stringify(sense.table.cols).includes(`"name":"${name}"`);
      if (sense.t === "worth") return sense.metric === name;
      return sense.t === "rel" && (sense.verb?.metric === name || grammar.isCalled(name, sense.ds));
    });
    if (!isSaid && !claims.has(name)) this.#fail(`the metric ${name}`);
  }

  #dataset(ds: string): void {
    const { senses, claims, knowledge } = this.#grounds;
    const isOf = (sense: Sense) => {
      if (sense.t === "field") return sense.key.ds === ds;
      return (sense.t === "rel" || sense.t === "role" || sense.t === "cond") && sense.ds === ds;
    };
    const fields = [...(knowledge.schema.datasets.get(ds)?.fields.keys() ?? [])];
    const isClaimed = claims.has(ds) || fields.some((field) => claims.has(`${ds}.${field}`));
    if (!senses.some(isOf) && !isClaimed) this.#fail(`the dataset ${ds}`);
  }

  #rel(rel: Rel): void {
    switch (rel.k) {
      case "all":
        this.#dataset(rel.ds);
        return;
      case "where":
        // What the values or periods of entities say stands for them: "Aroma".
        if (rel.in.k !== "all" || rel.if.k !== "is") this.#rel(rel.in);
        this.#cond(rel.if, false);
        return;
      case "via":
        this.#rel(rel.from);
        return;
      case "top":
        this.#rel(rel.in);
        this.#top(rel);
        return;
      case "set":
        if (rel.op === "minus") this.#need("not", "leaving something out");
        this.#rel(rel.a);
        this.#rel(rel.b);
        return;
    }
  }

  #scope(scope: Scope | undefined, isWhole: boolean): void {
    if (scope?.if !== undefined) this.#cond(scope.if, isWhole);
    if (scope?.win?.on !== undefined) this.#date(scope.win.on);
  }

  /** The date that is meant when none is named, or one that is. */
  #date(on: Key): void {
    const { datasets, metrics } = this.#grounds.knowledge.schema;
    const usual = [datasets.get(on.ds)?.date, ...[...metrics.values()].map(({ date }) => date)];
    if (!usual.some((date) => date?.ds === on.ds && date.field === on.field)) this.#field(on);
  }

  /** `ofNumbers`: it says of which rows numbers are made, whose period is that of the scope. */
  #cond(cond: Cond, ofNumbers: boolean): void {
    if (this.#conds.has(textOf(cond))) return;
    switch (cond.k) {
      case "and":
      case "or":
        for (const each of cond.of) this.#cond(each, ofNumbers);
        return;
      case "not":
        this.#need("not", "leaving something out");
        this.#cond(cond.of, ofNumbers);
        return;
      case "null":
        this.#need("not", "what is empty");
        this.#field(cond.key);
        return;
      case "is":
        for (const value of cond.values) this.#value(cond.key, value);
        return;
      case "during":
        if (cond.win.on !== undefined) {
          if (ofNumbers) this.#field(cond.win.on);
          else this.#date(cond.win.on);
        } else if (ofNumbers)
          throw new PlanProblem('The period of numbers belongs into the "win" of a scope.');
        return;
      case "cmp":
        this.#comparison(cond);
        return;
      case "link":
        this.#linked(cond);
        this.#rel(cond.to);
        return;
    }
  }

  #linked({ count, to }: Extract<Cond, { k: "link" }>): void {
    if (count === undefined || (count.op === ">=" && count.n === 1)) return;
    const isNone = count.n === 0 || (count.op === "<" && count.n === 1);
    if (isNone) {
      this.#need("not", "those without something");
      return;
    }
    if (!this.#isQuantity(count.op, count.n))
      this.#fail(`${count.op} ${count.n} ${datasetOf(to, () => "of them")}`);
  }

  #isQuantity(op: string, value: number): boolean {
    return this.#grounds.senses.some((sense) => {
      if (sense.t !== "quantity" || sense.value === "average") return false;
      const isSame = (said: number) => said === value || said * 100 === value || said === value * 100;
      return (sense.op === op && isSame(sense.value)) || (op === "<=" && isSame(sense.upTo ?? Number.NaN));
    });
  }

  #comparison({ a, op, b }: Extract<Cond, { k: "cmp" }>): void {
    const literal = !isKey(b) && b.k === "lit" ? b.v : undefined;
    if (literal === 0 && (op === "=" || op === ">")) this.#need("not", "those without something");
    else if (literal === undefined) this.#need("cmp", "a comparison");
    else if (!this.#isQuantity(op, literal)) this.#fail(`${op} ${literal}`);
    for (const side of literal === undefined ? [a, b] : [a]) {
      if (isKey(side)) this.#field(side);
      else this.#num(side);
    }
  }

  #value(key: Key, value: string | number | boolean): void {
    const { senses, claims, numbers, isTyped } = this.#grounds;
    if (typeof value === "boolean") {
      if (!value) this.#need("not", `${key.field} = false`);
      this.#field(key);
      return;
    }
    const isSaid = senses.some(
      (sense) =>
        (sense.t === "all" && sense.value === value) ||
        condsOf(sense).some((cond) => cond.k === "is" && cond.values.includes(value)),
    );
    const isThere = typeof value === "number" ? numbers.has(value) : isTyped(value);
    if (isSaid || isThere || claims.has(String(value), { isSure: false })) return;
    this.#fail(`the value "${String(value).slice(0, 80)}"`);
  }

  #num(num: Num): void {
    switch (num.k) {
      case "lit":
        this.#fail(`the number ${num.v}`);
        return;
      case "field":
        this.#field(num.key);
        return;
      case "metric":
        this.#metric(num.name);
        this.#scope(num.scope, true);
        return;
      case "agg":
        this.#aggregate(num);
        return;
      case "each":
        this.#aggregated(num.fn);
        this.#num(num.of);
        for (const key of num.per) this.#group(key);
        this.#scope(num.scope, true);
        return;
      case "calc":
        if (num.op === "*") this.#fail("a product of two numbers");
        this.#need(isShare(num) ? "share" : num.op, isShare(num) ? "a share" : `"${num.op}"`);
        requireOrder(num);
        this.#num(num.a);
        this.#num(num.b);
        return;
      case "lag":
        this.#need("lag", "an earlier period");
        this.#count(num.n);
        this.#num(num.of);
        return;
      case "running":
        this.#need("running", "a running total");
        this.#num(num.of);
        return;
    }
  }

  #aggregated(fn: Extract<Num, { k: "agg" }>["fn"]): void {
    if (fn === "avg" || fn === "median") this.#need(fn, `the ${fn}`);
    const isEnd = (sense: Sense) => sense.t === "sup" && sense.dir === fn;
    if ((fn === "min" || fn === "max") && !this.#grounds.senses.some(isEnd)) this.#fail(`the ${fn}`);
  }

  #aggregate({ fn, of, in: rel, scope }: Extract<Num, { k: "agg" }>): void {
    this.#aggregated(fn);
    if (of !== undefined) this.#field(of);
    if (rel !== undefined && (of === undefined || rel.k !== "all")) this.#rel(rel);
    this.#scope(scope, true);
  }
}

/** The conditions that a word can stand for. */
function condsOf(sense: Sense): Cond[] {
  if (sense.t === "cond") return [sense.cond];
  const conds: Cond[] = [];
  let rel = sense.t === "rel" || sense.t === "role" ? sense.rel : undefined;
  for (; rel?.k === "where"; rel = rel.in) conds.push(rel.if);
  return conds;
}

function textOf(node: unknown): string {
  return JSON.stringify(node, (_, value: unknown) =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

function isShare({ op, a, b }: Extract<Num, { k: "calc" }>): boolean {
  return op === "/" && a.k === "metric" && b.k === "metric" && a.name === b.name;
}

/** Change is from the earlier to the later. */
function requireOrder({ op, a, b }: Extract<Num, { k: "calc" }>): void {
  const start = (num: Num) => ("scope" in num ? (num.scope?.win?.from ?? undefined) : undefined);
  const [later, earlier] = [start(a), start(b)];
  if ((op === "growth" || op === "-") && later !== undefined && earlier !== undefined && later < earlier)
    throw new PlanProblem(`"${op}" has the later period as "a" and the earlier one as "b".`);
}

/** Where one number of a table has a period of its own, each has: others would be of all times. */
function requireSamePeriod({ cols, scope }: Extract<Ask, { k: "table" }>): void {
  if (scope?.win !== undefined) return;
  const hasOwn = cols.flatMap(leavesOf).map((num) => "scope" in num && num.scope?.win !== undefined);
  if (hasOwn.includes(true) && hasOwn.includes(false))
    throw new PlanProblem("A period holds for each number of the question.");
}

function leavesOf(num: Num): Num[] {
  if (num.k === "calc") return [...leavesOf(num.a), ...leavesOf(num.b)];
  if (num.k === "each" || num.k === "lag" || num.k === "running") return leavesOf(num.of);
  return num.k === "metric" || num.k === "agg" ? [num] : [];
}
