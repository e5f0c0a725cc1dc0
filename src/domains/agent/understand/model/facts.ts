import { addsUp, plainlyAddsUp } from "../../../models/quantities/index.ts";
import { toOnePath } from "../../compile/paths.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { isSameField } from "../../query/parts.ts";
import type { Link, Schema } from "../../query/schema.ts";
import { type Cond, datasetOf, type Hop, type Key, type Num, type Rel } from "../../query/semantic-query.ts";
import { DIMENSIONS } from "../languages/english/english.ts";
import { isOfTime } from "../languages/language.ts";
import { phraseKey } from "../languages/words.ts";
import { flagsIn } from "../lexicon/values.ts";
import type { TableSense } from "../senses/fragment.ts";
import { currencyIn, MetricFacts } from "./metric-facts.ts";
import {
  dimensionFields,
  endOf,
  foreignLink,
  isPrice,
  isSummed,
  isTaken,
  mainDataset,
  peopleOf,
  timeField,
  unitOf,
  worths,
} from "./model-words.ts";
import { homesOf, isDoneTo, isSoldBy, moneyMetrics } from "./usual-sales.ts";

/** More would be no answer but a table. */
const ROW_FIELDS = 8;

const OVER =
  /(^|_)(closed|ended|end|finished|resolved|solved|completed|done|geschlossen|ende|erledigt)(_|$)/i;

/** What rules ask of a model: what a field is, what belongs to what, and by which way. */
export class Facts extends MetricFacts {
  protected readonly ways: Ways;
  readonly #people: ReadonlySet<string>;
  /** Fields that say yes or no, whatever they are written as. */
  readonly #flags: ReadonlySet<string>;
  readonly #metricHomes = new Map<string, string[]>();
  readonly #dimensionFields = new Map<string, string[]>();
  /** The dataset that everything else belongs to. */
  readonly main: string | undefined;
  /** What the author says that money is in. */
  readonly currency: string | undefined;

  constructor(knowledge: Knowledge) {
    super(knowledge);
    const { model, schema, values } = knowledge;
    this.#flags = flagsIn(model, values);
    this.ways = new Ways(schema);
    this.#people = new Set(peopleOf(model));
    this.main = mainDataset(schema);
    this.currency = currencyIn(`${model.description ?? ""} ${model.ai.instructions ?? ""}`);
  }

  /** Whether rows of a number belong to one row of a dataset, so that it can be limited or grouped by it. */
  reachedBy({ cols }: TableSense, ds: string): boolean {
    return cols.some((num) => this.#reaches(num, ds));
  }

  /** Of a ratio both parts have to belong to it: tickets without a product are not told apart by products. */
  #reaches(num: Num, ds: string): boolean {
    if (num.k === "calc" && num.op === "/") return this.#reaches(num.a, ds) && this.#reaches(num.b, ds);
    if (num.k === "lit" || num.k === "field") return true;
    return this.#homes(num).some((home) => home === ds || toOnePath(this.schema, home, ds) !== undefined);
  }

  /** The condition that the only value of a field is for rows of a dataset: of its own field, or of what they belong to. */
  everywhere(ds: string, { field, value }: { field: string; value: string }): Cond | undefined {
    const near = [...this.schema.datasets.values()]
      .filter(({ fields }) => fields.has(field))
      .map(({ name }) => ({ name, way: name === ds ? [] : toOnePath(this.schema, ds, name) }))
      .filter(({ way }) => way !== undefined)
      .toSorted((a, b) => (a.way?.length ?? 0) - (b.way?.length ?? 0))[0];
    return near && { k: "is", key: { ds: near.name, field }, values: [value], match: "equal" };
  }

