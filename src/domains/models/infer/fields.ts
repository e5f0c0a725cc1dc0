import {
  isIdName,
  keyThing,
  longWords,
  partWords,
  snakeOf,
  thingOf,
  wordsOf,
} from "../../../kernel/name-words.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { AiContext, DataType, Expression, Field } from "../model.ts";
import { measureOf } from "../quantities/index.ts";
import { headsOf } from "./counted-things.ts";
import { isCalled } from "./keys.ts";
import { blankSql, type ColumnProfile, type Profile } from "./profile.ts";
import {
  isBit,
  isCode,
  isDateText,
  isDigitDate,
  isNumbering,
  isTimeOfDay,
  type Role,
  roleOf,
} from "./roles.ts";
import { measuredBy } from "./synonyms.ts";

/** A field that was made of a column, or of several. */
export interface InferredField {
  field: Field;
  role: Role;
  /** Null where it is computed from several. */
  column: ColumnProfile | null;
}

/** Names of fields that say nothing without the dataset's. */
const BARE = new Set("id name code key number no date at type status title description".split(" "));
const LATE_DATES = new Set(
  `updated modified due end ended closed expiry expires expiration deleted birth delivery delivered shipped required last
  cancelled finish finished return returned until to paid reply resolved status left fällig fälligkeit bezahlt zahlung lieferung
  liefer geliefert ende beendet geschlossen geändert geburt storniert gelöscht ablauf bis seit`.split(/\s+/),
);
const EARLY_DATES = new Set(
  `date order ordered transaction sale sold purchase purchased invoice event booking booked visit start started opened
  created posted recorded day month datum rechnung bestell bestellung auftrag kauf verkauf buchung beleg erstellt angelegt
  beginn eingang tag monat`.split(/\s+/),
);

export function aiOf(synonyms: readonly string[]): AiContext {
  return { instructions: null, synonyms: [...synonyms], examples: [], more: {} };
}

export function expressionOf(sql: string): Expression {
  return { dialects: [{ dialect: "ANSI_SQL", expression: sql }] };
}

/** The fields of a dataset: the date that is meant when none is named comes before other dates. */
export function fieldsOf(profile: Profile): InferredField[] {
  const thing = thingOf(profile.dataset.name);
  const taken = new Set<string>();
  const name = (wanted: string, other: string) => {
    const free =
      [wanted, other, `${wanted}_2`].find((each) => !taken.has(each.toLowerCase())) ?? `${other}_2`;
    taken.add(free.toLowerCase());
    return free;
  };
  const heads = headsOf(profile.columns, thing);
  const fields = profile.columns.map((column, i): InferredField => {
    const role = roleOf(column);
    const plain = sharedName(column, profile) ?? snakeOf(column.name);
    // A column may be called by nothing but blanks, a field may not.
    const written = /[^\s\p{C}]/u.test(column.name) ? column.name : `column_${i + 1}`;
    const wanted = /[^\s\p{C}]/u.test(plain) ? plain : written;
    const own = { name: name(wanted, written), heads: heads.get(column.name) ?? [] };
    return { field: fieldOf(column, role, own, thing), role, column };
  });
  callByName(fields, profile, thing);
  const parted = partedDates(profile.columns).filter((date) => !taken.has(date.name));
  for (const { called } of parted)
    for (const { field, column } of fields) {
      const short = column === null ? undefined : called.get(column);
      if (short?.includes(" ")) field.ai.synonyms.push(short);
    }
  fields.push(...parted.map(partedField));
  const dates = fields.filter(({ role }) => role === "date");
  const first = dates.toSorted((a, b) => dateRank(a, profile) - dateRank(b, profile))[0];
  const isFirst = (each: InferredField) => each === first;
  const isFree = ({ field }: InferredField) => !taken.has(field.name.toLowerCase());
  const moments = momentsOf(fields, sqlOf);
  const [now, later] = [true, false].map((isMain) =>
    moments.filter(({ day }) => (day === first?.column) === isMain).map(momentField),
  ) as [InferredField[], InferredField[]];
  const more = [...fullName(fields, thing), ...now, ...yearStart(fields)].filter(isFree);
  const others = fields.filter((each) => !isFirst(each));
  return [...more, ...fields.filter(isFirst), ...others, ...later.filter(isFree)];
}

