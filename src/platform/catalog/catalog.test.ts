import { sql } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { openTestCatalog } from "../../../test/support/database.ts";

const catalog = await openTestCatalog();
afterAll(() => catalog.close());

it("answers", async () => {
  expect(await catalog.ping()).toBeLessThan(1_000);
  const { rows } = await catalog.db.execute(sql`SELECT count(*)::int AS n FROM outbox_events`);
  expect(rows).toEqual([{ n: 0 }]);
});
