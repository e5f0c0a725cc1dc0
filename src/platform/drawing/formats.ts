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

/** A number as people of a language read it. */
export function formatter(
  name: string | undefined,
  style: FormatStyle,
  locale: string,
): (value: number) => string {
  const key = `${name}/${style}/${locale}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const made = makeFormatter(name, style, locale);
  kept.set(key, made);
  return made;
}

function makeFormatter(
  name: string | undefined,
  style: FormatStyle,
  locale: string,
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
  const usual = make(digits(kind, style));
  // A language that has no short word for thousands would show three digits and zeros in the place of the others.
  const isShort = style === "compact" || style === "short";
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

/** Stands for the function that chooses every n-th category, counted from one of them. */
export interface EveryMarker {
  $every: number;
  from: number;
}

/** An option with functions in the place of its markers, and without texts that would do harm. */
export function revive(option: unknown, locale: string): unknown {
  if (typeof option === "string") return harmless(option);
  if (Array.isArray(option)) return option.map((part) => revive(part, locale));
  if (typeof option !== "object" || option === null) return option;
  if ("$format" in option) return functionOf(String(option.$format), locale);
  if ("$every" in option) {
    const { $every, from } = option as EveryMarker;
    return (index: number) => (index - from) % $every === 0;
  }
  return Object.fromEntries(Object.entries(option).map(([key, part]) => [key, revive(part, locale)]));
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
