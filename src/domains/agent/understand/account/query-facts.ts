import { toOnePath } from "../../compile/paths.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { isSameField } from "../../query/parts.ts";
import type { Schema } from "../../query/schema.ts";
import type { Ask, Cond, Key, Num, Rel, Window } from "../../query/semantic-query.ts";
import { yearsBetween } from "../../query/years-apart.ts";
import { deniesRest } from "../lexicon/values.ts";
import { isPrice } from "../model/model-words.ts";
import type { Grammar } from "../rules/grammar.ts";
import { conditionsIn } from "../senses/conditions.ts";
import type { Quantity, Sense } from "../senses/fragment.ts";
import { someOf } from "../senses/make.ts";
import type { Role } from "./unsaid.ts";

/** "border other states": of a link of something with itself, the others are meant anyway. */
function isAmongThemselves(links: ReadonlySet<string>, schema: Schema): boolean {
  return [...links].some((name) => {
    const { from, to } = schema.links.get(name) ?? {};
    return from === to || [...links].some((other) => other !== name && schema.links.get(other)?.to === to);
  });
}

/** Numbers beside each other: in columns, by values that were named, or one period after the other. */
function isBeside(ask: Ask, text: string): boolean {
  if (ask.k === "list") return false;
  const { by, cols, scope } = ask;
  const isNamed = (key: Key) => text.includes(`"key":${JSON.stringify(key)},"values":[`);
  const isAfter = ({ bucket }: Key) => bucket !== undefined && scope?.win !== undefined;
  return cols.length > 1 || by.some((key) => isNamed(key) || isAfter(key));
}

/** Everything that a query speaks of, found by walking through it. */
class QueryParts {
  protected readonly schema: Schema;
  protected readonly ask: Ask;
  protected readonly datasets = new Set<string>();
  protected readonly fields = new Set<string>();
  protected readonly metrics = new Set<string>();
  protected readonly links = new Set<string>();
  protected readonly values = new Set<unknown>();
  protected readonly windows = new Set<string>();
  /** Kinds of nodes, functions, operators, directions, periods. */
  protected readonly parts = new Set<unknown>();
  protected readonly texts: string;
  protected readonly places: { dir?: unknown; n?: unknown }[] = [];
  protected readonly each: Key[] = [];
  protected readonly functions = new Set<unknown>();
  /** How often something is denied, each of several values by itself. */
  negations = 0;
  /** How often there is one thing or another: between values of one field, or between conditions. */
  alternatives = 0;

  constructor(ask: Ask, schema: Schema) {
    this.schema = schema;
    this.ask = ask;
    this.texts = JSON.stringify(ask);
    this.#walk(ask);
    for (const ds of this.datasets) this.#field(this.#isDated() ? schema.datasets.get(ds)?.date : null);
  }

  #isDated(): boolean {
    return this.windows.size > 0 || this.parts.has("bucket") || this.parts.has("part");
  }

  #field(key: Key | null | undefined): void {
    if (key != null) this.fields.add(`${key.ds}.${key.field}`);
  }

  #walk(node: unknown): void {
    if (Array.isArray(node)) for (const each of node) this.#walk(each);
    if (typeof node === "number" || typeof node === "string") this.values.add(node);
    if (node === false) this.negations += 1;
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { ds, field, link, k, name, from, to } = node as Record<string, unknown>;
    if (typeof ds === "string") this.datasets.add(ds);
    if (typeof ds === "string" && typeof field === "string") this.fields.add(`${ds}.${field}`);
    if (typeof link === "string") this.#addLink(link);
    if (k === "metric") this.#addMetric(String(name));
    if ("fn" in node) this.functions.add(node.fn);
    if ("said" in node) this.windows.add(`${from}|${to}`);
    if ("dir" in node && "ties" in node) this.places.push(node);

    const { op, b } = node as { op?: unknown; b?: { v?: unknown } };
    const { of } = node as { of?: { k?: unknown; values?: unknown[] } };
    if (k === "not" && of?.k === "is") this.negations += (of.values?.length ?? 1) - 1;
    if (k === "not" || k === "null" || (k === "cmp" && op === "=" && b?.v === 0)) this.negations += 1;
    const { values } = node as { values?: unknown[] };
    if (k === "is") this.alternatives += (values?.length ?? 1) - 1;
    if (k === "is" && values?.every((value) => typeof value === "string" && deniesRest(value)) === true)
      this.negations += 1;
    if (k === "or" && Array.isArray(of)) this.alternatives += of.length - 1;
    const { per } = node as { per?: Key[] };
    if (Array.isArray(per)) this.each.push(...per);
    for (const [part, value] of Object.entries(node)) {
      if (value === undefined) continue;
      const isEmpty = Array.isArray(value) && value.length === 0;
      if (!isEmpty) this.parts.add(part);
      if (PLAIN.has(part)) this.parts.add(value);
      this.#walk(value);
    }
  }

  #addLink(name: string): void {
    const link = this.schema.links.get(name);
    this.links.add(name);
    if (link === undefined) return;
    for (const { from, to } of link.columns) {
      this.fields.add(`${link.from}.${from}`);
      this.fields.add(`${link.to}.${to}`);
    }
    this.datasets.add(link.from).add(link.to);
  }

  #addMetric(name: string): void {
    this.metrics.add(name);
    const { formula, date } = this.schema.metrics.get(name) ?? {};
    for (const column of formula?.aggregates.flatMap(({ columns }) => columns) ?? []) {
      this.datasets.add(column.ds);
      this.#field(column);
    }
    if (this.#isDated()) this.#field(date);
  }
}

