import { quoteName } from "../../../kernel/sql-text.ts";
import { partWords, snakeOf } from "./name-words.ts";
import type { ColumnProfile } from "./profile.ts";
import { isTimeOfDay, type Role } from "./roles.ts";

/** A day and the time of it, which stand in two columns. */
export interface Moment {
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
export function momentsOf(fields: readonly Known[], sqlOf: (column: ColumnProfile) => string): Moment[] {
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