/**
 * The `member_name` of visits is who came, and no name of a visit: such a column is called by whose name it is. Only
 * what has a key of its own is mistaken so.
 */
function sharedName(column: ColumnProfile, { columns, dataset }: Profile): string | undefined {
  const [, whose] = /^(.+)_name$/.exec(snakeOf(column.name)) ?? [];
  const isShared = column.kind === "text" && column.distinct < column.filled * NAMED_SHARE;
  if (whose === undefined || !isShared || isCalled(column.name, dataset.name)) return undefined;
  const isTaken = columns.some(({ name }) => snakeOf(name) === whose);
  const isPart = /(^|_)(first|last|middle|full|given|family|sur|user|file|company)$/.test(whose);
  const isOwn = columns.some(({ name }) => isIdName(name) && keyThing(name).join("_") === whose);
  return isTaken || isPart || isOwn ? undefined : whose;
}

/** Fewer rows differ in any text. */
const NAMED_ROWS = 5;
/** Share of rows that have to have a name of their own. */
const NAMED_SHARE = 0.9;
const NAME_CHARACTERS = { least: 4, most: 60 };
const NO_NAME =
  /mail|phone|telefon|fax|url|link|website|address|adresse|street|straße|note|comment|kommentar|zip|plz|date/;

/** Things with a number are called by the first text that nearly each of them has for itself: a customer by its company. */
function callByName(fields: readonly InferredField[], { rows }: Profile, thing: readonly string[]): void {
  const isNamed = fields.some(({ field }) => /(^|_)(name|title|label)$/.test(field.name));
  const texts = fields.filter(({ role }) => role === "text");
  const found = texts.find(
    ({ column }) =>
      column !== null &&
      rows >= NAMED_ROWS &&
      column.distinct >= rows * NAMED_SHARE &&
      column.length >= NAME_CHARACTERS.least &&
      column.length <= NAME_CHARACTERS.most &&
      !NO_NAME.test(column.name.toLowerCase()) &&
      !isCode(column.name),
  );
  if (isNamed || found === undefined) return;
  found.field.ai.synonyms.push("name", `${thing.join(" ")} name`);
}

/** What was told in parts is one date: only that has months in their order. */
function partedField({ name, sql, description }: PartedDate): InferredField {
  const { field } = momentField({ name, sql, description });
  return { field: { ...field, dataType: "Date" }, role: "date", column: null };
}

/** A day and a time of day in two columns are one moment: only that has hours. */
function momentField({
  name,
  sql,
  description,
}: Pick<Moment, "name" | "sql" | "description">): InferredField {
  const field: Field = {
    name,
    expression: expressionOf(sql),
    label: null,
    description,
    dataType: "DateTime",
    typeText: null,
    isTime: true,
    distinctValues: [],
    ai: aiOf([]),
    extensions: [],
  };
  return { field, role: "date", column: null };
}

function dateRank({ column, field }: InferredField, { dataset }: Profile): number {
  const name = column?.name ?? field.name;
  const words = partWords(name);
  const empty = column !== null && column.filled === 0 ? 10 : 0;
  if (words.some((word) => LATE_DATES.has(word))) return empty + (isCalled(name, dataset.name) ? 1 : 3);
  return empty + (isCalled(name, dataset.name) || words.some((word) => EARLY_DATES.has(word)) ? 0 : 2);
}