/** Parts whose values are words of the query's own language. */
const PLAIN = new Set(["k", "fn", "op", "dir", "bucket", "grain", "part"]);

/** Whether a query says what words mean. */
export class QueryFacts extends QueryParts {
  readonly #knowledge: Knowledge;
  readonly #grammar: Grammar;

  constructor(ask: Ask, knowledge: Knowledge, grammar: Grammar) {
    super(ask, knowledge.schema);
    this.#knowledge = knowledge;
    this.#grammar = grammar;
  }

  /** Whether something is first of each, and not of all. */
  get isOfEach(): boolean {
    return this.each.length > 0;
  }

  /** Whether what some words mean by themselves has left a trace. */
  says(sense: Sense, role: Role): boolean {
    switch (sense.t) {
      case "rel":
        if (sense.form === "noun" && !this.#hasRole(sense.ds, role)) return false;
        // "units were sold": that they were is in the number.
        if (
          sense.verb !== undefined &&
          [...this.metrics].some((name) => this.#grammar.isMadeOf(name, sense.rel))
        )
          return true;
        return sense.rel.k === "all" ? this.#speaksOf(sense.ds) : this.#saysRel(sense.rel);
      case "role":
        return this.datasets.has(sense.ds);
      case "field":
        return this.#hasPart(sense.key, role) && this.#saysField(sense.key);
      case "cond":
        return role !== "told" && this.#saysCond(sense.cond);
      case "link":
        return this.parts.has("link") || this.parts.has("via") || this.#isEverywhere();
      case "sup":
        return this.#saysPlace(sense);
      case "table":
        return sense.table.cols.every((num) => this.#saysNum(num));
      case "worth":
        return this.metrics.has(sense.metric);
      case "window":
        return this.#saysWindow(sense.win);
      case "windows":
        return sense.wins.every((win) => this.#saysWindow(win));
      case "than":
        return sense.win === null || this.#saysWindow(sense.win);
      case "grain":
        // "the best quarter" is one, and no number.
        if (role === "asked" && this.ask.k === "table" && this.ask.by.length === 0) return false;
        return this.parts.has(sense.grain) || (sense.grain === "day" && this.#showsDate());
      case "number":
        return this.values.has(sense.value) || this.#isAll(sense.value);
      case "quantity":
        return this.#saysQuantity(sense);
      case "group":
      case "mod":
        return this.parts.has("part");
      case "op":
        return this.#saysOp(sense);
      default:
        return true;
    }
  }

  /** Of a list, and of what is counted, each noun has its part; beside a number it may merely say whose it is. */
  #speaksOf(ds: string): boolean {
    const isPlain = this.ask.k === "list" || this.ask.cols.every(({ k }) => k === "agg");
    const isNamed = (name: string) => this.#grammar.isCalled(name, ds);
    return this.datasets.has(ds) || (!isPlain && (this.#reaches(ds) || [...this.metrics].some(isNamed)));
  }

  /** What rows belong to can be named without being asked for: "revenue from customers". */
  #reaches(ds: string): boolean {
    return [...this.datasets].some((own) => own === ds || toOnePath(this.schema, own, ds) !== undefined);
  }

  #hasRole(ds: string, role: Role): boolean {
    if (role === "asked") return this.#shows(ds);
    if (role === "counted") return this.#counts(ds);
    if (role === "told") return this.#groups().some((key) => key.ds === ds);
    return role !== "each" || this.#isTold(ds);
  }

  /** Which values are asked for, or by which numbers are told apart: that is shown, and no mere condition. */
  #hasPart(key: Key, role: Role): boolean {
    if (role !== "asked" && role !== "each" && role !== "by") return true;
    const shown = [...(this.ask.k === "list" ? this.ask.show : this.ask.by), ...this.each];
    const isSame = (own: Key) => own.ds === key.ds && own.field.split("_")[0] === key.field.split("_")[0];
    if (this.links.has(`~${key.ds}.${key.field}`)) return true;
    return shown.some(isSame) || this.#isMeasure(key) || this.parts.has("/") || this.parts.has("distinct");
  }

  /** Whether numbers are told apart by entities or something of them, or divided by how many there are. */
  #isTold(ds: string): boolean {
    const isOf = (key: Key) => key.ds === ds || this.#startOf(key) === ds;
    return [...this.#groups(), ...this.each].some(isOf) || this.#divides(ds);
  }

  /** Through whom a group is told: the region of a store. */
  #startOf({ path }: Key): string | undefined {
    return this.schema.links.get(path?.[0]?.link ?? "")?.from;
  }

  #divides(ds: string): boolean {
    const isBy = (num: Num): boolean => {
      if (num.k === "each" || num.k === "lag" || num.k === "running") return isBy(num.of);
      if (num.k === "calc") return (num.op === "/" && this.#isOf(num.b, ds)) || isBy(num.a) || isBy(num.b);
      return num.k === "metric" && this.#isRatioOf(num.name) && this.#isOf(num, ds);
    };
    return this.ask.k === "table" && this.ask.cols.some(isBy);
  }

  /** By what numbers are told apart: in a list, by what stands beside them. */
  #groups(): readonly Key[] {
    if (this.ask.k === "table") return this.ask.by;
    return this.ask.show.length > 1 ? this.ask.show : [];
  }

  #counts(ds: string): boolean {
    return this.ask.k === "table" && this.ask.cols.some((num) => this.#isOf(num, ds));
  }

  /** Whether a number is made of rows of a dataset, or of what says which of them a row belongs to. */
  #isOf(num: Num, ds: string): boolean {
    if (num.k === "calc") return this.#isOf(num.a, ds) || this.#isOf(num.b, ds);
    if (num.k === "each" || num.k === "lag" || num.k === "running") return this.#isOf(num.of, ds);
    // How many different values there are of something says not how many there are of it.
    if (num.k === "agg" && num.fn === "distinct" && num.of !== undefined)
      return (num.of.ds === ds && this.#isNameOf(num.of)) || this.#isKeyOf(num.of, ds);
    if (num.k === "agg")
      return num.of?.ds === ds || (num.in !== undefined && this.#grammar.datasetOf(num.in) === ds);
    if (num.k !== "metric") return num.k === "field" && num.key.ds === ds;
    const { aggregates = [] } = this.schema.metrics.get(num.name)?.formula ?? {};
    if (this.#grammar.isCalled(num.name, ds) || this.#grammar.countsPieces(num.name, ds)) return true;
    return aggregates.some(({ columns }) => columns.some((key) => key.ds === ds || this.#isKeyOf(key, ds)));
  }

  #isNameOf({ ds, field }: Key): boolean {
    const { nameField, key = [] } = this.schema.datasets.get(ds) ?? {};
    return nameField === field || key.includes(field);
  }

  /** Whether a column says which entity of a dataset a row belongs to. */
  #isKeyOf({ ds, field }: Key, to: string): boolean {
    return [...this.schema.links.values()].some(
      (link) => link.from === ds && link.to === to && link.columns.some(({ from }) => from === field),
    );
  }

  /** Whether these are what is listed, told apart or counted; or what is named in their place, such as their capitals. */
  #shows(ds: string): boolean {
    const shown = this.ask.k === "list" ? this.ask.show : this.ask.by;
    const isCounted = this.ask.k === "table" && this.texts.includes('"fn":"count"');
    const others = [...this.links].filter((link) => link.startsWith(`~${ds}.`));
    const named = [ds, ...others.map((link) => this.schema.links.get(link)?.to)];
    return isCounted || shown.some((key) => named.includes(key.ds) || this.#startOf(key) === ds);
  }

  /** "the day they joined" */
  #showsDate(): boolean {
    return this.ask.k === "list" && this.ask.show.some((key) => this.#grammar.isDate(key));
  }

  #saysRel(rel: Rel): boolean {
    if (rel.k !== "where") return rel.k !== "all" || this.#reaches(rel.ds);
    return this.#saysCond(rel.if) && this.#saysRel(rel.in);
  }

  #saysCond(cond: Cond): boolean {
    if (cond.k === "is")
      return (
        this.#saysField(cond.key) && cond.values.every((value) => this.values.has(value) || value === true)
      );
    if (cond.k === "link") return cond.path.every(({ link }) => this.links.has(link));
    // "without a deposit": that it is not "No deposit" is denied in its turn.
    if (cond.k === "not" && cond.of.k === "is") return this.#saysCond(cond.of);
    return this.texts.includes(JSON.stringify(cond));
  }

  /** Of a field with a number beside it, such as a highest point and its elevation, either stands for both. */
  #saysField({ ds, field }: Key): boolean {
    const [stem] = field.split("_");
    const date = this.schema.datasets.get(ds)?.date;
    // "closed within 24 hours": how long that took.
    const time = this.#grammar.isDate({ ds, field }) ? this.#grammar.timeOf(ds, null) : undefined;
    if (time !== undefined && this.fields.has(`${time.ds}.${time.field}`)) return true;
    const took = this.#grammar.isDate({ ds, field }) ? this.#grammar.timeTo({ ds, field }) : undefined;
    if (took !== undefined && this.fields.has(`${took.ds}.${took.field}`)) return true;
    // Tickets are opened, all of them.
    if (isSameField(date, { ds, field }) && this.datasets.has(ds)) return true;
    return (
      this.fields.has(`${ds}.${field}`) || [...this.fields].some((own) => own.startsWith(`${ds}.${stem}_`))
    );
  }

