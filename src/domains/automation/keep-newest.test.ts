import { bigint, pgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { createTestDatabase, silentLog } from "../../../test/support/database.ts";
import { openCatalog } from "../../platform/catalog/index.ts";
import { keepNewest } from "./scheduled.store.ts";

const things = pgTable("things", {
  id: bigint("id", { mode: "number" }).primaryKey(),
  ownerId: bigint("owner_id", { mode: "number" }).notNull(),
});

test("leaves the newest of each owner", async () => {
  const database = await createTestDatabase();
  const catalog = await openCatalog({ home: "", log: silentLog, databaseUrl: database.url });
  try {
    await catalog.pool.query("CREATE TABLE things (id bigint PRIMARY KEY, owner_id bigint NOT NULL)");
    await catalog.pool.query("INSERT INTO things SELECT n, n % 2 FROM generate_series(1, 7) AS n");
    await keepNewest(catalog, { table: things, id: things.id, owner: things.ownerId, kept: 2 });
    const { rows } = await catalog.pool.query<{ id: string }>("SELECT id FROM things ORDER BY id");
    expect(rows.map(({ id }) => Number(id))).toEqual([4, 5, 6, 7]);
  } finally {
    await catalog.close();
    await database.drop();
  }
});
