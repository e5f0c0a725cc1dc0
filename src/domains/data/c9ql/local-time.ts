import { Temporal } from "temporal-polyfill";
import { AppError } from "../../../kernel/errors.ts";

/** A moment as a calendar and a clock on the wall show it, without a zone. */
export type LocalTime = Temporal.PlainDateTime;

/** What the clock on the wall shows in a zone. */
export function localTime(instant: Date, timezone: string): LocalTime {
  try {
    return Temporal.Instant.fromEpochMilliseconds(instant.getTime())
      .toZonedDateTimeISO(timezone)
      .toPlainDateTime();
  } catch (cause) {
    throw new AppError("bad_request", `There is no time zone "${timezone}".`, {
      hint: 'Use an IANA name such as "Europe/Berlin" or "UTC".',
      cause,
    });
  }
}

/** The moment at which the clock on the wall shows this. Of two, the first; in a gap, the time after it. */
export function instantOf(local: LocalTime, timezone: string): Temporal.Instant {
  return local.toZonedDateTime(timezone).toInstant();
}

/** A calendar date with a time; undefined when there is no such day or time. */
export function calendarTime(fields: Temporal.PlainDateTimeLike): LocalTime | undefined {
  try {
    return Temporal.PlainDateTime.from(fields, { overflow: "reject" });
  } catch {
    return undefined;
  }
}

export function isMidnight(local: LocalTime): boolean {
  return local.toPlainTime().equals(new Temporal.PlainTime());
}

/** `2024-01-31`, as DuckDB reads it, which writes years of five digits without a sign. */
export function dateText(local: LocalTime): string {
  return local.toPlainDate().toString().replace(/^\+0/, "");
}

/** `2024-01-31 10:00:00.123456`, as DuckDB reads it. */
export function timestampText(local: LocalTime): string {
  const isWhole = local.millisecond === 0 && local.microsecond === 0;
  const clock = local.toPlainTime().toString({ fractionalSecondDigits: isWhole ? 0 : 6 });
  return `${dateText(local)} ${clock}`;
}
