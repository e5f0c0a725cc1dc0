import { isSomebodyName, longWords, singular } from "../../../kernel/name-words.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Field, Metric, ModelDataset } from "../model.ts";
import { measureOf } from "../quantities/index.ts";
import type { Counted } from "./counted-things.ts";
import { aiOf, expressionOf, type InferredField } from "./fields.ts";
import type { Guess } from "./profile.ts";
import { isStock, plainlyAddsUp } from "./roles.ts";
import { averageWords, isSelling, isSpending, moneyWords, SALES, SPENDING } from "./synonyms.ts";

export interface Measured {
  dataset: ModelDataset;
  thing: readonly string[];
  fields: readonly InferredField[];
  /** Its rows are things that happened, and not things that have a name. */
  isEvents: boolean;
  /** There is a row for each of some things at each of several times. */
  isPanel: boolean;
  /** What its rows belong to: datasets by what they are about. */
  belongsTo: readonly { dataset: ModelDataset; thing: readonly string[] }[];
  /** Parents of several rows, by a shared key: the orders of order lines. */
  counted: readonly Counted[];
}

interface Wanted {
  name: string;
  sql: string;
  synonyms: string[];
  guess?: Guess;
}

const QUANTITY = /^(quantity|qty|units?|count|pieces)$|_(quantity|qty)$/;
const UNIT_PRICE = /^(unit_?price|price|price_each|item_price|sale_price|selling_price)$/;
const TOTAL =
  /^(((net|gross|line|order|invoice|sale|sales|grand|total)_?)*(amount|total|revenue|sales|sum|value)|(total|final)_price|(netto|brutto|gesamt|rechnungs?|auftrags?|bestell|verkaufs?)*(betrag|summe|umsatz|wert)|gesamtpreis)(_(in_)?(eur|euros?|usd|dollars?|gbp|chf))?$/;
/** What payments are said with. */
const PAID = ["paid", "pay", "bezahlt", "gezahlt"];
/** With tax and without it are two numbers of one sale. */
const NET_OR_GROSS = /^(netto|brutto|net|gross)/;

/** Numbers that are mostly asked for: how many rows, sums of what adds up, averages of what does not. */
export function metricsOf(all: readonly Measured[]): { metrics: Metric[]; guesses: Guess[] } {
  // Lines know of their invoice, and not the other way round: what was sold is counted by line.
  const isHead = ({ dataset }: Measured) =>
    all.some(
      ({ belongsTo, ...line }) =>
        belongsTo.some((each) => each.dataset === dataset) && salesOf({ ...line, belongsTo }, all).length > 0,
    );
  const wanted = all.flatMap((each) =>
    ofDataset(each, !isHead(each), all).map((metric) => ({ ...metric, of: each.dataset.name })),
  );
  const counts = Map.groupBy(wanted, ({ name }) => name);
  const metrics = wanted.map(({ name, sql, synonyms, of }): Metric => {
    const isOnly = counts.get(name)?.length === 1;
    const phrase = name.replaceAll("_", " ");
    return {
      name: isOnly ? name : `${of}_${name}`,
      expression: expressionOf(sql),
      description: null,
      dataType: null,
      ai: aiOf(
        [...new Set([...(isOnly ? [] : [phrase]), ...synonyms])].filter((word) => !isOnly || word !== phrase),
      ),
      extensions: [],
    };
  });
  return { metrics, guesses: wanted.flatMap(({ guess }) => guess ?? []) };
}

