import {
  type DuckDBArrayType,
  type DuckDBDataChunk,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBIntervalValue,
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBResult,
  type DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBUnionType,
  type DuckDBUnionValue,
  type DuckDBValue,
  JsonDuckDBValueConverter,
  ResultReturnType,
} from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { withoutFloatNoise } from "../../../kernel/values.ts";
import type { Column, JsonValue } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import { plainName } from "./exact-sums.ts";

export interface JsonRows {
  /** A JSON array of arrays, in UTF-8. */
  json: Uint8Array;
  rows: number;
  /** What ended this batch: the result itself or a limit; too many values count as too many bytes. */
  end: "done" | "rows" | "bytes";
}

/** A result that ended with an error. The binding has no words for it: to be found out by whoever catches this. */
export class BrokenResult extends Error {}

/** Takes rows out of a streaming result, as many as a limit lets pass; the rest waits for the next call. */
export class ResultReader {
  readonly columns: Column[];
  readonly #result: DuckDBResult;
  readonly #convert: ToJson[];
  /** What the names of the columns add to a row that is shown as an object. */
  readonly #nameBytes: number;
  /** Whether a number was none so far. */
  hasNaN = false;
  #waiting: string[] = [];
  #next = 0;
  #isDone = false;

  /** Computed numbers are told without the traces of binary fractions; stored ones are what they are. */
  constructor(result: DuckDBResult, { isComputed = false }: { isComputed?: boolean } = {}) {
    this.#result = result;
    const types = result.columnTypes();
    this.columns = result
      .deduplicatedColumnNames()
      .map((name, index) => ({ name: isComputed ? plainName(name) : name, type: typeName(types[index]!) }));
    this.#convert = types.map((type) => jsonConverter(type, isComputed));
    this.#nameBytes = Buffer.byteLength(this.columns.map(({ name }) => JSON.stringify(name)).join(":"));
  }

  /** A batch of a stream holds at least one row, or the stream would never get past a large one. */
  async read(limits: { rows: number; bytes: number }, isStream: boolean): Promise<JsonRows> {
    const taken: string[] = [];
    const mostRows = isStream ? Infinity : LIMITS.analytics.resultValues / Math.max(1, this.columns.length);
    const nameBytes = isStream ? 0 : this.#nameBytes;
    let bytes = 2;
    for (;;) {
      for (; this.#next < this.#waiting.length; this.#next += 1) {
        const row = this.#waiting[this.#next]!;
        if (taken.length >= limits.rows) return encode(taken, "rows");
        if (taken.length + 1 > mostRows) return encode(taken, "bytes");
        bytes += Buffer.byteLength(row) + 1 + nameBytes;
        if (bytes > limits.bytes && (!isStream || taken.length > 0)) return encode(taken, "bytes");
        if (bytes > LIMITS.analytics.resultMaxBytes) throw rowTooLarge();
        taken.push(row);
      }
      if (this.#isDone) return encode(taken, "done");
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const chunk = await this.#result.fetchChunk();
    this.#next = 0;
    this.#isDone = chunk === null || chunk.rowCount === 0;
    // An error in the middle looks like the end of the rows, but for this.
    if (this.#isDone && this.#result.returnType === ResultReturnType.INVALID) throw new BrokenResult();
    // The last chunk has no rows, and no columns either.
    this.#waiting = chunk === null || this.#isDone ? [] : this.#rowsOf(chunk);
  }

  #rowsOf(chunk: DuckDBDataChunk): string[] {
    const { rowCount } = chunk;
    const rows: JsonValue[][] = Array.from({ length: rowCount }, () => []);
    for (const [index, convert] of this.#convert.entries()) {
      const vector = chunk.getColumnVector(index);
      for (let row = 0; row < rowCount; row += 1) {
        const value = vector.getItem(row);
        if (Number.isNaN(value)) this.hasNaN = true;
        rows[row]!.push(convert(value));
      }
    }
    return rows.map((row) => JSON.stringify(row));
  }
}

function rowTooLarge(): AppError {
  const most = LIMITS.analytics.resultMaxBytes.toLocaleString("en");
  return new AppError("too_large", `A single row is larger than ${most} bytes.`);
}

function encode(rows: readonly string[], end: JsonRows["end"]): JsonRows {
  return { json: Buffer.from(`[${rows.join(",")}]`), rows: rows.length, end };
}

/**
 * What DuckDB's values become in JSON. Nothing is lost without a sign:
 * - integers and decimals are numbers as long as a number holds them exactly (2^53, 15 digits), else text;
 * - doubles keep all digits where they are stored; what was computed has 15, the most that one holds for certain;
 * - NaN and the infinities are the texts "NaN", "Infinity", "-Infinity", which null would hide;
 * - dates and times are ISO 8601; a timestamp with time zone ends in Z, one without has no zone;
 * - intervals are ISO 8601 durations; bytes are base64;
 * - lists and structs nest; a map with text keys is an object, any other one a list of {key, value};
 * - JSON columns nest as what they contain; numbers in them that a number does not hold are text here, too.
 */
type ToJson = (value: DuckDBValue) => JsonValue;

/** `isComputed`: numbers are results, and lose the traces of binary fractions. */
function jsonConverter(type: DuckDBType, isComputed = false): ToJson {
  const convert = converterOf(type, isComputed);
  return (value) => (value === null ? null : convert(value));
}

/** DuckDB's text for a type; the binding's own calls JSON what it is made of. */
function typeName(type: DuckDBType): string {
  switch (type.typeId) {
    case DuckDBTypeId.VARCHAR:
      return type.alias ?? "VARCHAR";
    case DuckDBTypeId.LIST:
      return `${typeName((type as DuckDBListType).valueType)}[]`;
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType;
      const fields = entryNames.map((name, index) => `${quoteName(name)} ${typeName(entryTypes[index]!)}`);
      return `STRUCT(${fields.join(", ")})`;
    }
    case DuckDBTypeId.MAP: {
      const { keyType, valueType } = type as DuckDBMapType;
      return `MAP(${typeName(keyType)}, ${typeName(valueType)})`;
    }
    default:
      return type.toString();
  }
}

function converterOf(type: DuckDBType, isComputed: boolean): ToJson {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
      return (value) => value as number | boolean;
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.BIGNUM:
      return (value) => integerToJson(value as bigint);
    case DuckDBTypeId.FLOAT:
      return (value) => floatToJson(value as number);
    case DuckDBTypeId.DOUBLE:
      return isComputed
        ? (value) => doubleToJson(withoutFloatNoise(value as number))
        : (value) => doubleToJson(value as number);
    case DuckDBTypeId.DECIMAL:
      return (value) => decimalToJson(value as DuckDBDecimalValue);
    case DuckDBTypeId.VARCHAR:
      return type.alias === "JSON" ? jsonTextToJson : (value) => value as string;
    case DuckDBTypeId.BLOB:
    case DuckDBTypeId.GEOMETRY:
      return (value) => Buffer.from((value as unknown as { bytes: Uint8Array }).bytes).toString("base64");
    default:
      return timeConverter(type) ?? nestedConverter(type, isComputed) ?? fallback(type);
  }
}