function fieldOf(
  column: ColumnProfile,
  role: Role,
  { name, heads }: { name: string; heads: readonly string[] },
  thing: readonly string[],
): Field {
  const words = longWords(column.name);
  const written = wordsOf(column.name);
  const label = words.join(" ");
  const starts = words.slice(0, thing.length).join(" ") === thing.join(" ");
  const rest = starts ? words.slice(thing.length) : words;
  const isBare = rest.length === 0 || (rest.length === 1 && BARE.has(rest[0] as string));
  const synonyms = [
    ...(written.join(" ") === label ? [] : [label]),
    ...(starts ? (isBare ? [] : [rest.join(" ")]) : [`${thing.join(" ")} ${label}`]),
    ...(column.kind === "number" && role !== "id" ? measuredBy(rest) : []),
    ...heads,
  ];
  const own = new Set([name.replaceAll("_", " ").toLowerCase()]);
  return {
    name,
    expression: expressionOf(sqlOf(column)),
    label: name === column.name && name === name.toLowerCase() ? null : labelOf(column.name, label),
    description: unitSaid(column),
    dataType: dataTypeOf(column),
    typeText: null,
    isTime: role === "date" ? true : tellsApart(column, role) ? false : null,
    distinctValues: [],
    ai: {
      ...aiOf([...new Set(synonyms)].filter((synonym) => !own.has(synonym))),
      ...(column.blank !== null && role === "text" && { more: { blank: column.blank } }),
    },
    extensions: [],
  };
}

function tellsApart(column: ColumnProfile, role: Role): boolean {
  return role === "text" || role === "flag" || role === "year" || (role === "id" && isNumbering(column));
}

/** What people wrote for people stays as it is; what was written for machines is put in words. */
function labelOf(name: string, words: string): string {
  const isForPeople = /^\p{Lu}/u.test(name) && !/_|\p{Ll}\p{Lu}/u.test(name.replace(/MwSt|kWh|GmbH/, ""));
  const isAcronym = /^\p{Lu}{2,4}$/u.test(name);
  return isAcronym || (isForPeople && /\p{Ll}/u.test(name)) ? name : capital(asWritten(words, name));
}

/** What a column is counted in, where its name says it in a way that the field's own does not. */
function unitSaid({ name, kind }: ColumnProfile): string | null {
  const unit = kind === "number" ? measureOf(name)?.unit : undefined;
  if (unit === undefined || measureOf(snakeOf(name))?.unit?.sign === unit.sign) return null;
  return `In ${unit.sign.trim()}`;
}