function ofDataset(measured: Measured, hasSales: boolean, all: readonly Measured[]): Wanted[] {
  const { dataset, thing, fields, isEvents, isPanel, counted: counts } = measured;
  const isStanding = ({ field }: InferredField) => isPanel && isStock(field.name);
  const column = (name: string) => `${quoteName(dataset.name)}.${quoteName(name)}`;
  const amounts = isStandings(thing)
    ? []
    : fields.filter(({ role, column }) => role === "amount" && column !== null);
  const rates = fields.filter(({ role }) => role === "rate");
  const sales = hasSales ? salesOf(measured, all) : [];
  const sold = new Set(sales.map(({ sql }) => sql));
  const counted = dataset.primaryKey[0];
  const money = theAmount(measured);
  const moneySql = money && `SUM(${column(money.name)})`;
  const ofMoney = ({ synonyms, ...metric }: Wanted): Wanted => ({
    ...metric,
    synonyms: metric.sql === moneySql ? [...synonyms, ...moneyWords(thing)] : synonyms,
  });
  return [
    ...(counted === undefined
      ? []
      : [
          {
            name: `${thing.join("_")}_count`,
            sql: `COUNT(DISTINCT ${keySql(dataset, column)})`,
            synonyms: linesSold(measured, all),
          },
        ]),
    ...counts.map(({ noun, field }) => ({
      name: `${noun.replaceAll(" ", "_")}_count`,
      sql: `COUNT(DISTINCT ${column(field)})`,
      synonyms: [noun],
    })),
    ...sales.map(ofMoney),
    ...amounts
      .filter(({ field }) => !sold.has(`SUM(${column(field.name)})`))
      .map(({ field, ...more }) => ({
        name: field.name === "total" ? "total" : `total_${field.name.replace(/_total$|^total_/, "")}`,
        sql: `SUM(${column(field.name)})`,
        // Of things that happened, the sum of an amount is meant where none is named; of a person's salary it is not.
        synonyms:
          isEvents && (plainlyAddsUp(field.name) || isTally(more.column)) && !isStanding({ field, ...more })
            ? [
                field.name.replaceAll("_", " "),
                ...field.ai.synonyms,
                ...soldWords(measured, field.name),
                ...(isSpending(thing) && TOTAL.test(field.name) ? SPENDING : []),
                ...(hasSales && sales.length === 0 ? netSales(measured, field.name) : []),
              ]
            : [],
      }))
      .map(ofMoney),
    ...[...amounts, ...rates].map(({ field, ...more }) => ({
      name: `average_${field.name}`.replace(/^average_(average|avg|mean)_/, "average_"),
      sql: `AVG(${column(field.name)})`,
      synonyms: [
        ...["mean", "average"].flatMap((word) =>
          namesOf(field).map((name) => `${word} ${name.replace(/^(?:average|avg|mean) /, "")}`),
        ),
        ...(rates.some((rate) => rate.field === field) || isStanding({ field, ...more })
          ? namesOf(field)
          : []),
        ...(field === money ? averageWords(thing) : []),
      ],
    })),
  ];
}

/** The one amount of money that rows are about: how much was donated, by its column `amount`. */
function theAmount({ fields, isEvents }: Measured): Field | undefined {
  const amounts = fields.filter(({ role, column }) => role === "amount" && column !== null);
  const totals = amounts.filter(({ field }) => TOTAL.test(field.name));
  const [only, ...others] =
    totals.length > 0 ? totals : amounts.filter(({ field }) => measureOf(field.name)?.quantity === "money");
  return isEvents && others.length === 0 ? only?.field : undefined;
}

/** What one thing has of itself is rather compared than added up. */
const OWN = /^(bedrooms|bathrooms|rooms|floors|doors|seats|stars|years|months)$/;

/** Whole numbers of what is named in the plural: so many bottles, or members. */
function isTally(column: InferredField["column"]): boolean {
  const last = longWords(column?.name ?? "").at(-1) ?? "";
  return column?.isWhole === true && (column.min ?? -1) >= 0 && singular(last) !== last && !OWN.test(last);
}

/** As it is called, with short forms written out, and without its unit. */
function namesOf(field: Field): string[] {
  const name = field.name.replaceAll("_", " ");
  const long = longWords(field.name).join(" ");
  const isOther = (synonym: string) =>
    synonym === long || name.startsWith(`${synonym} `) || /^time (to|until) /.test(synonym);
  return [name, ...field.ai.synonyms.filter(isOther)];
}

/** Rows that say how things stood at some time hold the same again and again: their sum is no number of anything. */
function isStandings(thing: readonly string[]): boolean {
  return thing.some((word) => /^(standing|snapshot|balance|inventory|stock|ranking)s?$/.test(word));
}

/** "tracks sold": how many of what the rows of a sale belong to. */
function soldWords({ thing, belongsTo }: Measured, field: string): string[] {
  if (!isSelling(thing) || !QUANTITY.test(field)) return [];
  // Who bought it was not sold.
  const things = belongsTo
    .map((each) => each.thing)
    .filter((each) => !isSelling(each) && !isSomebodyName(each.join("_")));
  const verbs = ["sold", "ordered", "bought"];
  return ["unit", "item", ...things.map((each) => each.join(" "))].flatMap((word) =>
    verbs.map((verb) => `${word} ${verb}`),
  );
}