  #saysNum(num: Num): boolean {
    if (num.k === "metric") {
      const tally = this.#grammar.tallyOf(num.name);
      const isSome = tally !== undefined && this.texts.includes(JSON.stringify(someOf(tally)));
      return isSome || this.metrics.has(num.name) || this.#isMedianOf(num.name);
    }
    return num.k !== "agg" || num.in === undefined || this.#saysRel(num.in);
  }

  #isMedianOf(name: string): boolean {
    const key = this.functions.has("median") ? this.#grammar.averagedIn(name) : undefined;
    return key !== undefined && this.fields.has(`${key.ds}.${key.field}`);
  }

  /** Two periods, one after the other, may be one window. */
  #saysWindow({ from, to }: Window): boolean {
    const ends = [...this.windows].map((win) => win.split("|"));
    return ends.some(([start = "", end = ""]) => {
      if (this.parts.has("lag") && (yearsBetween({ from, to }, { from: start, to: end }) ?? 0) > 0)
        return true;
      if (start === String(from)) return end === String(to) || (this.#isSeries() && end > String(to));
      return this.#isSeries() && end === String(to) && start < String(from);
    });
  }

  #isSeries(): boolean {
    return this.ask.k === "table" && this.ask.by.some(({ bucket }) => bucket !== undefined);
  }

  /** "all 50 states" are as many as there are. */
  #isAll(value: number): boolean {
    // A capital may be counted among fifty, but of six none is missing.
    const isNear = (count: number) => Math.abs(count - value) <= (value < 20 ? 0 : 1);
    const isMeant = (ds: string, field: string) =>
      this.datasets.has(ds) && this.schema.datasets.get(ds)?.nameField === field;
    return this.#knowledge.values.some(
      ({ ds, field, values }) => isNear(values.length) && isMeant(ds, field),
    );
  }

  /** Whether it says that something is where everything is: in the one country. */
  #isEverywhere(): boolean {
    return this.#knowledge.values.some(
      ({ ds, field, values }) =>
        values.length === 1 && this.fields.has(`${ds}.${field}`) && this.values.has(values[0]),
    );
  }

  /** The first of something, or everything in that order. */
  #saysPlace({ dir, n, dim }: Extract<Sense, { t: "sup" }>): boolean {
    // The most expensive ones are first by a price, and not by whatever number there is.
    if (dim === "price" && ![...this.metrics, ...this.fields].some(isPrice)) return false;
    // What declined the most has the lowest growth, and whoever is oldest the highest age.
    const isDir = (own: unknown) =>
      own === dir || dim === "age" || this.parts.has("growth") || this.parts.has("-");
    const isPlace = (node: { dir?: unknown; n?: unknown }) => isDir(node.dir) && (n === null || node.n === n);
    return this.places.some(isPlace) || this.parts.has("order") || this.functions.has(dir);
  }

  #saysQuantity({ value, unit, op }: Quantity): boolean {
    if (value === "average") return this.parts.has("avg");
    if (unit !== undefined) return this.parts.has(op);
    return this.values.has(value) && this.parts.has(op);
  }

  #saysOp({ op, arg }: Extract<Sense, { t: "op" }>): boolean {
    const has = (...parts: unknown[]) => parts.some((part) => this.parts.has(part));
    switch (op) {
      case "not":
        return this.negations > 0 || has("minus", "<>", "<", "<=");
      case "count":
        return this.#isCounted();
      case "how much":
        return this.ask.k === "table" || this.ask.show.some((key) => this.#isMeasure(key));
      case "agg":
        return this.#saysAggregate(arg ?? "");
      case "by":
        return arg === "per" ? this.#isGrouped() : this.#isGrouped() || has("top", "order", "is", "link");
      case "each":
        return this.#isGrouped();
      case "across":
        return this.#isGrouped() || this.ask.k === "list" || has("avg", "median", "count", "distinct");
      case "ratio":
      case "share":
      case "rate":
        return has("/");
      case "less":
      case "difference":
        return has("-", "growth");
      case "growth":
      case "series":
      case "versus period":
        return has("growth", "lag", "-");
      case "running":
        return has("running");
      case "more":
      case "compare":
      case "than":
        return has("cmp", "-", "growth", "max", "min") || isBeside(this.ask, this.texts);
      case "versus":
      case "compare them":
        return has("growth", "lag", "-", "/") || isBeside(this.ask, this.texts) || this.#isGrouped();
      case "both":
        return has("and") || this.texts.includes('"all":true');
      case "rest":
        return this.negations > 0 || isAmongThemselves(this.links, this.schema);
      case "ordinal":
        return has("skip");
      // Whoever only did this did nothing else, which no query says.
      case "when":
        return this.#showsDate() || this.#isSeries() || this.fields.size === 0;
      case "distinct":
        return this.ask.k === "list" || this.functions.has("distinct") || this.functions.has("count");
      case "only":
        return !has("link");
      case "or":
        return (
          has("or", "growth") ||
          /"values":\[[^\]]+,/.test(this.texts) ||
          isBeside(this.ask, this.texts) ||
          this.#isSeries()
        );
      case "but":
        return conditionsIn(this.ask) > 1;
      default:
        return true;
    }
  }

  #saysAggregate(fn: string): boolean {
    if (this.parts.has(fn)) return true;
    const isAverage = [...this.metrics].some((name) => this.#grammar.isAverage(name));
    // Nobody who says "total" means the mean.
    if (fn === "sum")
      return this.metrics.size !== 1 || ![...this.metrics].some((name) => /^(average|avg|mean)_/.test(name));
    return fn === "avg" && (isAverage || this.parts.has("/"));
  }

  /** Whether it says how many: "how many people" is a field, and money is counted by nobody. */
  #isCounted(): boolean {
    if (this.ask.k === "list") return this.ask.show.some((key) => this.#isMeasure(key));
    return this.ask.cols.some((num) => !this.#isMoney(num));
  }

  #isMoney(num: Num): boolean {
    if (num.k === "metric") return this.#grammar.isCounting(num.name) === false;
    return "of" in num && num.k !== "agg" && this.#isMoney(num.of as Num);
  }

  #isGrouped(): boolean {
    return this.#groups().length > 0 || this.parts.has("per") || this.#isRatio();
  }

  #isRatio(): boolean {
    return this.parts.has("/") || [...this.metrics].some((name) => this.#isRatioOf(name));
  }

  /** A metric such as a rate is divided already. */
  #isRatioOf(name: string): boolean {
    const { texts = [] } = this.schema.metrics.get(name)?.formula ?? {};
    return texts.some((text) => text.includes("/"));
  }

  #isMeasure({ ds, field }: Key): boolean {
    return this.schema.datasets.get(ds)?.fields.get(field)?.kind === "number";
  }
}