/** "US gross" and "IMDB rating" keep their capitals, unless all of a name is written in them. */
function asWritten(label: string, name: string): string {
  if (!/\p{Ll}/u.test(name)) return label;
  const capitals = name.match(/(?<!\p{L})\p{Lu}{2,5}(?!\p{L})/gu) ?? [];
  return capitals.reduce(
    (text, word) => text.replace(new RegExp(`(?<!\\p{L})${word.toLowerCase()}(?!\\p{L})`, "u"), word),
    label,
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function sqlOf(column: ColumnProfile): string {
  const name = quoteName(column.name);
  if (roleOf(column) === "flag" && isBit(column)) return `CAST(${name} AS BOOLEAN)`;
  if (isDigitDate(column))
    return `CAST(try_strptime(CAST(${name} AS VARCHAR), ['%Y%m%d', '%Y-%m-%d']) AS DATE)`;
  const own = column.padded > 0 ? `trim(${name})` : name;
  const text = column.isMixed ? `upper(left(${own}, 1)) || lower(substr(${own}, 2))` : own;
  if (column.blank !== null && !isDateText(column)) return `CASE WHEN NOT ${blankSql(name)} THEN ${text} END`;
  const isPlain = text === name && /^[a-z_][a-z0-9_]*$/.test(column.name);
  if (!isDateText(column)) return isPlain ? column.name : text;
  return `TRY_CAST(${name} AS ${column.times > 0 ? "TIMESTAMP" : "DATE"})`;
}

function dataTypeOf(column: ColumnProfile): DataType | null {
  if (isDateText(column) || isDigitDate(column)) return column.times > 0 ? "DateTime" : "Date";
  if (column.kind === "text") return "String";
  if (roleOf(column) === "flag") return "Boolean";
  if (column.kind === "date") {
    if (/^DATE$/i.test(column.type)) return "Date";
    return /TIME ZONE|TZ/i.test(column.type) ? "DateTimeTz" : "DateTime";
  }
  if (column.kind !== "number") return null;
  if (/INT/i.test(column.type)) return "Integer";
  return /^DEC/i.test(column.type) ? "Decimal" : "Float";
}

/** People are called by their whole name. */
function fullName(fields: readonly InferredField[], thing: readonly string[]): InferredField[] {
  const find = (...names: string[]) =>
    fields.find(
      ({ field, role }) =>
        role === "text" && names.some((name) => field.name.endsWith(name) || `${field.name}_name` === name),
    );
  const [first, last] = [
    find("first_name", "forename", "given_name", "fname"),
    find("last_name", "surname", "family_name", "lname"),
  ];
  if (first?.column == null || last?.column == null) return [];
  if (fields.some(({ field }) => field.name === "name" || field.name === "full_name")) return [];
  const sql = `concat_ws(' ', ${quoteName(first.column.name)}, ${quoteName(last.column.name)})`;
  const field: Field = {
    name: "full_name",
    expression: expressionOf(sql),
    label: "Full name",
    description: "First and last name",
    dataType: "String",
    typeText: null,
    isTime: false,
    distinctValues: [],
    ai: aiOf(["name", `${thing.join(" ")} name`]),
    extensions: [],
  };
  return [{ field, role: "text", column: null }];
}

/** A year is a date for whoever asks about a period, where there is no other date. */
function yearStart(fields: readonly InferredField[]): InferredField[] {
  if (fields.some(({ role }) => role === "date")) return [];
  const years = fields.filter(({ role }) => role === "year");
  const [year] = years;
  if (year?.column == null || years.length > 1) return [];
  const field: Field = {
    name: `${year.field.name}_start`,
    expression: expressionOf(`make_date(CAST(${quoteName(year.column.name)} AS INTEGER), 1, 1)`),
    label: null,
    description: `The first day of ${year.field.name}`,
    dataType: "Date",
    typeText: null,
    isTime: true,
    distinctValues: [],
    ai: aiOf([]),
    extensions: [],
  };
  return [{ field, role: "date", column: null }];
}

/** A date whose year, month and maybe day stand in columns of their own. */
interface PartedDate {
  name: string;
  sql: string;
  description: string;
  columns: ColumnProfile[];
  /** What each part is called for short: of an `arrival_date_year` "arrival year". */
  called: ReadonlyMap<ColumnProfile, string>;
}

const PARTS = {
  year: { named: /^(year|jahr)$/, least: 1_500, most: 2_200 },
  month: { named: /^(month|monat)$/, least: 1, most: 12 },
  day: { named: /^(day|tag)$/, least: 1, most: 31 },
} as const;

type Part = keyof typeof PARTS;

/** Dates in parts: columns that are called alike but for the year, the month and the day. */
function partedDates(columns: readonly ColumnProfile[]): PartedDate[] {
  const parts = columns.flatMap((column) => {
    const [part, own] = partOf(column) ?? [];
    return part === undefined || own === undefined ? [] : [{ part, own, column }];
  });
  const all = Map.groupBy(parts, ({ own }) => own.join(" "));
  return [...all.values()].flatMap((those): PartedDate[] => {
    const find = (wanted: Part) => those.filter(({ part }) => part === wanted).map(({ column }) => column);
    const [[year, ...years], [month, ...months], [day, ...days]] = [find("year"), find("month"), find("day")];
    if (year === undefined || month === undefined || years.length + months.length + days.length > 0)
      return [];
    const own = those[0]?.own ?? [];
    const whose = own.at(-1) === "date" ? own.slice(0, -1) : own;
    const text = (column: ColumnProfile) => `CAST(${quoteName(column.name)} AS VARCHAR)`;
    const written = [text(year), text(month), day === undefined ? "'1'" : text(day)].join(" || '-' || ");
    return [
      {
        name: [...whose, "date"].join("_"),
        sql: `CAST(try_strptime(${written}, ['%Y-%B-%d', '%Y-%b-%d', '%Y-%m-%d']) AS DATE)`,
        description: `Made of ${those.map(({ column }) => column.name).join(", ")}`,
        columns: those.map(({ column }) => column),
        called: new Map(those.map(({ part, column }) => [column, [...whose, part].join(" ")])),
      },
    ];
  });
}

/** Which part of a date a column is, and what is said before that in its name. */
function partOf(column: ColumnProfile): [Part, string[]] | undefined {
  const words = partWords(column.name);
  const last = words.at(-2) === "of" && words.at(-1) === "month" ? words.length - 3 : words.length - 1;
  const part = (Object.keys(PARTS) as Part[]).find((each) => PARTS[each].named.test(words[last] ?? ""));
  if (part === undefined || wordsOf(column.name).length !== words.length) return undefined;
  const { least, most } = PARTS[part];
  const { kind, isWhole, min, max, filled, months } = column;
  const isNumber = kind === "number" && isWhole && (min ?? 0) >= least && (max ?? most + 1) <= most;
  const isNamed = part === "month" && kind === "text" && filled > 0 && months === filled;
  return isNumber || isNamed ? [part, words.slice(0, last)] : undefined;
}

/** A day and the time of it, which stand in two columns. */
interface Moment {
  name: string;
  day: ColumnProfile;
  sql: string;
  description: string;
}

interface Known {
  field: { name: string; dataType: string | null };
  role: Role;
  column: ColumnProfile | null;
}

/** Days with their times of day: those that are called alike, or the only ones. */
function momentsOf(fields: readonly Known[], sqlOf: (column: ColumnProfile) => string): Moment[] {
  const columns = fields.flatMap(({ column }) => column ?? []);
  const days = fields.flatMap(({ role, field, column }) =>
    role === "date" && field.dataType === "Date" && column !== null ? [column] : [],
  );
  const times = columns.filter((column) => isTimeOfDay(column) || isHour(column));
  const isOnly = days.length === 1 && times.length === 1;
  return days.flatMap((day) => {
    const own = times.filter((time) => isOnly || isCalledAlike(day.name, time.name));
    const [time, ...others] = own;
    if (time === undefined || others.length > 0) return [];
    const sql = `${sqlOf(day)} + ${clockSql(time)}`;
    return [{ name: `${snakeOf(day.name)}_time`, day, sql, description: `${day.name} and ${time.name}` }];
  });
}

const LAST_HOUR = 23;

/** Whole numbers from 0 to 23 under the name of an hour. */
function isHour({ name, kind, isWhole, min, max }: ColumnProfile): boolean {
  const isNamed = /^(hour|hr|stunde|uhrzeit|std)$/.test(partWords(name).at(-1) ?? "");
  return isNamed && kind === "number" && isWhole && (min ?? -1) >= 0 && (max ?? LAST_HOUR + 1) <= LAST_HOUR;
}

/** `start_date` and `start_hour`: all but the last word. */
function isCalledAlike(day: string, time: string): boolean {
  const [a, b] = [partWords(day).slice(0, -1), partWords(time).slice(0, -1)];
  return a.length > 0 && a.join(" ") === b.join(" ");
}

/** By their form first: of 1:08 PM the engine itself would read only 1:08. */
function clockSql(column: ColumnProfile): string {
  const name = quoteName(column.name);
  if (isHour(column)) return `to_hours(CAST(${name} AS INTEGER))`;
  if (/^TIME$/i.test(column.type)) return name;
  const forms = ["%I:%M:%S %p", "%I:%M %p", "%I:%M:%S%p", "%I:%M%p"].map((form) => `'${form}'`).join(", ");
  return `coalesce(CAST(try_strptime(${name}, [${forms}]) AS TIME), TRY_CAST(${name} AS TIME))`;
}
