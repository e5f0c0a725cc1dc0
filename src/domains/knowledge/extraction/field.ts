import { AppError } from "../../../kernel/errors.ts";
import { fold } from "../../../platform/retrieval/index.ts";

type FieldType =
  | "text"
  | "name"
  | "id"
  | "number"
  | "money"
  | "percent"
  | "date"
  | "email"
  | "iban"
  | "phone";

/** Something to look for in documents. */
export interface Field {
  name: string;
  /** Its words, those that mean the same in one form. */
  words: readonly string[];
  type: FieldType;
}

const MOST_FIELDS = 50;

/** Words of labels that say the same, in English and German; the first stands for all. */
const SAME: ReadonlyMap<string, string> = new Map(
  [
    "number no nr num nummer id",
    "date datum",
    "amount betrag",
    "total grand overall gesamt summe sum",
    "tax vat ust mwst steuer umsatzsteuer mehrwertsteuer",
    "net netto",
    "gross brutto",
    "invoice rechnung bill",
    "customer client buyer kunde kunden kaufer",
    "seller vendor supplier verkaufer lieferant",
    "order bestellung auftrag",
    "contract agreement vertrag",
    "due fallig falligkeit",
    "phone telephone tel telefon fon mobile",
    "email mail emails",
    "discount rabatt skonto",
    "price preis",
    "quantity qty menge anzahl",
  ].flatMap((line) => line.split(" ").map((word) => [word, line.split(" ")[0]!] as const)),
);
/** What a German word can end with that is a word of this list, too: "Rechnungsdatum", "Kundennr". */
const ENDS = [...SAME.keys()].filter((word) => word.length >= 5 || word === "nr");

/** What a field holds is told by its own words: certainly by these, */
const CERTAIN: readonly (readonly [FieldType, RegExp])[] = [
  ["email", /\be ?mails?\b/],
  ["iban", /\biban\b/],
  ["phone", /\b(phone|telephone|mobile|fax|telefon|tel|fon)\b/],
  ["percent", /\b(percent|percentage|rate|prozent|satz|quote)\b|satz\b/],
  ["number", /\bnumber of\b|\banzahl\b/],
];
/** otherwise by the last of these, since that is what the words before it tell more of. */
const LIKELY: readonly (readonly [FieldType, RegExp])[] = [
  [
    "date",
    /\b(date|day|deadline|start|end|begin|born|birthday|created|issued|signed|expires|check ?(?:in|out)|datum|tag|frist|beginn|ende|termin)\b|(?:datum|ziel)\b/g,
  ],
  [
    "money",
    /\b(amount|price|costs?|total|subtotal|sum|value|fee|salary|revenue|budget|principal|balance|net|gross|tax|vat|betrag|preis|kosten|summe|wert|gebühr|gehalt|umsatz|netto|brutto|steuer|gesamt)\b|(?:betrag|preis|summe|kosten|steuer)\b/g,
  ],
  ["number", /\b(count|quantity|qty|pages|years|age|menge|stück|seiten|alter)\b/g],
  ["id", /\b(number|no|nr|id|code|account|konto|reference|ref|nummer)\b|(?:nummer|nr)\b/g],
  [
    "name",
    /\b(name|customer|client|seller|vendor|supplier|buyer|company|agency|tenant|landlord|lender|borrower|author|kunde|käufer|verkäufer|lieferant|firma|mieter|vermieter)\b|führer\b/g,
  ],
];

export function parseFields(text: string, prompt: string): Field[] {
  const names = [
    ...new Set(
      text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    ),
  ];
  if (names.length === 0)
    throw new AppError("bad_request", "There are no fields.", { hint: "Name them, with commas between." });
  if (names.length > MOST_FIELDS)
    throw new AppError("too_large", `At most ${MOST_FIELDS} fields are extracted at once.`);
  return names.map((name) => {
    const plain = plainWords(name);
    return { name, words: labelWords(name), type: toldType(plain, prompt) ?? typeOf(plain.join(" ")) };
  });
}

