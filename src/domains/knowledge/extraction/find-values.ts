import {
  asRead,
  type DayOrder,
  dayOrderOf,
  type Field,
  type FieldValue,
  labelWords,
  type Read,
  readValue,
  valuesIn,
} from "./field.ts";

export interface FoundValue {
  field: string;
  value: FieldValue | null;
  confidence: number;
  page: number | null;
  /** Source text of the value, verbatim. */
  quote: string;
  /** Why there is no value. */
  reason?: string;
}

/** Request: the fields to extract, and the document. */
export interface FindRequest {
  fields: readonly Field[];
  places: readonly Place[];
  /** The name of the document, which may say what it is: an invoice, a contract. */
  name: string;
  prompt: string;
}

/** A value beside a label that fits a field, or why what stands there is none. */
interface Candidate {
  value?: FieldValue;
  reason?: string;
  confidence: number;
  quote: string;
  page: number | null;
}

/** How sure a place makes that a label and a value belong together. */
const TRUST = {
  marked: 0.95,
  defined: 0.85,
  adjacent: 0.85,
  below: 0.8,
  implied: 0.9,
  elsewhere: 0.9,
  sole: 0.6,
};
/** Values that are surer than others by less are held against each other. */
const MARGIN = 0.12;
const LEAST = 0.55;
const LABEL_WORDS = 6;
/** What marks a heading or an item of a list is no longer. */
const MARK_CHARACTERS = 20;
const TITLE_CHARACTERS = 80;
const TEXT_CHARACTERS = 200;
const QUOTE_CHARACTERS = 160;
const SHOWN = 3;

const KIND: Readonly<Record<Field["type"], string>> = {
  text: "a text",
  name: "a name",
  id: "a number or code",
  number: "a number",
  money: "an amount of money",
  percent: "a percentage",
  date: "a date",
  email: "an e-mail address",
  iban: "a valid IBAN",
  phone: "a telephone number",
};
/** What a label may leave out, because a value of the type says so itself. */
const IMPLIED: Partial<Record<Field["type"], readonly string[]>> = {
  id: ["number"],
  date: ["date", "day"],
  money: ["amount", "value", "sum"],
  percent: ["rate", "percentage", "percent"],
  name: ["name"],
  phone: ["number"],
  email: ["address"],
};

/** What a label may say besides: a total that is due is still the total, unless another one stands there. */
const BESIDE: Partial<Record<Field["type"], readonly string[]>> = { money: ["due"] };

/** The value of each field that a document has: of the field's type, and where a label like its name says so. */
export function findValues({ fields, places, name, prompt }: FindRequest): FoundValue[] {
  const segments = places.flatMap((place) => segmentsOf(place));
  const text = places.map(({ content }) => content).join("\n");
  const finder: Finder = { segments, order: dayOrderOf(text, prompt), title: titleWords(name, text) };
  return fields.map((field) => decide(field, candidatesOf(field, finder)));
}

interface Finder {
  segments: readonly Segment[];
  order: DayOrder;
  /** Words that say what the document is. */
  title: ReadonlySet<string>;
}

function titleWords(name: string, text: string): Set<string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const headings = lines.filter((line) => /^#/.test(line)).slice(0, 2);
  const titles = [lines[0] ?? "", ...headings].filter((line) => line.length <= TITLE_CHARACTERS);
  return new Set(labelWords([name, ...titles].join(" ")));
}

/** The surest candidate, unless others as sure say something else. */
function decide(field: Field, candidates: readonly Candidate[]): FoundValue {
  const none = (reason: string, { quote = "", page = null }: Partial<Candidate> = {}): FoundValue => ({
    field: field.name,
    value: null,
    confidence: 0,
    page,
    quote,
    reason,
  });
  const sorted = candidates.toSorted((a, b) => b.confidence - a.confidence);
  const found = sorted.filter((each) => each.value !== undefined);
  const [best] = found;
  if (best?.value === undefined) {
    const [near] = sorted;
    return near === undefined ? none("No label like it was found.") : none(near.reason ?? "", near);
  }
  const rivals = found.filter(({ confidence }) => confidence > best.confidence - MARGIN);
  // A text that is cut at the end of a passage is whole in the next one.
  const longest = rivals.reduce((a, b) => (String(b.value).length > String(a.value).length ? b : a));
  const isSame = ({ value }: Candidate) =>
    typeof value === "string" && typeof longest.value === "string"
      ? longest.value.toLowerCase().startsWith(value.toLowerCase())
      : value === longest.value;
  if (!rivals.every(isSame)) {
    const values = [...new Set(rivals.map(({ value }) => String(value)))];
    const more = values.length > SHOWN ? ` and ${values.length - SHOWN} more` : "";
    return none(`Several values have such a label: ${values.slice(0, SHOWN).join("; ")}${more}.`, best);
  }
  const { value = null, page, quote } = longest;
  return { field: field.name, value, confidence: Math.round(best.confidence * 100) / 100, page, quote };
}