function timeConverter(type: DuckDBType): ToJson | undefined {
  switch (type.typeId) {
    case DuckDBTypeId.DATE:
      return (value) => dateToJson(value as DuckDBDateValue);
    case DuckDBTypeId.TIMESTAMP:
      return (value) => microsToIso((value as { micros: bigint }).micros, "");
    case DuckDBTypeId.TIMESTAMP_TZ:
      return (value) => microsToIso((value as { micros: bigint }).micros, "Z");
    case DuckDBTypeId.TIMESTAMP_S:
      return (value) => microsToIso((value as { seconds: bigint }).seconds * 1_000_000n, "");
    case DuckDBTypeId.TIMESTAMP_MS:
      return (value) => microsToIso((value as unknown as { millis: bigint }).millis * 1_000n, "");
    case DuckDBTypeId.TIMESTAMP_NS:
      return (value) => nanosToIso((value as { nanos: bigint }).nanos);
    case DuckDBTypeId.INTERVAL:
      return (value) => intervalToIso(value as DuckDBIntervalValue);
    default:
      return undefined;
  }
}

function nestedConverter(type: DuckDBType, isComputed: boolean): ToJson | undefined {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY: {
      const item = jsonConverter((type as DuckDBListType | DuckDBArrayType).valueType, isComputed);
      return (value) => (value as { items: readonly DuckDBValue[] }).items.map(item);
    }
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType;
      const fields = entryNames.map((name, index) => ({
        name,
        convert: jsonConverter(entryTypes[index]!, isComputed),
      }));
      return (value) => {
        const { entries } = value as { entries: Readonly<Record<string, DuckDBValue>> };
        // Own fields even for the name `__proto__`.
        return Object.fromEntries(
          fields.map(({ name, convert }) => [
            name,
            Object.hasOwn(entries, name) ? convert(entries[name]!) : null,
          ]),
        );
      };
    }
    case DuckDBTypeId.MAP:
      return mapConverter(type as DuckDBMapType, isComputed);
    case DuckDBTypeId.UNION: {
      const { memberTags, memberTypes } = type as DuckDBUnionType;
      const members = new Map(
        memberTags.map((tag, index) => [tag, jsonConverter(memberTypes[index]!, isComputed)]),
      );
      return (value) => {
        const { tag, value: member } = value as DuckDBUnionValue;
        return members.get(tag)?.(member) ?? null;
      };
    }
    default:
      return undefined;
  }
}

