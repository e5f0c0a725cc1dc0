import { AppError } from "../../../kernel/errors.ts";

export type FieldType = "text" | "number" | "money" | "percent" | "date" | "email" | "iban" | "phone";

/** Something to look for in documents. */
export interface Field {
  name: string;
  words: readonly string[];
  type: FieldType;
}

const MOST_FIELDS = 50;

/** What a field holds is told by its own words, in English or German, and by what the prompt says of it. */
const TYPES: readonly (readonly [FieldType, RegExp])[] = [
  ["email", /\b(e ?mail|email)\b/],
  ["iban", /\biban\b/],
  ["phone", /\b(phone|telephone|mobile|fax|telefon|tel)\b/],
  ["percent", /\b(percent|percentage|rate|prozent|satz|quote)\b/],
  [
    "date",
    /\b(date|day|deadline|due|start|end|begin|born|birthday|datum|tag|frist|fällig|beginn|ende|geburtsdatum|termin)\b|datum\b/,
  ],
  [
    "money",
    /\b(amount|price|cost|costs|total|sum|value|fee|salary|revenue|net|gross|tax|vat|betrag|preis|kosten|summe|wert|gebühr|gehalt|umsatz|netto|brutto|steuer|gesamt)\b|(?:betrag|preis|summe|kosten)\b/,
  ],
  ["number", /\b(number of|count|quantity|qty|pages|years|age|anzahl|menge|stück|seiten|alter)\b/],
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
    const words = wordsOf(name);
    return { name, words, type: toldType(words, prompt) ?? typeOf(words.join(" ")) };
  });
}

function typeOf(words: string): FieldType {
  return TYPES.find(([, pattern]) => pattern.test(words))?.[0] ?? "text";
}

/** "contract_value should be numeric": what the sentence that names a field says of its type. */
function toldType(words: readonly string[], prompt: string): FieldType | undefined {
  const name = words.join(" ");
  const clause = prompt
    .toLowerCase()
    .split(/[.;,\n]/)
    .find((part) => wordsOf(part).join(" ").includes(name));
  if (clause === undefined) return undefined;
  if (/\b(numeric|number|decimal|integer|zahl)\b/.test(clause)) return "money";
  if (/\b(date|yyyy|datum)\b/.test(clause)) return "date";
  if (/\b(text|string)\b/.test(clause)) return "text";
  return undefined;
}

/** The words of a name in whatever case it is written. */
export function wordsOf(name: string): string[] {
  return (
    name
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