function candidatesOf(field: Field, finder: Finder): Candidate[] {
  const labelled = finder.segments.flatMap((segment) => [
    ...besideLabels(field, segment, finder),
    ...defined(field, segment, finder),
  ]);
  return labelled.some(({ value }) => value !== undefined) ? labelled : [...labelled, ...sole(field, finder)];
}

/** An address or account that is the only one of its kind needs no label. */
function sole({ words, type }: Field, { segments, order }: Finder): Candidate[] {
  if ((type !== "email" && type !== "iban") || words.some((word) => word !== type && word !== "address"))
    return [];
  return segments.flatMap(({ text, place: { page } }) =>
    valuesIn(type, text).flatMap(([found]) => {
      const read = asRead(type, found, order);
      if (read === undefined || "ambiguous" in read) return [];
      return [{ value: read.value, confidence: TRUST.sole, quote: clipped(text), page }];
    }),
  );
}

/** `500.00 USD (the “Principal”)`: what is said before the name that a contract gives it. */
function* defined(field: Field, { text, place }: Segment, { order }: Finder): Generator<Candidate> {
  const { type } = field;
  if (type === "text" || type === "name") return;
  for (const match of text.matchAll(/\((?:(?:the|der|die|das) )?[“"„]([^”"“„]{2,60})[”"“]\)/gi)) {
    const likeness = likenessOf(field, labelWords(match[1] ?? ""), { around: [], title: new Set() });
    if (likeness < LEAST) continue;
    const before = text.slice(Math.max(0, match.index - 80), match.index);
    const last = valuesIn(type, before).at(-1);
    if (
      last === undefined ||
      before
        .slice(last.index + last[0].length)
        .trim()
        .split(/\s+/).length > 3
    )
      continue;
    const read = asRead(type, last[0], order);
    const rest = {
      confidence: likeness * TRUST.defined,
      quote: clipped(`${before}${match[0]}`),
      page: place.page,
    };
    if (read !== undefined) yield { ...told(read), ...rest };
  }
}

/** Values after each run of words that is the name of the field. */
function* besideLabels(field: Field, segment: Segment, finder: Finder): Generator<Candidate> {
  const { text, place, words } = segment;
  const isOwn = ownWords(field);
  const isPart = (part: string) => isOwn(part) || BESIDE[field.type]?.includes(part) === true;
  let after = -1;
  for (const [i, { parts, start }] of words.entries()) {
    if (i <= after || !parts.some(isOwn)) continue;
    const run = labelRun(words.slice(i, i + LABEL_WORDS), text, isPart);
    const end = run.at(-1)?.end ?? start;
    const label = [...new Set(run.flatMap((word) => word.parts))];
    const about = { around: segment.around, title: finder.title };
    const alone = likenessOf(field, label, about);
    if (alone < LEAST) continue;
    const before = leftOf(text, start);
    const whole = before === undefined ? alone : likenessOf(field, [...labelWords(before), ...label], about);
    const likeness = label.length > 1 ? Math.max(whole, TRUST.implied * alone) : whole;
    if (likeness < LEAST) continue;
    after = i + run.length - 1;
    const isWhole = start < MARK_CHARACTERS && /^[#*\s"“-]*$/.test(text.slice(0, start));
    // "Date:" in an invoice is the invoice's date, but "No. 42" may be a house's.
    const isBare = label.every((part) => IMPLIED[field.type]?.includes(part));
    for (const { trust, ...found } of valuesAfter(
      field,
      { segment, start, end, isWhole, isBare },
      finder.order,
    )) {
      const quote = clipped(found.quote ?? text.slice(start, start + 2 * QUOTE_CHARACTERS));
      yield { ...found, quote, page: place.page, confidence: likeness * trust };
    }
  }
}

/** True if a word is one of the field's, with what was found before. */
function ownWords({ words }: Field): (part: string) => boolean {
  const known = new Map<string, boolean>();
  return (part) => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const isOwn = words.some((word) => isSameWord(word, part));
    known.set(part, isOwn);
    return isOwn;
  };
}

/** The words of a label that begins with the first: as far as they are the field's, with at most one between. */
function labelRun(words: readonly Word[], text: string, isPart: (part: string) => boolean): Word[] {
  let length = 1;
  for (let i = 1; i < words.length; i += 1) {
    const between = text.slice(words[i - 1]!.end, words[i]!.start);
    const word = text.slice(words[i]!.start, words[i]!.end);
    if (/[:;,|=\n]|\.\s+\p{Lu}/u.test(between) || /\d/.test(word) || i > length + 1) break;
    if (words[i]!.parts.some(isPart)) length = i + 1;
  }
  return words.slice(0, length);
}

/** The words of the same phrase before a label; undefined where something else ends there. */
function leftOf(text: string, start: number): string | undefined {
  const before = /(?:^|[^\p{L}\s'’.-]|\p{L}{5,}\.)\s*((?:[\p{L}'’-]+\.?\s+){1,3})$/u.exec(
    text.slice(0, start).slice(-80),
  )?.[1];
  if (before === undefined) return undefined;
  const words = before
    .split(/\s+/)
    .filter(
      (word) =>
        !/^(?:the|this|our|your|a|an|of|for|der|die|das|ihre?|unsere?|und|and|or|zzgl|incl|inkl)$/i.test(
          word,
        ),
    );
  return words.length === 0 ? undefined : words.join(" ");
}

/** How much a label is the name of the field, 0 to 1. */
function likenessOf(
  { words, type }: Field,
  label: readonly string[],
  { around, title }: { around: readonly string[]; title: ReadonlySet<string> },
): number {
  const implied = IMPLIED[type] ?? [];
  const has = (of: readonly string[], word: string) => of.some((other) => isSameWord(word, other));
  const missing = words.filter((word) => !has(label, word) && !SMALL.has(word));
  const needed = missing.filter((word) => !implied.includes(word));
  const isUnderTitle = around.every((word) => title.has(word));
  // What the section is about need not be said again, nor what the document is, outside of other sections.
  if (needed.some((word) => !has(around, word) && !(isUnderTitle && title.has(word)))) return 0;
  const matched = words.length - missing.length;
  if (matched === 0) return 0;
  const extra = label.filter(
    (word) => !has(words, word) && !implied.includes(word) && !title.has(word) && !SMALL.has(word),
  );
  const isOther = extra.some((word) => BESIDE[type]?.includes(word) !== true);
  if (isOther && matched < 2) return 0;
  const certainty = needed.length > 0 ? TRUST.elsewhere : missing.length > 0 ? TRUST.implied : 1;
  return (certainty * matched) / (matched + extra.length / 2);
}

const SMALL = new Set(
  "of the for a an and or in on to der die das des dem den und oder fur von vom zum zur".split(" "),
);

function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && long.length - short.length <= 3 && long.startsWith(short);
}

