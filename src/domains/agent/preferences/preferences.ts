import { z } from "zod";
import { isTimeZone } from "../../../kernel/time.ts";

/** Periods that can be chosen once for all questions that name none. */
const TIME_PERIODS = [
  "last_7_days",
  "last_30_days",
  "last_90_days",
  "current_month",
  "current_quarter",
  "current_year",
  "last_month",
  "last_quarter",
  "last_year",
  "last_12_months",
  "year_to_date",
  "all_time",
] as const;

const name = z.string().trim().min(1).max(120);

/** What a member can choose, by the names of the settings API. */
export const PREFERENCES = {
  defaultTimePeriod: z.enum(TIME_PERIODS),
  highValueThreshold: z.number().positive().max(1e15),
  /** The metric that the threshold is of. */
  highValueMetric: name,
  fiscalYearStartMonth: z.int().min(1).max(12),
  weekStart: z.enum(["monday", "sunday", "saturday"]),
  timeZone: z.string().max(60).refine(isTimeZone, "must be a time zone by its name, such as Europe/Berlin"),
  preferredRegion: name,
  defaultProvider: name,
} as const;

export type Preferences = { [Name in keyof typeof PREFERENCES]?: z.output<(typeof PREFERENCES)[Name]> };

/** Null takes a choice back. */
export type PreferencesPatch = { [Name in keyof Preferences]?: Preferences[Name] | null };
