import type { VisibleModel } from "../../../models/index.ts";
import { homesIn, toOnePath } from "../../compile/paths.ts";
import type { Schema } from "../../query/schema.ts";
import type { Num } from "../../query/semantic-query.ts";
import type { Definitions } from "./definitions.ts";
import { isPrice, isSummed, peopleOf } from "./model-words.ts";

/** What is earned, by its likelier names first. */
const MONEY = [
  /(^|_)(revenue|sales|turnover|umsatz|erl(ö|oe)se?)(_|$)/i,
  /(^|_)(income|takings|amount|payments?|einnahmen)(_|$)/i,
];
const SALES =
  /(^|_)(orders?|purchases?|sales?|invoices?|transactions?|receipts?|bills?|verk(auf|äufe|aeufe)|k(auf|äufe|aeufe)|bestellung(en)?|auftr(ag|äge|aege)|rechnung(en)?|belege?)(_|$)/i;
const QUANTITY = /(^|_)(quantity|qty|units?|pieces|menge|anzahl|st(ü|ue)ck(zahl)?)(_|$)/i;
/** What was taken back or is not paid yet is in such columns, so that not every row need be a sale. */
const STATUS = /(^|_)(status|state|cancel\w*|void\w*|is_paid|stor?niert)(_|$)/i;

/** What one of them came to, or how it compares, is not what was earned. */
const RATIO = /^(avg|average|mean|median|max|min)_|_per_|_(rate|share|growth|average|avg)$/i;

/** The metrics of what is earned. */
export function moneyMetrics({ metrics }: Schema): string[] {
  const named = MONEY.map((name) =>
    [...metrics.keys()].filter((each) => name.test(each) && !RATIO.test(each)),
  );
  return named.find(({ length }) => length > 0) ?? [];
}

/** What the rows of a dataset brought: by the metrics of it, or else, as far as can be told, by its columns. */
export function soldFor(schema: Schema, ds: string): { num: Num; taken: string }[] {
  const metrics = moneyMetrics(schema).filter((name) => homesOf(schema, name).includes(ds));
  if (metrics.length > 0) return metrics.map((name) => ({ num: { k: "metric", name }, taken: name }));
  const rows = { k: "all" as const, ds };
  const amounts = [...(schema.datasets.get(ds)?.fields.values() ?? [])].filter(
    ({ name, kind }) => kind === "number" && isPrice(name) && isSummed(name),
  );
  const sums = amounts.map(({ name: field }) => ({
    num: { k: "agg" as const, fn: "sum" as const, of: { ds, field }, in: rows },
    taken: `total ${field}`,
  }));
  // Nobody says that it is meant, so it is asked about.
  const count = { num: { k: "agg" as const, fn: "count" as const, in: rows }, taken: `number of ${ds}` };
  return sums.length === 0 ? [] : [...sums, count];
}

/** The dataset that the rows of a metric are of. */
export function homesOf(schema: Schema, metric: string): string[] {
  return (schema.metrics.get(metric)?.formula.aggregates ?? []).flatMap((each) => homesIn(schema, each));
}

