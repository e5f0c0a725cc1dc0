import { z } from "zod";
import { isTimeZone } from "../../kernel/time.ts";
import { LIMITS } from "./limits.ts";

export const UNITS = ["minutes", "hours", "days", "weeks", "months"] as const;
export type Unit = (typeof UNITS)[number];

/** When something is to happen again and again. Days, weeks and months go by what clocks in the zone show. */
export interface Rule {
  unit: Unit;
  every: number;
  /** `HH:mm`; minutes and hours are counted from it. */
  time: string;
  /** IANA name. */
  zone: string;
  /** 1 is Monday; of weeks only. The anchor's day if it is left out. */
  weekday?: number | undefined;
  /** Of months only; in a month without that day it is its last one. The anchor's day if it is left out. */
  monthday?: number | undefined;
  /** Where counting begins: every occurrence is a number of steps from its day. */
  anchor: Date;
}

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 08:00");

export const timeZoneName = z
  .string()
  .refine(isTimeZone, "must be the IANA name of a time zone, such as Europe/Berlin");

export const ruleShape = z.strictObject({
  unit: z.enum(UNITS),
  every: z.int().min(1).max(LIMITS.schedules.every),
  time: timeOfDay,
  zone: timeZoneName,
  weekday: z.int().min(1).max(7).optional(),
  monthday: z.int().min(1).max(31).optional(),
  anchor: z.date(),
});
