import { type AnyPgColumn, bigint, timestamp } from "drizzle-orm/pg-core";

/** Columns as most tables have them. */
export const id = () => whole("id").primaryKey().generatedAlwaysAsIdentity();
export const whole = (name: string) => bigint(name, { mode: "number" });
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** A reference to what the row is a part of, and goes with. */
export const partOf = (name: string, owner: () => AnyPgColumn) =>
  whole(name).notNull().references(owner, { onDelete: "cascade" });
