import type { FieldType } from "./field.ts";

export type FieldValue = string | number;

const MONTHS = [
  ["january", "jan", "januar", "jänner"],
  ["february", "feb", "februar"],
  ["march", "mar", "märz", "mrz"],
  ["april", "apr"],
  ["may", "mai"],
  ["june", "jun", "juni"],
  ["july", "jul", "juli"],
  ["august", "aug"],
  ["september", "sep", "sept"],
  ["october", "oct", "oktober", "okt"],
  ["november", "nov"],
  ["december", "dec", "dezember", "dez"],
];
const NAMES = MONTHS.flat().join("|");

const PATTERNS: Readonly<Record<Exclude<FieldType, "text">, RegExp>> = {
  email: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/,
  phone: /(?:\+|\b0)\d[\d\s()/.-]{5,20}\d/,
  percent: /-?\d+(?:[.,]\d+)? ?(?:%|percent|prozent)/i,
  date: new RegExp(
    `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}\\. ?(?:${NAMES})\\.? \\d{4}\\b|\\b\\d{1,2}\\.\\d{1,2}\\.\\d{4}\\b|\\b(?:${NAMES})\\.? \\d{1,2},? \\d{4}\\b|\\b\\d{1,2} (?:${NAMES}) \\d{4}\\b|\\b\\d{1,2}/\\d{1,2}/\\d{4}\\b`,
    "i",
  ),
  money:
    /(?:[€$£]|EUR|USD|CHF|GBP)? ?-?\d{1,3}(?:[.,' ]\d{3})*(?:[.,]\d{1,2})?(?!\d)(?: ?(?:€|EUR|USD|CHF|GBP|\$|£))?|-?\d+(?:[.,]\d+)?/,
  number: /-?\d{1,3}(?:[.,' ]\d{3})+(?!\d)|-?\d+(?:[.,]\d+)?/,
};

/** What a text holds of this type, first of all; undefined where it holds none. */
export function valueIn(type: FieldType, text: string): FieldValue | undefined {
  if (type === "text") return text.trim() || undefined;
  const found = PATTERNS[type].exec(text)?.[0];
  if (found === undefined) return undefined;
  switch (type) {
    case "date":
      return isoDate(found);
    case "money":
    case "number":
    case "percent":
      return numberOf(found);
    case "iban":
      return found.replace(/\s/g, "");
    default:
      return found.trim();
  }
}

/** `1.234,56`, `1,234.56`, `1'234.56`: the last mark before one or two digits is the decimal one. */
function numberOf(text: string): number | undefined {
  const digits = text.replace(/[^\d.,'-]/g, "").replaceAll("'", "");
  const decimal = /[.,](\d{1,2}|\d{4,})$/.exec(digits);
  const whole = decimal === null ? digits : digits.slice(0, decimal.index);
  const plain = `${whole.replace(/[.,]/g, "")}${decimal === null ? "" : `.${decimal[1]}`}`;
  const value = Number(plain);
  return plain === "" || plain === "-" || Number.isNaN(value) ? undefined : value;
}

function isoDate(text: string): string | undefined {
  const name = new RegExp(NAMES, "i").exec(text)?.[0]?.toLowerCase();
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const year = numbers.find((number) => number >= 1000);
  const rest = numbers.filter((number) => number !== year);
  const named = name === undefined ? -1 : MONTHS.findIndex((names) => names.includes(name));
  const isAmerican = text.includes("/") && (rest[1] ?? 0) > 12;
  const [first = 0, second = 0] = rest;
  const isIso = /^\d{4}-/.test(text);
  const month = named >= 0 ? named + 1 : isIso || isAmerican ? first : second;
  const day = named >= 0 ? first : isIso || isAmerican ? second : first;
  if (year === undefined || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