function typeOf(words: string): FieldType {
  const certain = CERTAIN.find(([, pattern]) => pattern.test(words))?.[0];
  if (certain !== undefined) return certain;
  // "date of incident": what it is stands before "of".
  const [head = words] = words.split(/ (?:of|der|des) /);
  let [type, at]: [FieldType, number] = ["text", -1];
  for (const [likely, pattern] of LIKELY)
    for (const { index } of head.matchAll(pattern)) if (index > at) [type, at] = [likely, index];
  if (type === "text" && /\b(due|fällig)\b/.test(head)) return "date";
  return type;
}

/** "contract_value should be numeric": what the sentence that names a field says of its type. */
function toldType(words: readonly string[], prompt: string): FieldType | undefined {
  const name = words.join(" ");
  const clause = prompt
    .toLowerCase()
    .split(/[.;,\n]/)
    .find((part) => plainWords(part).join(" ").includes(name));
  if (clause === undefined) return undefined;
  if (/\b(numeric|number|decimal|integer|zahl)\b/.test(clause)) return "money";
  if (/\b(date|yyyy|datum)\b/.test(clause)) return "date";
  if (/\b(text|string)\b/.test(clause)) return "text";
  return undefined;
}

/** The words of a name in whatever case it is written. */
function plainWords(name: string): string[] {
  return (
    name
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Words as labels are compared by: compounds in parts, words that say the same in one form, each once. */
export function labelWords(text: string): string[] {
  return [...new Set(plainWords(text).flatMap((word) => partsOf(plainLetters(word))))];
}

function partsOf(word: string): string[] {
  const same = SAME.get(word) ?? SAME.get(word.replace(/s$/, ""));
  if (same !== undefined) return [same];
  const end = ENDS.find((each) => word.endsWith(each) && word.length >= each.length + 3);
  if (end === undefined) return [word];
  const start = word.slice(0, -end.length);
  const plain = SAME.get(start) ?? SAME.get(start.replace(/s$/, "")) ?? start.replace(/s$/, "");
  return [plain, SAME.get(end)!];
}

/** "Käufer", "kaeufer" and "Kaufer" are one word. */
function plainLetters(word: string): string {
  return fold(word).replace(/(?<=[aou])e(?=\p{L})/gu, "");
}

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
const NAMES = MONTHS.flat()
  .sort((a, b) => b.length - a.length)
  .join("|");
const CURRENCY = "(?:[€$£¥]|Rs\\.?|EUR|USD|CHF|GBP|INR|JPY)";
const DIGITS = "-?\\d{1,3}(?:[.,'\\u00a0\\u202f]\\d{3})+(?:[.,]\\d{1,4})?|-?\\d+(?:[.,]\\d{1,4})?";
/** A number ends where no letter, digit, or part of a longer mark follows. */
const END = "(?![\\d\\p{L}%]|[-/.,:]\\d)";

/** Pattern of the values of each type. */
const PATTERNS: Readonly<Record<Exclude<FieldType, "text" | "name">, string>> = {
  email: "[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+",
  iban: "[A-Z]{2}\\d{2}(?:[ \\t]*[A-Z0-9]{4}){2,7}(?:[ \\t]*[A-Z0-9]{1,4})?(?![A-Z0-9])",
  phone: "[+(]?\\d[\\d\\s()/.-]{4,20}\\d(?!\\d)",
  percent: "-?\\d+(?:[.,]\\d+)?\\s?(?:%|percent|prozent)",
  date: `\\d{4}-\\d{2}-\\d{2}(?!\\d)|\\d{1,2}(?:\\.|st|nd|rd|th)?\\s?(?:${NAMES})\\.?,?\\s?\\d{4}(?!\\d)|(?:${NAMES})\\.?\\s\\d{1,2}\\s?,?\\s\\d{4}(?!\\d)|\\d{1,2}\\.\\s?\\d{1,2}\\.\\s?(?:\\d{4}|\\d{2})(?!\\d)|\\d{1,2}([/-])\\d{1,2}\\1\\d{4}(?!\\d)`,
  money: `${CURRENCY}\\s?(?:${DIGITS})${END}|(?:${DIGITS})\\s?${CURRENCY}(?!\\p{L})|(?:${DIGITS})${END}`,
  number: `(?:${DIGITS})${END}`,
  id: "[\\p{L}\\p{N}][\\p{L}\\p{N}/_.-]*\\d[\\p{L}\\p{N}/_.-]*|\\d[\\p{L}\\p{N}/_.-]*",
};
const FLAGS: Partial<Record<FieldType, string>> = { iban: "u" };

/** The order of day and month where both are numbers; undefined where the document does not tell. */
export type DayOrder = "day" | "month" | undefined;

/** Parsed value of a type; `undefined`: no match, `ambiguous`: two readings. */
export type Read = { value: FieldValue; end: number } | { ambiguous: string } | undefined;

/** A value of the type that the text begins with. */
export function readValue(type: Exclude<FieldType, "text" | "name">, text: string, order: DayOrder): Read {
  const found = new RegExp(`^(?:${PATTERNS[type]})`, FLAGS[type] ?? "iu").exec(text)?.[0];
  return found === undefined ? undefined : asRead(type, found, order);
}

/** All values of the type, wherever in the text. */
export function valuesIn(type: Exclude<FieldType, "text" | "name">, text: string): RegExpExecArray[] {
  return [
    ...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${PATTERNS[type]})`, `g${FLAGS[type] ?? "iu"}`)),
  ];
}

/** How days and months stand in the numeric dates of a text, if one of them leaves no doubt. */
export function dayOrderOf(text: string, prompt: string): DayOrder {
  if (/mm[/-]dd/i.test(prompt)) return "month";
  if (/dd[/-]mm/i.test(prompt)) return "day";
  const orders = new Set<DayOrder>();
  for (const [, first, second] of text.matchAll(/(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?!\d)/g)) {
    if (Number(first) > 12) orders.add("day");
    else if (Number(second) > 12) orders.add("month");
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

export function asRead(type: FieldType, found: string, order: DayOrder): Read {
  const end = found.length;
  const of = (value: FieldValue | undefined): Read => (value === undefined ? undefined : { value, end });
  switch (type) {
    case "date":
      return readDate(found, order);
    case "money":
      return isMoney(found) ? of(numberOf(found)) : undefined;
    case "number":
    case "percent":
      return of(numberOf(found));
    case "iban":
      return of(ibanOf(found));
    case "id":
      return of(found.replace(/[.,/-]+$/, ""));
    default:
      return of(found.trim());
  }
}

/** So many digits without a mark between them or a currency are a number of something else. */
const MOST_BARE_DIGITS = 9;

function isMoney(text: string): boolean {
  return new RegExp(`[.,']\\d|${CURRENCY}`, "i").test(text) || text.length < MOST_BARE_DIGITS;
}

/** `1.234,56`, `1,234.56`, `1'234.56`: the last mark before one or two digits is the decimal one. */
function numberOf(text: string): number | undefined {
  const digits = text.replace(/^[^\d-]+/, "").replace(/[^\d.,-]/g, "");
  const decimal = /[.,](\d{1,2}|\d{4,})$/.exec(digits);
  const whole = decimal === null ? digits : digits.slice(0, decimal.index);
  const plain = `${whole.replace(/[.,]/g, "")}${decimal === null ? "" : `.${decimal[1]}`}`;
  const value = Number(plain);
  return plain === "" || plain === "-" || Number.isNaN(value) ? undefined : value;
}

/** Its check digits tell it from any other mark. */
function ibanOf(text: string): string | undefined {
  const iban = text.replace(/\s/g, "");
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1 ? iban : undefined;
}

function readDate(text: string, order: DayOrder): Read {
  const name = new RegExp(NAMES, "i").exec(text)?.[0]?.toLowerCase();
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const end = text.length;
  const of = (year: number, month: number, day: number): Read => {
    const whole = year < 100 ? year + (year < 70 ? 2_000 : 1_900) : year;
    if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
    return { value: `${whole}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`, end };
  };
  const [first = 0, second = 0, third = 0] = numbers;
  if (name !== undefined) return of(second, MONTHS.findIndex((names) => names.includes(name)) + 1, first);
  if (/^\d{4}-/.test(text)) return of(first, second, third);
  if (text.includes(".") || first > 12 || first === second) return of(third, second, first);
  if (second > 12 || order === "month") return of(third, first, second);
  return order === "day" ? of(third, second, first) : { ambiguous: text };
}
