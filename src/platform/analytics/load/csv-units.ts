import { quoteText } from "../../../kernel/sql-text.ts";

/** A mark that every value of a column has beside its number. */
export type Unit = "%" | "$" | "€" | "£" | "¥" | "₹";

const UNITS: readonly Unit[] = ["%", "$", "€", "£", "¥", "₹"];
const DIGITS = "[0-9.,][0-9.,' \u00a0\u202f\u2019]*";

/** For JavaScript and for DuckDB. An amount in brackets is negative. */
function pattern(unit: Unit): string {
  if (unit === "%") return `[+-]?${DIGITS}%`;
  return `[+-]?[${unit}] ?-?${DIGITS}|[+-]?${DIGITS}[${unit}]|[(][${unit}] ?${DIGITS}[)]`;
}

/** The unit that all of these values have. */
export function unitOf(values: readonly string[]): Unit | undefined {
  const [first = ""] = values;
  const unit = UNITS.find((each) => first.includes(each));
  if (unit === undefined) return undefined;
  const whole = new RegExp(`^(?:${pattern(unit)})$`);
  return values.every((value) => whole.test(value)) ? unit : undefined;
}

/** SQL for the number without its unit. What lacks the unit turns into something that is no number. */
export function withoutUnit(column: string, unit: Unit): string {
  const text = `trim(${column})`;
  const bare = `trim(replace(${text}, ${quoteText(unit)}, ''))`;
  return `CASE WHEN ${column} IS NULL THEN NULL
    WHEN NOT regexp_full_match(${text}, ${quoteText(pattern(unit))}) THEN concat('? ', ${column})
    WHEN starts_with(${text}, '(') THEN concat('-', trim(trim(${bare}, '()')))
    ELSE ${bare} END`;
}

/** A value as it stands in the file and as it is read, to show what became of the unit. */
export function exampleOf(unit: Unit): string {
  return unit === "%" ? "12% is 12" : `${unit}12 is 12`;
}