/** The metric that counts the rows of a dataset, all of them. */
export function countOf(schema: Schema, ds: string): string | undefined {
  const counted = [...schema.metrics.values()].find(({ name, formula: { aggregates, texts } }) => {
    const [only, ...others] = aggregates;
    const isBare = others.length === 0 && texts.every((text) => text.trim() === "");
    const isSome = only?.pieces.some(
      (piece) => typeof piece === "string" && /\bcase\b|\bif\s*\(/i.test(piece),
    );
    const of = only?.columns.map(({ field }) => field) ?? [];
    const isEach = of.every((field) => schema.datasets.get(ds)?.key.includes(field));
    return isBare && only?.isCount === true && isEach && !isSome && homesOf(schema, name).includes(ds);
  });
  return counted?.name;
}

/**
 * What was bought and sold, where the author defines neither: what money is counted of, in orders, invoices or
 * whatever else a sale is called. Where there are several such datasets, nobody knows which is meant.
 */
export function usualSales(model: VisibleModel, schema: Schema): Definitions["events"] {
  const [only, ...others] = salesIn(model, schema);
  if (only === undefined || others.length > 0) return [];
  const { ds, holder } = only;
  const [id, ...more] = schema.datasets.get(holder)?.key ?? [];
  const hasStatus = [ds, holder].some((name) =>
    [...(schema.datasets.get(name)?.fields.keys() ?? [])].some((field) => STATUS.test(field)),
  );
  return [
    {
      verbs: ["bought", "buy", "purchased", "ordered", "sold", "sell"],
      ds,
      cond: null,
      ...(id === undefined || more.length > 0 ? {} : { times: { ds: holder, field: id } }),
      isUsual: hasStatus ? "doubtful" : "plain",
    },
  ];
}

/** What is done in rows that are called by it. */
const DEEDS = [
  [/(^|_)(rentals?|hires?)$/i, "rented rent hired hire"],
  [/(^|_)(loans?|lendings?|checkouts?|borrowings?)$/i, "borrowed borrow lent lend"],
  [/(^|_)(bookings?|reservations?)$/i, "booked book reserved reserve"],
  [/(^|_)visits?$/i, "visited visit"],
  [/(^|_)(enrol?lments?|registrations?)$/i, "enrolled enrol enroll"],
  [/(^|_)donations?$/i, "donated donate"],
  [/(^|_)repairs?$/i, "repaired repair"],
] as const;

/** Who borrowed something has a loan, where rows of one dataset are called so. */
export function usualDeeds({ datasets }: Schema): Definitions["events"] {
  return DEEDS.flatMap(([name, verbs]) => {
    const [only, ...others] = [...datasets.values()].filter((each) => name.test(each.name));
    if (only === undefined || others.length > 0) return [];
    const [id, ...more] = only.key;
    return [
      {
        verbs: verbs.split(" "),
        ds: only.name,
        cond: null,
        isUsual: "plain" as const,
        isCounted: true as const,
        ...(id === undefined || more.length > 0 ? {} : { times: { ds: only.name, field: id } }),
      },
    ];
  });
}

/** The rows that money is counted of, and the orders that they belong to. */
export function salesIn(model: VisibleModel, schema: Schema): { ds: string; holder: string }[] {
  const homes = new Set(moneyMetrics(schema).flatMap((name) => homesOf(schema, name)));
  return [...homes].flatMap((ds) => {
    const holder = holderOf(model, schema, ds);
    return SALES.test(ds) || SALES.test(holder) ? [{ ds, holder }] : [];
  });
}

/** Who bought belongs to the whole order, of which rows may be single lines. */
function holderOf(model: VisibleModel, schema: Schema, ds: string): string {
  const ways = peopleOf(model).flatMap((people) => toOnePath(schema, ds, people) ?? []);
  const last = ways.find(({ from }) => from !== ds && SALES.test(from));
  return last?.from ?? ds;
}

/** How many pieces were sold, as the author counts them. */
export function soldMetric(model: VisibleModel, schema: Schema, ds: string): string | undefined {
  const isOf = (name: string) => homesOf(schema, name).includes(ds);
  const called = model.metrics.find(({ name }) => /_(sold|bought|purchased)$/.test(name) && isOf(name));
  const summed = [...schema.metrics.values()].find(({ name, formula: { only } }) => {
    const isSum = only?.columns.length === 1 && /^\s*sum\s*\(\s*$/i.test(String(only.pieces[0]));
    return isSum && isOf(name) && QUANTITY.test(only.columns[0]?.field ?? "");
  });
  return called?.name ?? summed?.name;
}

/** Whether a metric counts how often it was done to what a dataset lists: each loan of a book is one. */
export function isDoneTo(metric: string, ds: string, schema: Schema): boolean {
  const hasName = (name: string) => {
    const { fields, nameField } = schema.datasets.get(name) ?? {};
    return fields?.get(nameField ?? "")?.kind === "text";
  };
  return usualDeeds(schema).some(({ ds: home }) => {
    const way = countOf(schema, home) === metric ? toOnePath(schema, home, ds) : undefined;
    // What was borrowed is the book, and not its author.
    return way !== undefined && way.length > 0 && way.slice(1).every(({ from }) => !hasName(from));
  });
}

/** Whether a metric counts the pieces that were sold of what a dataset lists. */
export function isSoldBy(metric: string, ds: string, model: VisibleModel, schema: Schema): boolean {
  return homesOf(schema, metric).some(
    (home) => toOnePath(schema, home, ds) !== undefined && soldMetric(model, schema, home) === metric,
  );
}
