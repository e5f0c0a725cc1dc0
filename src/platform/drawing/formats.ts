/**
 * Formats stand in drawings by name, so that a drawing is plain JSON. `percent` is of a fraction, `percent:whole` of a
 * number that is one already, `money` has the code of its currency, `plain` is of years and other numbers that name
 * something: 1949, and not 1,949.
 */
export const FORMAT_NAME = /^(number|integer|plain|percent|percent:whole|money:[A-Z]{3})$/;

/** `compact` for axes, `short` (three digits) beside marks, `full` where there is room, `headline` for one large number. */
export type FormatStyle = "compact" | "short" | "full" | "headline";

/** Beyond these nobody counts digits. */
const SCIENTIFIC = 1e15;
const TINY = 1e-6;

/** Making one takes longer than a thousand uses. */
const kept = new Map<string, (value: number) => string>();
const MOST_KEPT = 500;

/** A number as people of a language read it; with so many decimals, or as many as suit it. */
export function formatter(
  name: string | undefined,
  style: FormatStyle,
  locale: string,
  decimals?: number,
): (value: number) => string {
  const key = `${name}/${style}/${locale}/${decimals}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const made = makeFormatter(name, style, locale, decimals);
  kept.set(key, made);
  return made;
}

function makeFormatter(
  name: string | undefined,
  style: FormatStyle,
  locale: string,
  decimals: number | undefined,
): (value: number) => string {
  const [kind = "number", detail] = (name ?? "number").split(":");
  const by = kind === "percent" && detail === "whole" ? 0.01 : 1;
  const unit: Intl.NumberFormatOptions =
    kind === "percent"
      ? { style: "percent" }
      : kind === "money"
        ? { style: "currency", currency: detail ?? "USD", currencyDisplay: "narrowSymbol" }
        : {};
  const make = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, { ...unit, ...options });
  const isShort = style === "compact" || style === "short";
  const usual = make(
    decimals === undefined
      ? digits(kind, style)
      : {
          ...(isShort && { notation: "compact" }),
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
        },
  );
  // A language that has no short word for thousands would show three digits and zeros in the place of the others.
  const hasWord = usual.formatToParts(5_000).some(({ type }) => type === "compact");
  const [whole, cents] = [make({ maximumFractionDigits: 0 }), make({ maximumFractionDigits: 2 })];
  const choose = (size: number) => {
    if (isShort && !hasWord && size >= 1_000 && size < 1e6) return whole;
    if (style !== "headline" || kind !== "number") return usual;
    return size >= 1_000 ? whole : size >= 1 ? cents : usual;
  };
  const scientific = make({ notation: "scientific", maximumFractionDigits: 2, minimumFractionDigits: 0 });
  return (value) => {
    const size = Math.abs(value);
    const isOdd = size >= SCIENTIFIC || (size > 0 && size < TINY);
    return (isOdd ? scientific : choose(size)).format(value * by).replace(/^-/, "−");
  };
}

function digits(kind: string, style: FormatStyle): Intl.NumberFormatOptions {
  if (kind === "plain") return { useGrouping: false };
  const few = { notation: "compact", trailingZeroDisplay: "stripIfInteger" } as const;
  if (style === "compact") return { ...few, maximumSignificantDigits: 4 };
  if (style === "short") return { ...few, maximumSignificantDigits: 3 };
  if (kind === "percent") return { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  if (kind === "integer") return { maximumFractionDigits: 0 };
  return kind === "money" ? {} : { maximumSignificantDigits: 6, roundingPriority: "morePrecision" };
}

/** Digits that a number of a table has where it has decimals at all. */
const TABLE_DIGITS = 6;

/** Writes the numbers of one column with as many decimals each, so that they stand below each other. */
export function columnFormatter(
  name: string | undefined,
  column: readonly unknown[],
  locale: string,
): (value: number) => string {
  const usual = formatter(name, "full", locale);
  if (name !== "number") return usual;
  const sizes = column
    .flatMap((value) => (typeof value === "number" && value !== 0 ? [Math.abs(value)] : []))
    .filter((size) => size >= TINY && size < SCIENTIFIC);
  if (sizes.length === 0) return usual;
  const [least, most] = sizes.reduce(
    ([low, high], size) => [Math.min(low, size), Math.max(high, size)],
    [Number.POSITIVE_INFINITY, 0],
  );
  const finest = Math.max(3, TABLE_DIGITS - 1 - Math.floor(Math.log10(most)));
  // Beside large numbers a very small one would read as zero.
  if (least < 10 ** -finest) return usual;
  const decimals = sizes.map((size) => `${Number(size.toFixed(finest))}`.split(".")[1]?.length ?? 0);
  return formatter(
    name,
    "full",
    locale,
    decimals.reduce((high, each) => Math.max(high, each), 0),
  );
}

/** Writes the values beside the marks of one chart: all millions with as many decimals, and so on. */
export function labelFormatter(
  name: string | undefined,
  values: readonly (number | null)[],
  locale: string,
): (value: number) => string {
  const short = formatter(name, "short", locale);
  const point = new Intl.NumberFormat(locale)
    .formatToParts(1.5)
    .find(({ type }) => type === "decimal")?.value;
  const read = (value: number) => {
    const text = short(value);
    const [whole = "", rest = ""] = text.split(point ?? ".");
    const digits = (part: string) => part.match(/^\D*?(\p{Nd}+)/u)?.[1]?.length ?? 0;
    return {
      unit: text.replaceAll(/[\p{Nd}\s.,٫٬'’−]/gu, ""),
      whole: digits(whole),
      decimals: rest === "" ? 0 : digits(rest),
    };
  };
  const own = read(1).unit;
  const units = Map.groupBy(
    values.flatMap((value) => (value === null ? [] : [{ value, ...read(value) }])),
    ({ unit }) => unit,
  );
  const writers = new Map(
    [...units].map(([unit, all]) => {
      const most = Math.max(...all.map(({ whole }) => whole));
      const decimals = Math.min(Math.max(...all.map((each) => each.decimals)), Math.max(1, 4 - most));
      if (decimals > 0 && unit === own && name?.startsWith("money"))
        return [unit, formatter(name, "full", locale)];
      const isLost = all.some(
        ({ value }) => value !== 0 && unit === own && Math.abs(value) < 10 ** -decimals,
      );
      return [unit, decimals === 0 || isLost ? short : formatter(name, "short", locale, decimals)];
    }),
  );
  return (value) => (writers.get(read(value).unit) ?? short)(value);
}

/** The language that was asked for, if it is one; texts of the server itself are in English. */
export function knownLocale(wanted: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(wanted)[0] ?? "en-US";
  } catch {
    return "en-US";
  }
}

/** Stands in an option for the function that writes a number, or the name of what is drawn. */
export interface FormatMarker {
  $format: string;
}

export function marker(name: string | undefined, style: FormatStyle): FormatMarker {
  return { $format: `${name ?? "number"}/${style}` };
}

/** Writes the name of a mark, whatever braces are in it: a template would take these for its own. */
export const NAME_MARKER: FormatMarker = { $format: "name" };

/** Writes as much of a name as the tile has room for. */
export const TILE_MARKER: FormatMarker = { $format: "tile" };

/** Stands for the function that chooses every n-th category, counted from one of them. */
export interface EveryMarker {
  $every: number;
  from: number;
}

/** An option with functions in the place of its markers, and without texts that would do harm. */
export function revive(option: unknown, locale: string, writeTile: (mark: unknown) => string): unknown {
  if (typeof option === "string") return harmless(option);
  if (Array.isArray(option)) return option.map((part) => revive(part, locale, writeTile));
  if (typeof option !== "object" || option === null) return option;
  if ("$format" in option && option.$format === TILE_MARKER.$format) return writeTile;
  if ("$format" in option) return functionOf(String(option.$format), locale);
  if ("$every" in option) {
    const { $every, from } = option as EveryMarker;
    return (index: number) => (index - from) % $every === 0;
  }
  return Object.fromEntries(
    Object.entries(option).map(([key, part]) => [key, revive(part, locale, writeTile)]),
  );
}

/**
 * ECharts looks texts up in plain objects that it keeps: "__proto__" would change the prototype of all objects, and with
 * it every later drawing, of whichever workspace.
 */
function harmless(text: string): string {
  return text in Object.prototype ? `${text} ` : text;
}

function functionOf(format: string, locale: string): (value: unknown) => string {
  if (format === "name") return (mark) => (mark as { name: string }).name;
  const [name, style] = format.split("/");
  const write = formatter(name, style as FormatStyle, locale);
  return (value) => {
    const number = typeof value === "object" && value !== null ? (value as { value: unknown }).value : value;
    return typeof number === "number" ? write(number) : "";
  };
}
