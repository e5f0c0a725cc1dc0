import { clip } from "../../../kernel/text.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { measureOf, squared, unitCalled } from "../../models/quantities/index.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isPartOf } from "../query/same-number.ts";
import { type Grain, isKey, type Key, type Num } from "../query/semantic-query.ts";
import { isGerman, locale, period, t, word } from "./words.ts";

/** How the values of a column read. */
export type Format =
  | { kind: "money"; symbol: string }
  /** `by` makes a fraction a percentage. */
  | { kind: "percent"; by: 100 | 1 }
  | { kind: "integer"; unit?: string }
  | { kind: "number"; unit?: string }
  | { kind: "period"; grain: Grain; isFiscal: boolean }
  | { kind: "text" };

const CURRENCIES: readonly [RegExp, string][] = [
  [/€|\beuros?\b|\bEUR\b/i, "€"],
  [/\$|\b(US )?dollars?\b|\bUSD\b/i, "$"],
  [/£|\bpounds sterling\b|\bGBP\b/i, "£"],
  [/\bCHF\b|\b(swiss )?francs?\b/i, "CHF "],
  [/¥|\byen\b|\bJPY\b/i, "¥"],
];
const MONEY_WORDS =
  /(^|[\W_])(revenue|sales|turnover|profit|price|cost|costs|amount|spend|spending|budget|refunds?|money|value|salary|fees?|target_revenue|umsatz|erlös|gewinn|preis|kosten|betrag)($|[\W_])/i;
const COUNT_WORDS = /(^|[\W_])(number of|count|units|quantity|anzahl|menge)($|[\W_])/i;
const FRACTION_WORDS = /(^|[\W_])(fraction|share|rate|ratio|margin|growth|anteil|quote)($|[\W_])/i;
const PERCENT_WORDS = /(^|[\W_])(percent|percentage|pct|prozent)($|[\W_])|%/i;
/** Numbers that name something: a year is 1949, and not 1,949. */
const NAMING = /(^|_)(id|year|season|jahr|zip|zip_?code|post_?code|plz)$/i;
const NUMBER_TYPES = /^(U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER|DECIMAL|DOUBLE|FLOAT|REAL)/i;
const INTEGER_TYPES = /^(U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER)|^DECIMAL\(\d+,0\)/i;

export function formatOf(of: Key | Num, type: string, knowledge: Knowledge): Format {
  if (!isKey(of)) return formatOfNumber(of, type, knowledge);
  if (of.bucket !== undefined) return { kind: "period", grain: of.bucket, isFiscal: of.fiscal ?? false };
  return NUMBER_TYPES.test(type) ? formatOfField(of, type, knowledge) : { kind: "text" };
}

export function isNumeric({ kind }: Format): boolean {
  return kind !== "text" && kind !== "period";
}

function formatOfNumber(num: Num, type: string, knowledge: Knowledge): Format {
  switch (num.k) {
    case "metric": {
      const metric = knowledge.model.metrics.find(({ name }) => name === num.name);
      const words = `${metric?.name ?? ""} ${metric?.description ?? ""} ${metric?.ai.instructions ?? ""}`;
      const own = formatOfWords(metric?.name ?? "", words, type, knowledge);
      const isPlain = own.kind === "number" && own.unit === undefined;
      const field = isPlain ? averagedField(num.name, knowledge) : undefined;
      return field === undefined ? own : formatOfField(field, type, knowledge);
    }
    case "agg":
      if (num.fn === "count" || num.fn === "distinct" || num.of === undefined) return { kind: "integer" };
      return formatOfField(num.of, type, knowledge);
    case "each":
      return num.fn === "count" || num.fn === "distinct"
        ? { kind: "integer" }
        : averageOf(num.fn, formatOfNumber(num.of, type, knowledge), type);
    case "calc":
      return formatOfCalc(num, type, knowledge);
    case "lag":
    case "running":
      return formatOfNumber(num.of, type, knowledge);
    case "field":
      return formatOfField(num.key, type, knowledge);
    case "lit":
      return { kind: "number" };
    case "day":
      return { kind: "text" };
  }
}

/** The average of whole numbers is none. */
function averageOf(fn: Extract<Num, { k: "each" }>["fn"], of: Format, type: string): Format {
  if (of.kind !== "integer" || (fn !== "avg" && fn !== "median")) return of;
  return { ...of, ...numberOrInteger(type) };
}

/** The one field that a metric is the average, least or most of: it reads as that field does. */
function averagedField(name: string, { schema }: Knowledge): Key | undefined {
  const { only } = schema.metrics.get(name)?.formula ?? {};
  // In `AVG(CASE WHEN status = 'done' THEN price END)` it is what stands last.
  return /^(avg|mean|median|min|max)$/.test(only?.fn ?? "") ? only?.columns.at(-1) : undefined;
}

function formatOfCalc(calc: Extract<Num, { k: "calc" }>, type: string, knowledge: Knowledge): Format {
  if (calc.op === "growth") return { kind: "percent", by: 100 };
  if (calc.b.k === "lit" && calc.b.unit !== undefined) return { kind: "number", unit: calc.b.unit };
  const [a, b] = [formatOfNumber(calc.a, type, knowledge), formatOfNumber(calc.b, type, knowledge)];
  if (calc.op !== "/") return a.kind === "integer" ? numberOrInteger(type) : a;
  if (isPartOf(calc.a, calc.b)) return { kind: "percent", by: 100 };
  return a.kind === "money" && b.kind !== "money" ? a : { kind: "number" };
}