function mapConverter({ keyType, valueType }: DuckDBMapType, isComputed: boolean): ToJson {
  const key = jsonConverter(keyType);
  const item = jsonConverter(valueType, isComputed);
  const hasTextKeys = keyType.typeId === DuckDBTypeId.VARCHAR;
  return (map) => {
    const { entries } = map as DuckDBMapValue;
    if (hasTextKeys)
      return Object.fromEntries(entries.map((entry) => [String(entry.key), item(entry.value)]));
    return entries.map((entry) => ({ key: key(entry.key), value: item(entry.value) }));
  };
}

function fallback(type: DuckDBType): ToJson {
  return (value) => JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter) as JsonValue;
}

function integerToJson(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function doubleToJson(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

/** The shortest text that is the same 32-bit number: 0.1, not 0.10000000149011612. */
function floatToJson(value: number): JsonValue {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

const EXACT_DECIMAL = 10n ** 15n;

function decimalToJson(decimal: DuckDBDecimalValue): JsonValue {
  const { value } = decimal;
  return value < EXACT_DECIMAL && value > -EXACT_DECIMAL ? Number(decimal.toString()) : decimal.toString();
}

/** More digits than any DOUBLE has, or an exponent that may be beyond one. In a text it does no harm. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]\+?\d{3}/;
const DOUBLE_DIGITS = 17;

function jsonTextToJson(value: DuckDBValue): JsonValue {
  const text = value as string;
  try {
    if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
    return JSON.parse(text, ((_key: string, held: unknown, { source = "" }: { source?: string }) =>
      typeof held === "number" && !isHeld(held, source) ? source : held) as (
      key: string,
      held: unknown,
    ) => unknown) as JsonValue;
  } catch {
    return value as string;
  }
}

function isHeld(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const [mantissa = ""] = source.toLowerCase().split("e");
  const digits = mantissa.replace(/\D/g, "").replace(/^0+|0+$/g, "");
  return Number.isFinite(value) && digits.length <= DOUBLE_DIGITS;
}

const DAY_MS = 86_400_000;
/** Beyond what JavaScript's dates hold there are only DuckDB's infinities and years that nobody means. */
const LAST_DATE_DAYS = 100_000_000;
const LAST_DATE_MICROS = 8_640_000_000_000_000_000n;

function dateToJson({ days }: DuckDBDateValue): JsonValue {
  if (Math.abs(days) > LAST_DATE_DAYS) return days > 0 ? "infinity" : "-infinity";
  return dayText(days);
}

/** Results have many rows and few days. */
const dayTexts = new Map<number, string>();
const KEPT_DAYS = 50_000;

function dayText(days: number): string {
  const known = dayTexts.get(days);
  if (known !== undefined) return known;
  const text = new Date(days * DAY_MS).toISOString().slice(0, -14);
  if (dayTexts.size >= KEPT_DAYS) dayTexts.clear();
  dayTexts.set(days, text);
  return text;
}

function microsToIso(micros: bigint, zone: "" | "Z"): string {
  if (micros > LAST_DATE_MICROS) return "infinity";
  if (micros < -LAST_DATE_MICROS) return "-infinity";
  const remainder = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((micros - remainder) / 1_000_000n);
  return `${secondsToIso(seconds)}${fraction(remainder, 6)}${zone}`;
}

function nanosToIso(nanos: bigint): string {
  const remainder = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return `${secondsToIso(Number((nanos - remainder) / 1_000_000_000n))}${fraction(remainder, 9)}`;
}

const DAY_SECONDS = 86_400;

function secondsToIso(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const [hours, minutes] = [Math.floor(rest / 3_600), Math.floor(rest / 60) % 60];
  return `${dayText(days)}T${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(rest % 60)}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

function fraction(remainder: bigint, digits: number): string {
  if (remainder === 0n) return "";
  return `.${remainder.toString().padStart(digits, "0").replace(/0+$/, "")}`;
}

function intervalToIso({ months, days, micros }: DuckDBIntervalValue): string {
  const remainder = micros % 1_000_000n;
  const seconds = (micros - remainder) / 1_000_000n;
  const sign = micros < 0n ? "-" : "";
  const size = seconds < 0n ? -seconds : seconds;
  const tail = fraction(remainder < 0n ? -remainder : remainder, 6);
  const date = [
    [Math.trunc(months / 12), "Y"],
    [months % 12, "M"],
    [days, "D"],
  ] as const;
  const dateText = date.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("");
  if (micros === 0n) return `P${dateText === "" ? "0D" : dateText}`;
  const [hours, minutes, rest] = [size / 3_600n, (size / 60n) % 60n, size % 60n];
  const hourText = hours === 0n ? "" : `${sign}${hours}H`;
  const minuteText = minutes === 0n ? "" : `${sign}${minutes}M`;
  const secondText = rest === 0n && tail === "" ? "" : `${sign}${rest}${tail}S`;
  return `P${dateText}T${hourText}${minuteText}${secondText}`;
}