interface Label {
  segment: Segment;
  start: number;
  end: number;
  /** True if nothing stands before it. */
  isWhole: boolean;
  /** True if it says no more than of which type the value is. */
  isBare: boolean;
}

type Beside = Omit<Candidate, "confidence" | "quote" | "page"> & { trust: number; quote?: string };

const MARK = /^[\s*†)"”.]*(?:(?:\([^)]*\)|#|\[%\])\s*)*(:|=|\t|\.{3,}|\s{3,})?[\s*]*/u;
/** "Rechnung (380) Nr. 471102". */
const NUMBER_MARK = /^[\s*†)"”.]*(?:(?:\([^)]*\)|(?:No|Nr)\b\.?|#)\s*)*(:|=|\t|\.{3,}|\s{3,})?[\s*]*/iu;
/** Whole words only: the IN of "INV-17" is no preposition. */
const LINK =
  /^(?:(?:(?:is|are|of|on|at|was|ist|am|vom|von|beträgt|zum|in)(?=\s)|(?:EUR|USD|GBP|CHF)(?=[\s\d])|[#“"])\s*){0,2}/i;

function valuesAfter(
  field: Field,
  { segment, start, end, isWhole, isBare }: Label,
  order: DayOrder,
): Beside[] {
  const { text, next, isLabel } = segment;
  const after = text.slice(end, end + VALUE_CHARACTERS);
  const mark = (field.type === "id" ? NUMBER_MARK : MARK).exec(after);
  const isMarked = mark?.[1] !== undefined;
  const rest = after.slice(mark?.[0].length ?? 0);
  const isFree = field.type === "text" || field.type === "name";
  if (isBare && !(isWhole && (isMarked || (isLabel && rest === ""))) && field.words.length > 1) return [];
  if (rest.trim() !== "") {
    const found =
      isMarked || !isFree ? read(field, isMarked ? rest : rest.replace(LINK, ""), order) : undefined;
    const trust = isMarked ? TRUST.marked : TRUST.adjacent;
    if (found !== undefined) return [{ ...found, trust }];
    return isMarked ? [{ reason: notOfKind(field, text.slice(start, end + QUOTE_CHARACTERS)), trust }] : [];
  }
  if (!isWhole || (isFree && !isLabel && !isMarked)) return [];
  const label = text.slice(start, end);
  return next.map((value) => {
    const quote = `${label}: ${value}`;
    const isProse = isFree && value.split(/\s+/, BELOW_WORDS + 1).length > BELOW_WORDS;
    const found = isLabelLike(value) || isProse ? undefined : read(field, value, order);
    return { ...(found ?? { reason: notOfKind(field, quote) }), trust: TRUST.below, quote };
  });
}

function notOfKind({ type }: Field, where: string): string {
  return `“${clipped(where)}” has no value that is ${KIND[type]}.`;
}

function read(field: Field, text: string, order: DayOrder): Pick<Candidate, "value" | "reason"> | undefined {
  const { type } = field;
  const plain = text.trim().replace(/^[“"„']+/, "");
  if (type === "text" || type === "name") {
    const value = freeText(text);
    if (value === undefined || (type === "name" && !isName(value))) return undefined;
    // The label once more is a form that nobody filled in.
    if (labelWords(value).every(ownWords(field))) return undefined;
    return { value };
  }
  const found = readValue(type, plain, order);
  return found === undefined ? undefined : told(found);
}

function told(found: Exclude<Read, undefined>): Pick<Candidate, "value" | "reason"> {
  if (!("ambiguous" in found)) return { value: found.value };
  return {
    reason: `“${found.ambiguous}” may have the day or the month first. Say which in the prompt: "dates are MM/DD/YYYY".`,
  };
}

/** What goes on for longer before the next label is no value of a form. */
const CUT_WORDS = 6;
const BELOW_WORDS = 12;

/** What stands after a label, up to the next one; undefined where nobody can tell its end. */
function freeText(text: string): string | undefined {
  const colon = /[\p{L}\p{N}][.)]?:(?=\s|$|\p{L})(?!\/\/)/u.exec(text);
  let value = text;
  if (colon !== null) {
    const before = text.slice(0, colon.index + 1).slice(-TEXT_CHARACTERS);
    const label =
      /(?:^|\s)((?:\p{Lu}[\p{L}.'’-]*\s+|(?:of|or|and|the|to|der|des|und)\s+)*[\p{L}\p{N}.'’-]+)$/u.exec(
        before,
      );
    if (label === null || label[1]!.trim().split(/\s+/).length > 1) return undefined;
    value = before.slice(0, label.index);
    if (value.trim().split(/\s+/).length > CUT_WORDS) return undefined;
  }
  const plain = value
    .trim()
    .replace(/\\$|\s+$/g, "")
    .replace(/^(["“„*_]+)(.*?)(["”“*_]+)$/s, "$2")
    .trim();
  if (plain === "" || plain.length > TEXT_CHARACTERS || isLabelLike(plain)) return undefined;
  return /[\p{L}\p{N}]/u.test(plain) ? plain : undefined;
}

const NAME_WORDS = 8;

/** A name begins like one, is short, and is neither a number nor an address. */
function isName(text: string): boolean {
  return (
    /^\p{Lu}|^\p{Lo}/u.test(text) &&
    text.split(/\s+/).length <= NAME_WORDS &&
    !/@|\d{4,}|[.!?]\s+\p{Lu}\p{Ll}+\s+\p{Ll}/u.test(text)
  );
}

function clipped(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, QUOTE_CHARACTERS).toWellFormed();
}

/** A piece of a document to look through. */
interface Place {
  content: string;
  page: number | null;
  section: string;
}

/** A line or a cell of a table, and where a value may stand for a label that fills it. */
interface Segment {
  text: string;
  place: Place;
  /** Words of the headings above it. */
  around: readonly string[];
  /** Cells beside or below it, or the line below. */
  next: readonly string[];
  /** A label in it is one of a form: a heading, a cell, or a line that ends with a colon. */
  isLabel: boolean;
  words: readonly Word[];
}

/** A word of a segment, as labels are compared by. */
interface Word {
  start: number;
  end: number;
  parts: readonly string[];
}

const SEGMENT_CHARACTERS = 4_000;
const VALUE_CHARACTERS = 400;
/** Rows of a table whose values are held against each other. */
const ROWS = 50;

/** The lines and cells of a piece of a document. */
function segmentsOf(place: Place): Segment[] {
  return [...partsOf(place)].map(withWords);
}

function withWords(segment: Omit<Segment, "words">): Segment {
  const text = segment.text.slice(0, SEGMENT_CHARACTERS);
  const words = [...text.matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    parts: labelWords(word),
  }));
  return { ...segment, text, words };
}

function* partsOf(place: Place): Generator<Omit<Segment, "words">> {
  const lines = place.content.split("\n").map((line) => line.trim());
  let around = labelWords(place.section);
  let isAfterHeading = false;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    if (line === "") continue;
    if (cellsOf(line) !== undefined) {
      const rows: string[][] = [];
      for (; cellsOf(lines[i] ?? "") !== undefined; i += 1)
        if (!/^[\s|:-]+$/.test(lines[i]!)) rows.push(cellsOf(lines[i]!)!);
      i -= 1;
      yield* tableSegments(rows, place, around);
      isAfterHeading = false;
      continue;
    }
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    const below = lines.slice(i + 1, i + 4).find((each) => each !== "");
    const isRow = below !== undefined && cellsOf(below) !== undefined;
    yield {
      text: heading ?? line.replace(/^[-*] (?=\S)/, ""),
      place,
      around,
      next: below === undefined || isRow ? [] : [below.replace(/^#{1,6} /, "").slice(0, VALUE_CHARACTERS)],
      isLabel: heading !== undefined || isLabelLike(line),
    };
    if (heading !== undefined) around = [...(isAfterHeading ? around : []), ...labelWords(heading)];
    isAfterHeading = heading !== undefined;
  }
}

/** Of a label in the first row what stands below it, of others what stands beside them. */
function* tableSegments(
  rows: readonly string[][],
  place: Place,
  around: readonly string[],
): Generator<Omit<Segment, "words">> {
  // Labels beside their values, and not above them.
  const isForm = rows[0]?.length === 2 && rows.length !== 2;
  for (const [r, row] of rows.entries())
    for (const [c, text] of row.entries()) {
      if (text === "") continue;
      const beside = row.slice(c + 1).find((cell) => cell !== "");
      const below = rows.slice(1, ROWS).flatMap((each) => each[c] || []);
      // Each row has a value of its own, and several different ones are none.
      const next = r === 0 && !isForm ? below : [beside ?? []].flat();
      yield {
        text,
        place,
        around,
        next: next.map((cell) => cell.slice(0, VALUE_CHARACTERS)),
        isLabel: true,
      };
    }
}

function cellsOf(line: string): string[] | undefined {
  if (!/^\|.*\|$/.test(line)) return undefined;
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").replaceAll("**", "").trim());
}

/** A label is not the value of another. */
function isLabelLike(text: string): boolean {
  return /[:#]\s*$/.test(text);
}