function formatOfField({ ds, field, since }: Key, type: string, knowledge: Knowledge): Format {
  if (since !== undefined) return { kind: "number", unit: "days" };
  const dataset = knowledge.model.datasets.find(({ name }) => name === ds);
  const found = dataset?.fields.find(({ name }) => name === field);
  const words = `${field} ${found?.label ?? ""} ${found?.description ?? ""}`;
  return formatOfWords(field, words, type, knowledge);
}

function formatOfWords(name: string, words: string, type: string, { model }: Knowledge): Format {
  if (NAMING.test(name)) return { kind: "text" };
  const isWhole = INTEGER_TYPES.test(type);
  if (!isWhole && FRACTION_WORDS.test(words)) return { kind: "percent", by: 100 };
  if (PERCENT_WORDS.test(words)) return { kind: "percent", by: 1 };
  const unit = unitIn(name, words);
  if (unit !== undefined) return { ...numberOrInteger(type), unit };
  const own = currencyIn(words);
  if (own !== undefined) return { kind: "money", symbol: own };
  const house = currencyIn(`${model.description ?? ""} ${model.ai.instructions ?? ""}`);
  const isMoney = MONEY_WORDS.test(words) && !COUNT_WORDS.test(words);
  return house !== undefined && isMoney ? { kind: "money", symbol: house } : numberOrInteger(type);
}

function numberOrInteger(type: string): { kind: "integer" | "number" } {
  return { kind: INTEGER_TYPES.test(type) ? "integer" : "number" };
}

/** What is counted is in its name (`resolution_hours`), or said of it ("floor in square metres"). */
function unitIn(name: string, words: string): string | undefined {
  // Miles per gallon are no miles.
  if (/(^|[\W_])(per|pro)($|[\W_])/i.test(words)) return undefined;
  const [, ...description] = words.split(" ");
  const said = /(?:\b(?:in|average|total|number of)\s+|^\s*)([\p{L}²]+)/giu;
  const own = measureOf(name)?.unit;
  const unit =
    own ??
    [...squared(description.join(" ")).matchAll(said)]
      .map(([, word = ""]) => unitCalled(word))
      .find((each) => each !== undefined);
  return unit === undefined || unit.quantity === "money" || unit.quantity === "share" ? undefined : unit.sign;
}

function currencyIn(text: string): string | undefined {
  return CURRENCIES.find(([pattern]) => pattern.test(text))?.[1];
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A value as people read it. */
export function show(value: JsonValue | undefined, format: Format): string {
  if (value === null || value === undefined) return "–";
  if (format.kind === "period") return showPeriod(String(value), format);
  if (format.kind === "text") return showText(value);
  // Numbers of more than 15 digits come as text, and are shown to the last one.
  if (format.kind === "integer" && typeof value === "string" && /^-?\d+$/.test(value)) {
    return `${BigInt(value).toLocaleString(locale()).replace("-", "−")}${unitOf(format)}`;
  }
  const number = numberIn(value);
  return number === undefined ? showText(value) : showNumber(number, format);
}

/** Large numbers come as text, so that no digit is lost. */
export function numberIn(value: JsonValue | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined;
  return Number(value);
}

export function showNumber(number: number, format: Format): string {
  switch (format.kind) {
    case "money": {
      const amount = decimals(Math.abs(number), 2, 2);
      const { symbol } = format;
      return `${number < 0 ? "−" : ""}${isGerman() ? `${amount} ${symbol.trim()}` : `${symbol}${amount}`}`;
    }
    case "percent": {
      const percent = number * format.by;
      const sign = isGerman() ? " %" : "%";
      // What is there should not look as if it were not.
      if (percent !== 0 && Math.abs(percent) < 0.05)
        return `${percent > 0 ? "<" : ">−"}${decimals(0.1, 1, 1)}${sign}`;
      return `${decimals(percent, 1, 1).replace("-", "−")}${sign}`;
    }
    case "integer":
      return `${decimals(number, 0, 0).replace("-", "−")}${unitOf(format)}`;
    case "number":
      return `${decimals(number, 0, Math.abs(number) >= 1 || number === 0 ? 2 : 4).replace("-", "−")}${unitOf(format)}`;
    default:
      return decimals(number, 0, 4);
  }
}

function unitOf({ unit }: { unit?: string }): string {
  return unit === undefined ? "" : ` ${word(unit)}`;
}

/** To make one takes a hundred times as long as to use it. */
const FORMATS = new Map<string, Intl.NumberFormat>();

function decimals(number: number, least: number, most: number): string {
  const key = `${locale()} ${least} ${most}`;
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
  const format = FORMATS.get(key) ?? new Intl.NumberFormat(locale(), digits);
  FORMATS.set(key, format);
  return format.format(number);
}

function showPeriod(date: string, { grain, isFiscal }: Extract<Format, { kind: "period" }>): string {
  const [year = "", month = ""] = date.split("-");
  const name = MONTHS[Number(month) - 1] ?? month;
  if (isFiscal && (grain === "year" || grain === "quarter"))
    return t`${word(`fiscal ${grain}`)} from ${period(name)} ${year}`;
  switch (grain) {
    case "year":
      return year;
    case "quarter":
      return `Q${Math.ceil(Number(month) / 3)} ${year}`;
    case "month":
      return `${period(name)} ${year}`;
    case "week":
      return t`week of ${period(date.slice(0, 10))}`;
    case "day":
      return period(date.slice(0, 10));
  }
}

/** Texts of the data stand in Markdown as what they are, and cannot become headings, links or rows of a table. */
function showText(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return clip(text.replaceAll(/\s+/g, " "), 200).replaceAll(/[\\|*_`[\]<>#~]/g, "\\$&");
}
