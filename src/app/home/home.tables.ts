import { pgTable, smallint, text } from "drizzle-orm/pg-core";
import { moment, whole } from "../../platform/catalog/columns.tables.ts";

/** One row: which home this database belongs to, so that no server works on it with another one. */
export const homeStamp = pgTable("home_stamp", {
  id: smallint("id").primaryKey().default(1),
  /** Of the storage in which the files lie that the other tables refer to. */
  storeId: text("store_id").notNull(),
  /** Of the root secret that other tables' secrets are sealed with. */
  secretId: text("secret_id").notNull(),
  /** Of the last start: a copy of the home from before it must not be used any more. */
  generation: text("generation"),
  /** Parts of datasets up to this id need not be there: the operator gave them up. */
  givenUpPartId: whole("given_up_part_id").notNull().default(0),
  /** What the clock said when it was last looked at, by the server that clears away what is too old. */
  seenAt: moment("seen_at"),
  /** The address of a proxy through which requests came and which is not trusted to say from whom. */
  untrustedProxy: text("untrusted_proxy"),
  /** Written by whoever wants to know whether the database can be written. */
  checkedAt: moment("checked_at").notNull().defaultNow(),
});
