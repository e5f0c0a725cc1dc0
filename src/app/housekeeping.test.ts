import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, silentLog, type TestDatabase } from "../../test/support/database.ts";
import { TestClock } from "../../test/support/identity.ts";
import { MS } from "../kernel/time.ts";
import { type Catalog, openCatalog } from "../platform/catalog/index.ts";
import { homeStamp } from "./home/home.tables.ts";
import { Housekeeping, type HousekeepingParts } from "./housekeeping.ts";

let database: TestDatabase;
let catalog: Catalog;
beforeAll(async () => {
  database = await createTestDatabase();
  catalog = await openCatalog({ home: "", databaseUrl: database.url, log: silentLog });
  await catalog.db.insert(homeStamp).values({ storeId: "s", secretId: "s" });
});
afterAll(async () => {
  await catalog.close();
  await database.drop();
});

it("clears nothing away for a day when the clock has leapt ahead, and does not wait for ever", async () => {
  const clock = new TestClock();
  const done: string[] = [];
  const warnings: string[] = [];
  let uptimeMs = 0;
  const keeperOf = (more: Partial<HousekeepingParts> = {}) =>
    new Housekeeping({
      catalog,
      clock,
      log: { warn: (_: object, message: string) => void warnings.push(message) } as never,
      slices: [{ services: {}, sweep: async () => void done.push("slice") }],
      others: [{ sweep: async () => void done.push("other") }],
      everyMs: MS.day,
      uptimeMs: () => uptimeMs,
      ...more,
    });
  const keeper = keeperOf();
  await keeper.sweep();
  clock.advance(2 * MS.day);
  await keeper.sweep();
  expect(done.splice(0)).toEqual(["other", "slice", "other", "slice"]);
  // As after a start with a clock that is years ahead, and when it is set right again.
  clock.advance(800 * MS.day);
  const later = keeperOf();
  for (let n = 0; n < 2; n += 1) await later.sweep();
  expect(done.splice(0)).toEqual(["other", "other"]);
  expect(warnings).toEqual([expect.stringContaining("nothing old is cleared away")]);
  clock.advance(-800 * MS.day);
  await later.sweep();
  expect(done.splice(0)).toEqual(["other", "slice"]);
  clock.advance(800 * MS.day);
  await later.sweep();
  uptimeMs += MS.day + 1;
  await later.sweep();
  expect(done.splice(0)).toEqual(["other", "other", "slice"]);
});

it("goes on while calls are answered, and a stop waits for the piece that is under way", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const seen: string[] = [];
  const keeper = new Housekeeping({
    catalog,
    clock: new TestClock(),
    log: { warn: () => undefined } as never,
    slices: [
      {
        services: {},
        start: async (stopping) => {
          seen.push("first");
          stopping.addEventListener("abort", () => release());
          await held;
        },
      },
      { services: {}, start: async () => void seen.push("second") },
    ],
    others: [],
    everyMs: MS.day,
  });
  keeper.begin();
  await expect.poll(() => seen).toEqual(["first"]);
  await keeper.stop();
  expect(seen).toEqual(["first"]);
});
