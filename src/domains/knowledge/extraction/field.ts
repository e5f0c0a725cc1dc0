import { AppError } from "../../../kernel/errors.ts";
import { fold } from "../../../platform/retrieval/index.ts";

export type FieldType =
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