  /** The same for the rows that a number is made of. */
  everywhereOf({ cols }: TableSense, only: { field: string; value: string }): Cond | undefined {
    const homes = cols.flatMap((num) => this.#homes(num));
    return homes.map((home) => this.everywhere(home, only)).find((cond) => cond !== undefined);
  }

  /** Whether a nearer dataset has a field of the same name. */
  isFarther(table: TableSense, key: Key): boolean {
    if (key.path !== undefined) return false;
    const own = this.#distance(table, key.ds);
    return [...this.schema.datasets.values()].some(
      ({ name, fields }) => name !== key.ds && fields.has(key.field) && this.#distance(table, name) < own,
    );
  }

  #distance({ cols }: TableSense, ds: string): number {
    const ways = cols.flatMap((num) => this.#homes(num)).map((home) => toOnePath(this.schema, home, ds));
    const costs = ways.map(
      (way) => way?.reduce((sum, { cost }) => sum + cost, 0) ?? Number.POSITIVE_INFINITY,
    );
    return Math.min(...costs, Number.POSITIVE_INFINITY);
  }

  datasetOf(rel: Rel): string {
    return datasetOf(rel, (path) => this.ways.end(path));
  }

  #homes(num: Num): string[] {
    switch (num.k) {
      case "metric": {
        const homes = this.#metricHomes.get(num.name) ?? homesOf(this.schema, num.name);
        this.#metricHomes.set(num.name, homes);
        return homes;
      }
      case "agg":
        return [num.in === undefined ? (num.of?.ds ?? "") : datasetOf(num.in, (path) => this.ways.end(path))];
      case "calc":
        return [...this.#homes(num.a), ...this.#homes(num.b)];
      case "each":
      case "lag":
      case "running":
        return this.#homes(num.of);
      case "field":
        return [num.key.ds];
      case "lit":
      case "day":
        return [];
    }
  }

  /** How long it took from the date that rows go by until another one. */
  timeTo(key: Key): Key | undefined {
    const { fields, date } = this.schema.datasets.get(key.ds) ?? {};
    const own = ["days", "hours", "minutes"].map((unit) => `${unit}_to_${key.field}`);
    const field = own.find((name) => fields?.has(name));
    if (field !== undefined) return { ds: key.ds, field };
    // What the author counted is meant before what can be counted.
    if (date?.ds !== key.ds || this.timeOf(key.ds, null) !== undefined) return undefined;
    return this.daysBetween(date, key);
  }

  /** The days from one date to another, where a row has both. */
  daysBetween(start: Key, end: Key): Key | undefined {
    const isBoth = this.isDate(start) && this.isDate(end) && this.belongs(end.ds, start);
    return isBoth && !isSameField(start, end) ? { ...end, since: start } : undefined;
  }

  /** The date that a number goes by. */
  dateOf({ cols }: TableSense): Key | undefined {
    const [num] = cols;
    if (num === undefined) return undefined;
    const metric = num.k === "metric" ? this.schema.metrics.get(num.name)?.date : null;
    const [home] = this.#homes(num);
    return metric ?? this.schema.datasets.get(home ?? "")?.date ?? undefined;
  }

  dimension(ds: string, dim: string): Key | undefined {
    return this.dimensions(ds, dim)[0];
  }

  /** What entities of a dataset are compared by in some way: several, where as much speaks for each. */
  dimensions(ds: string, dim: string, dir?: "max" | "min"): Key[] {
    const named = dim === "date" ? [] : this.#fieldsFor(ds, dim);
    const meant = dir === undefined || named.length < 2 ? named : endOf(named, dir);
    const taken = dim === "long" ? this.#lasted(ds) : [];
    if (named.length > 0 || !isOfTime(dim)) return [...meant.map((field) => ({ ds, field })), ...taken];
    const { date, fields } = this.schema.datasets.get(ds) ?? {};
    const born = [...(fields?.values() ?? [])].find(
      ({ name, kind }) => kind === "date" && /birth|born|^dob$/i.test(name),
    );
    if (dim === "age" && born !== undefined) return [{ ds, field: born.name }];
    return date?.ds === ds ? [date] : [];
  }

  #fieldsFor(ds: string, dim: string): string[] {
    const key = `${ds} ${dim}`;
    const fields = this.#dimensionFields.get(key) ?? dimensionFields(this.model, this.schema, ds, dim);
    this.#dimensionFields.set(key, fields);
    return fields;
  }

