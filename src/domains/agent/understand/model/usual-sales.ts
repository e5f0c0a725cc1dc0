import type { VisibleModel } from "../../../models/index.ts";
import { homesIn, toOnePath } from "../../compile/paths.ts";
import type { Schema } from "../../query/schema.ts";
import type { Definitions } from "./definitions.ts";
import { peopleOf } from "./model-words.ts";

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

/** The metrics of what is earned. */
export function moneyMetrics({ metrics }: Schema): string[] {
  const named = MONEY.map((name) => [...metrics.keys()].filter((each) => name.test(each)));
  return named.find(({ length }) => length > 0) ?? [];
}

/** The dataset that the rows of a metric are of. */
export function homesOf(schema: Schema, metric: string): string[] {
  return (schema.metrics.get(metric)?.formula.aggregates ?? []).flatMap((each) => homesIn(schema, each));
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

/** Whether a metric counts the pieces that were sold of what a dataset lists. */
export function isSoldBy(metric: string, ds: string, model: VisibleModel, schema: Schema): boolean {
  return homesOf(schema, metric).some(
    (home) => toOnePath(schema, home, ds) !== undefined && soldMetric(model, schema, home) === metric,
  );
}
