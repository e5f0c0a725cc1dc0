import {
  addsUp,
  isIdName,
  isNumberingName,
  isSomebodyName,
  isYearName,
  partWords,
  RATES,
  usualAggregate,
} from "../../../kernel/name-words.ts";
import type { ColumnProfile } from "./profile.ts";

/** Role of a column. */
export type Role =
  /** Tells rows apart, here or in another dataset. */
  | "id"
  /** Adds up over rows. */
  | "amount"
  /** A number of which only the average says something. */
  | "rate"
  | "date"
  | "year"
  | "flag"
  | "text"
  /** Long texts, nested values: to be read, not to be grouped by. */
  | "other";

const CODES = new Set(
  `code number no zip postcode postal phone telephone fax isbn ean sku barcode ssn iban vin latitude longitude lat
  lng lon easting northing rechtswert hochwert rank ranking position order sequence seq index sort version day month week quarter hour minute weekday
  line row level grade floor class cluster group segment tier category season episode chapter round lap nummer plz
  postleitzahl telefon vorwahl hausnummer monat woche tag quartal stunde rang platz stufe klasse gruppe saison staffel
  folge runde`.split(/\s+/),
);
/** Of these the sum is plainly meant: money that moved, and things that were counted. */
const AMOUNTS =
  /^(amounts?|totals?|sum|revenues?|sales|turnover|profits?|costs?|expenses?|spend(ing)?|budgets?|gross|fares?|tips?|tolls?|tax(es)?|fees?|bills?|payments?|refunds?|donations?|quantity|units?|counts?|pieces|votes?|deaths|births|cases|injuries|casualties|passengers|visitors|visits|guests|clicks|views|impressions|downloads|orders|items|goals|points|wins|losses|hours|minutes|generation|production|consumption|output|emissions|precipitation|rain(fall)?|snow(fall)?|imports|exports|umsatz|erlös|betrag|menge|anzahl|kosten|gewinn|summe|gebühr|steuer|stunden|trinkgeld|stückzahl|ausgaben|einnahmen)$/;
const YEARS = { least: 1_500, most: 2_200 };
/** Longer texts on average are told, not chosen. */
const PROSE_CHARACTERS = 80;

export function roleOf(column: ColumnProfile): Role {
  const words = partWords(column.name);
  const last = words.at(-1) ?? "";
  const isNamed = (those: ReadonlySet<string>) => words.some((word) => those.has(word));
  if (column.kind === "date" || isDateText(column) || isDigitDate(column)) return "date";
  if (column.kind === "boolean" || isFlag(column, words)) return "flag";
  if (isIdName(column.name)) return "id";
  if (column.kind === "text") return column.length > PROSE_CHARACTERS ? "other" : "text";
  if (column.kind === "other") return "other";
  // What its author says of a column comes before what its name says.
  if (column.aggregate !== undefined && column.aggregate !== usualAggregate(column.name))
    return ({ sum: "amount", avg: "rate", none: "id" } as const)[column.aggregate];
  if (isYear(column)) return "year";
  if (column.isWhole && isSomebodyName(column.name)) return "id";
  if (CODES.has(last) || (isNamed(CODES) && !isNamed(RATES) && column.isWhole && words.length < 3)) {
    return "id";
  }
  return addsUp(column.name) ? "amount" : "rate";
}

/** True if nothing but the sum can be meant where no aggregate is named. */
export function plainlyAddsUp(name: string): boolean {
  return addsUp(name) && partWords(name).some((word) => AMOUNTS.test(word));
}

/** What is there at a time: of the same things at several times it does not add up. */
export function isStock(name: string): boolean {
  return /^(population|inhabitants|residents|headcount|employees|staff|members|subscribers|gdp|debt|assets|area|income|bevölkerung|einwohner|mitglieder|fläche)$/.test(
    partWords(name).at(-1) ?? "",
  );
}

/** True if a name is that of a number or code which says only which one it is. */
export function isCode(name: string): boolean {
  return isIdName(name) || CODES.has(partWords(name).at(-1) ?? "");
}

/** A number that only says which one it is, by its name: nobody adds such up, or asks for their middle. */
export function isNumbering({ name, kind }: Pick<ColumnProfile, "name" | "kind">): boolean {
  return kind === "number" && isNumberingName(name);
}

/** All that is there is written as `13:08`, or is a time for the engine. */
export function isTimeOfDay({ kind, type, filled, clocks }: ColumnProfile): boolean {
  return /^TIME$/i.test(type) || (kind === "text" && filled > 0 && clocks === filled);
}

/** All that is there is written as `2025-03-31`. */
export function isDateText({ kind, filled, dates }: ColumnProfile): boolean {
  return kind === "text" && filled > 0 && dates === filled;
}

/** Numbers such as 20250331, under the name of a date. */
export function isDigitDate({ name, kind, isWhole, min, max }: ColumnProfile): boolean {
  const isNamed = partWords(name).some((word) => DATES.test(word));
  if (!isNamed || kind !== "number" || !isWhole || min === null || max === null) return false;
  return min >= YEARS.least * 10_000 && max < YEARS.most * 10_000 && max % 100 <= 31 && min % 100 > 0;
}

const DATES = /^(date|day|datum|tag|on|am)$/;

function isYear({ name, min, max, isWhole }: ColumnProfile): boolean {
  return isWhole && min !== null && max !== null && tellsYears(name, min, max);
}

/** True if whole numbers are years, by what they are called and from where to where they go: for questions and for charts. */
export function tellsYears(name: string, min: number, max: number): boolean {
  return isYearName(name) && min >= YEARS.least && max <= YEARS.most;
}

/** 0 and 1, under a name that asks a question or in so many rows that a count would have been something else once. */
function isFlag(column: ColumnProfile, [first = ""]: string[]): boolean {
  return isBit(column) && (["is", "has", "was", "can"].includes(first) || column.filled >= FLAG_ROWS);
}

const FLAG_ROWS = 50;

/** A number that only says yes or no. */
export function isBit({ kind, min, max, isWhole, distinct }: ColumnProfile): boolean {
  return kind === "number" && isWhole && distinct <= 2 && min !== null && min >= 0 && (max ?? 2) <= 1;
}