  /** From when it began until when it was done: how long something took, where nobody says more. */
  #lasted(ds: string): Key[] {
    const { date, fields } = this.schema.datasets.get(ds) ?? {};
    const end = [...(fields?.values() ?? [])].find(({ name, kind }) => kind === "date" && OVER.test(name));
    if (date?.ds !== ds || end === undefined || end.name === date.field) return [];
    return [{ ds, field: end.name, since: date }];
  }

  /** What happens to entities of a dataset, what most numbers are about first: its dataset, and the way there. */
  eventsOf(ds: string): { ds: string; path: Hop[] }[] {
    const homes = [...this.schema.metrics.keys()].flatMap((name) => this.#homes({ k: "metric", name }));
    return [...new Set(homes)].flatMap((home) => {
      const links = home === ds ? undefined : toOnePath(this.schema, home, ds);
      if (links === undefined || this.schema.datasets.get(home)?.date == null) return [];
      return [{ ds: home, path: links.toReversed().map(({ name }): Hop => ({ link: name, dir: "many" })) }];
    });
  }

  /** Whether the same name stands in several rows, as that of a drug in prescriptions. */
  isRepeated(ds: string): boolean {
    const dataset = this.schema.datasets.get(ds);
    if (dataset?.isKeyed !== true || dataset.nameField === null) return false;
    return dataset.key.length !== 1 && !dataset.key.includes(dataset.nameField);
  }

  /** Whether rows of a dataset happened at some time, rather than being somebody or something with a name. */
  isEvent(ds: string): boolean {
    const { fields, nameField } = this.schema.datasets.get(ds) ?? {};
    return fields?.get(nameField ?? "")?.kind !== "text" || /(^|_)id$/i.test(nameField ?? "");
  }

  isPeople(ds: string): boolean {
    return this.#people.has(ds);
  }

  /** A number that says how much, and not which one. */
  isNumber({ ds, field, since }: Key): boolean {
    if (since !== undefined) return true;
    const dataset = this.schema.datasets.get(ds);
    const known = dataset?.fields.get(field);
    if (dataset === undefined || known?.kind !== "number" || known.isDimension) return false;
    const isId = dataset.isKeyed && dataset.key.length === 1 && dataset.key[0] === field;
    return !isId && !this.#flags.has(`${ds}.${field}`) && foreignLink(this.schema, ds, field) === undefined;
  }

  /** A part of something, or a mark: nobody adds those up. */
  isFraction({ ds, field }: Key): boolean {
    const { description } =
      this.model.datasets.find(({ name }) => name === ds)?.fields.find(({ name }) => name === field) ?? {};
    return /\b(fraction|percent|percentage|rate|ratio|rating|score)\b|\bfrom \d+\b.{0,20} to \d+\b/i.test(
      `${field.replaceAll("_", " ")} ${description ?? ""}`,
    );
  }

  /** What numbers of many rows come to where nobody says it: the author's metric, or what their name speaks for. */
  usualOf(key: Key, rel: Rel = { k: "all", ds: key.ds }): Num | undefined {
    const metric = rel.k === "all" ? this.metricOf(key) : undefined;
    if (metric !== undefined) return { k: "metric", name: metric };
    const isMiddle = this.isFraction(key) || !addsUp(key.field) || isTaken(key.field);
    if (isMiddle) return { k: "agg", fn: "avg", of: key, in: rel };
    const isSum = plainlyAddsUp(key.field) || isSummed(key.field);
    return isSum ? { k: "agg", fn: "sum", of: key, in: rel } : undefined;
  }

  /** What tells rows apart: a text, or a number such as a year. */
  isLabel(key: Key): boolean {
    const kind = this.schema.datasets.get(key.ds)?.fields.get(key.field)?.kind;
    return kind === "text" || this.isBoolean(key) || this.isNumberLabel(key);
  }

  /** A number that tells rows apart, such as a year or a round. */
  isNumberLabel({ ds, field }: Key): boolean {
    const known = this.schema.datasets.get(ds)?.fields.get(field);
    return known?.kind === "number" && known.isDimension;
  }

  /** What a number is measured in. */
  unitOf(num: Num | Key): string | undefined {
    return unitOf(this.model, num);
  }

  /** How long something takes. */
  timeOf(ds: string, unit: string | null): Key | undefined {
    return timeField(this.model, this.schema, ds, unit);
  }

  isBoolean(key: Key): boolean {
    return this.#flags.has(`${key.ds}.${key.field}`);
  }

  isDate({ ds, field, since }: Key): boolean {
    if (since !== undefined) return false;
    return this.schema.datasets.get(ds)?.fields.get(field)?.kind === "date";
  }

  /** Whether a date has a time of day. */
  isMoment({ ds, field }: Key): boolean {
    return /^TIMESTAMP/i.test(this.schema.datasets.get(ds)?.fields.get(field)?.type ?? "");
  }

  /** A date with a time of day: this one, or else the first that the same rows have. */
  momentOf(date: Key): Key | undefined {
    if (this.isMoment(date)) return date;
    const fields = [...(this.schema.datasets.get(date.ds)?.fields.keys() ?? [])];
    const field = fields.find((each) => this.isMoment({ ds: date.ds, field: each }));
    return field === undefined ? undefined : { ds: date.ds, field };
  }

  /** Whether each row of a dataset has one value of a field. */
  belongs(ds: string, key: Key): boolean {
    return key.ds === ds || toOnePath(this.schema, ds, key.ds, key.path) !== undefined;
  }

  /** Links of a dataset with itself, from their other end. */
  fromBehind(paths: { from: string; path: Hop[] }[]): { from: string; path: Hop[] }[] {
    return paths.map(({ from, path }) => {
      const [hop, ...more] = path;
      const isOwn = hop !== undefined && more.length === 0 && this.ways.end(path) === from;
      return isOwn
        ? { from, path: [{ ...hop, dir: hop.dir === "one" ? ("many" as const) : ("one" as const) }] }
        : { from, path };
    });
  }

  /** The dataset of which a metric counts some rows: those with a condition. */
  countedAmong(name: string): string | undefined {
    const [only, ...others] = this.schema.metrics.get(name)?.formula.aggregates ?? [];
    const isSome = /^\s*count\s*\(\s*case\b/i.test(String(only?.pieces[0] ?? ""));
    return isSome && others.length === 0 ? this.#homes({ k: "metric", name })[0] : undefined;
  }

  /** Whether a metric is made of just these rows: units sold of what was sold. */
  isMadeOf(name: string, rel: Rel): boolean {
    const { aggregates = [] } = this.schema.metrics.get(name)?.formula ?? {};
    const isHome = this.#homes({ k: "metric", name }).includes(this.datasetOf(rel));
    if (rel.k === "all") return isHome;
    const isAll = rel.k === "where" && rel.in.k === "all" && rel.if.k === "is";
    if (!isAll || !isHome) return false;
    const { key, values } = rel.if as Extract<Cond, { k: "is" }>;
    return aggregates.every(({ pieces }) => {
      const at = pieces.findIndex((piece) => typeof piece !== "string" && isSameField(piece, key));
      return at !== -1 && String(pieces[at + 1] ?? "").includes(`'${values[0]}'`);
    });
  }

  /** Whether rows of a number need not belong to any row of a dataset, as the author says of the column. */
  isOptional({ cols }: TableSense, ds: string): boolean {
    const [home] = cols.flatMap((num) => this.#homes(num));
    const way = home === undefined || home === ds ? [] : (toOnePath(this.schema, home, ds) ?? []);
    return way.some(({ from, columns }) => {
      const fields = this.model.datasets.find(({ name }) => name === from)?.fields ?? [];
      return fields.some(
        ({ name, description }) =>
          columns.some((column) => column.from === name) &&
          /\b(empty|null|optional|none)\b/i.test(description ?? ""),
      );
    });
  }

  /** The people that rows of a dataset belong to at once. */
  doersOf(ds: string): string[] {
    return [...this.schema.links.values()].flatMap(({ from, to, isSoft }) =>
      from === ds && to !== ds && isSoft !== true && this.isPeople(to) ? [to] : [],
    );
  }

  /** What was paid for what was bought, where rows of a dataset say so. */
  moneyOf(ds: string): string | undefined {
    return moneyMetrics(this.schema).find((name) => this.#homes({ k: "metric", name }).includes(ds));
  }

  /** Whether a metric counts the pieces of something that were sold: it is called by that, or each has a price. */
  countsPieces(metric: string, ds: string): boolean {
    if (this.isPeople(ds) || this.isEvent(ds)) return false;
    const fields = [...(this.schema.datasets.get(ds)?.fields.keys() ?? [])];
    const isPriced = fields.some((field) => isPrice(field) && this.isNumber({ ds, field }));
    const isSold = isSoldBy(metric, ds, this.model, this.schema) && (isPriced || this.isCalled(metric, ds));
    return isSold || isDoneTo(metric, ds, this.schema);
  }

  /** The number by which an entity is called. */
  idOf(ds: string): Key | undefined {
    const { key = [], isKeyed, isNumbered, fields } = this.schema.datasets.get(ds) ?? {};
    const [field, ...others] = isNumbered === true ? [] : key;
    const isNumber = field !== undefined && fields?.get(field)?.kind === "number";
    return isKeyed === true && isNumber && others.length === 0 ? { ds, field } : undefined;
  }

  /** The field of this name that a dataset has. */
  sameOf(key: Key, ds: string): Key | undefined {
    if (key.ds === ds) return key;
    return this.schema.datasets.get(ds)?.fields.has(key.field) === true
      ? { ds, field: key.field }
      : undefined;
  }

  /** A field of what a dataset belongs to, as seen from there: the region of a store. */
  throughOf(key: Key, ds: string): Key | undefined {
    const link = [...this.schema.links.values()].find(
      ({ from, to, isSoft }) => from === ds && to === key.ds && isSoft !== true,
    );
    return link === undefined || key.path !== undefined
      ? undefined
      : { ...key, path: [{ link: link.name, dir: "one" }] };
  }

  /** The metric that says what one entity of a dataset is worth. */
  worthOf(ds: string): string | undefined {
    return worths(this.model, this.schema).find((worth) => worth.ds === ds)?.metric;
  }

  nameKey(ds: string): Key | undefined {
    const dataset = this.schema.datasets.get(ds);
    const field = dataset?.nameField ?? (dataset?.isNumbered === true ? undefined : dataset?.key[0]);
    return field === undefined ? undefined : { ds, field };
  }

  /** What shows a row that has no name: what it was chosen by, and its first fields. */
  rowKeys(ds: string, rel: Rel): Key[] {
    const { fields, key = [] } = this.schema.datasets.get(ds) ?? {};
    const by = rel.k === "top" && !("k" in rel.by) && rel.by.ds === ds ? [rel.by] : [];
    const others = [...(fields?.keys() ?? [])].filter((field) => !key.includes(field));
    const all = [...by.map(({ field }) => field), ...others];
    return [...new Set(all)].slice(0, ROW_FIELDS).map((field) => ({ ds, field }));
  }

  /** The link of a field whose values are names of other entities. */
  softLink({ ds, field }: Key): Link | undefined {
    return this.schema.links.get(`~${ds}.${field}`);
  }

  /** How high a "highest point" is: the number that shares its words. */
  measureOf(key: Key, dim: string): Key | undefined {
    const own = key.field.split("_");
    const fields = [...(this.schema.datasets.get(key.ds)?.fields.values() ?? [])];
    const hints = DIMENSIONS.get(dim) ?? [];
    const near = fields.find(
      ({ name, kind }) =>
        kind === "number" &&
        name !== key.field &&
        name.split("_")[0] === own[0] &&
        phraseKey(name)
          .split(" ")
          .some((word) => hints.includes(word)),
    );
    return near === undefined ? undefined : { ds: key.ds, field: near.name };
  }
}

/** The cheapest ways between the datasets of a model, in either direction of their links. */
export class Ways {
  readonly #schema: Schema;
  readonly #known = new Map<string, Map<string, { cost: number; path: Hop[] }>>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  end(path: readonly Hop[]): string {
    const last = path.at(-1) as Hop;
    const link = this.#schema.links.get(last.link);
    return (last.dir === "one" ? link?.to : link?.from) ?? "";
  }

  cheapest(from: string, to: string): Hop[] | undefined {
    if (from === to) return undefined;
    const known = this.#known.get(from) ?? this.#waysFrom(from);
    this.#known.set(from, known);
    return known.get(to)?.path;
  }

  #waysFrom(from: string): Map<string, { cost: number; path: Hop[] }> {
    const ways = new Map<string, { cost: number; path: Hop[] }>([[from, { cost: 0, path: [] }]]);
    const open = [from];
    for (let place = open.shift(); place !== undefined; place = open.shift()) {
      const here = ways.get(place) as { cost: number; path: Hop[] };
      for (const link of this.#schema.links.values()) {
        if (link.from === link.to) continue;
        for (const dir of ["one", "many"] as const) {
          const [near, far] = dir === "one" ? [link.from, link.to] : [link.to, link.from];
          if (near !== place) continue;
          const cost = here.cost + link.cost * (dir === "one" ? 1 : 1.5);
          if (cost >= (ways.get(far)?.cost ?? Number.POSITIVE_INFINITY)) continue;
          ways.set(far, { cost, path: [...here.path, { link: link.name, dir }] });
          open.push(far);
        }
      }
    }
    return ways;
  }
}