/** Each line of a sale without a quantity is one thing that was sold; a sale with lines of its own is several. */
function linesSold(measured: Measured, all: readonly Measured[]): string[] {
  const hasQuantity = measured.fields.some(({ field }) => QUANTITY.test(field.name));
  const hasLines = all.some(({ belongsTo }) => belongsTo.some(({ dataset }) => dataset === measured.dataset));
  return measured.isEvents && !hasQuantity && !hasLines ? soldWords(measured, "quantity") : [];
}

/** Of sales that are told with tax and without it, each is asked for as what it is, and both as the sales. */
function netSales({ thing, isEvents }: Measured, field: string): string[] {
  const [kind] = NET_OR_GROSS.exec(field) ?? [];
  if (kind === undefined || !TOTAL.test(field) || !isEvents || !isSelling(thing)) return [];
  const own = kind.endsWith("o")
    ? [`${kind}umsatz`, `umsatz ${kind}`, `${kind}summe`]
    : [`${kind} revenue`, `${kind} sales`];
  return ["revenue", "umsatz", ...own];
}

function keySql({ primaryKey }: ModelDataset, column: (name: string) => string): string {
  const names = primaryKey.map(column);
  return names.length === 1 ? (names[0] as string) : `(${names.join(", ")})`;
}

/** What was sold for how much: a column that says so, or quantity by price, which may be that of what was sold. */
function salesOf(measured: Measured, all: readonly Measured[]): Wanted[] {
  const { dataset, thing, fields, isEvents } = measured;
  const column = (name: string) => `${quoteName(dataset.name)}.${quoteName(name)}`;
  const hasOwn = fields.some(({ field }) => /revenue|sales/.test(field.name));
  if (!isSelling(thing) || !isEvents || hasOwn) return [];
  const find = (pattern: RegExp, roles: readonly string[]) =>
    fields.find(({ field, role }) => roles.includes(role) && pattern.test(field.name))?.field.name;
  const totals = fields.filter(({ field, role }) => role === "amount" && TOTAL.test(field.name));
  if (totals.filter(({ field }) => NET_OR_GROSS.test(field.name)).length > 1) return [];
  const total = totals[0]?.field;
  const quantity = find(QUANTITY, ["amount"]);
  const price = find(UNIT_PRICE, ["rate"]);
  const discount = fields.find(
    ({ field, column }) =>
      /^discount/.test(field.name) && column !== null && (column.max ?? 2) <= 1 && (column.min ?? -1) >= 0,
  )?.field.name;
  const less = discount === undefined ? "" : ` * (1 - coalesce(${column(discount)}, 0))`;
  const sql =
    total !== undefined
      ? `SUM(${column(total.name)})`
      : quantity !== undefined && price !== undefined
        ? `SUM(${column(quantity)} * ${column(price)}${less})`
        : price === undefined
          ? pricedSql(measured, all, quantity)
          : undefined;
  if (sql === undefined) return [];
  const about = "metrics.revenue";
  const why = "the dataset is about selling, and there is no column called revenue or sales";
  return [
    {
      name: "revenue",
      sql,
      synonyms: [
        ...SALES,
        ...(thing.some((word) => /^(payment|zahlung)$/.test(word)) ? PAID : []),
        ...(total === undefined ? [] : [total.name.replaceAll("_", " "), ...total.ai.synonyms]),
      ],
      guess: { about, guess: sql, sure: "guess", why },
    },
  ];
}

/** Lines of what has its price elsewhere: each line counts with the price of what it is of, if there is one such price. */
function pricedSql({ dataset, belongsTo }: Measured, all: readonly Measured[], quantity: string | undefined) {
  const prices = belongsTo.flatMap((owner) =>
    (all.find((each) => each.dataset === owner.dataset)?.fields ?? [])
      .filter(({ field, role }) => role === "rate" && UNIT_PRICE.test(field.name))
      .map(({ field }) => `${quoteName(owner.dataset.name)}.${quoteName(field.name)}`),
  );
  const [price, ...others] = prices;
  const [key] = dataset.primaryKey;
  if (price === undefined || others.length > 0 || key === undefined) return undefined;
  const own = (name: string) => `${quoteName(dataset.name)}.${quoteName(name)}`;
  if (quantity !== undefined) return `SUM(${own(quantity)} * ${price})`;
  return `SUM(CASE WHEN ${own(key)} IS NOT NULL THEN ${price} END)`;
}
