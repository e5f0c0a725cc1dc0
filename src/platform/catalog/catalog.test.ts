import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createTestDatabase, openTestCatalog, silentLog } from "../../../test/support/database.ts";
import { StallingProxy } from "../../../test/support/stalling-proxy.ts";
import { AppError } from "../../kernel/errors.ts";
import { isOutage, isUniqueViolation, openCatalog, pgCodeOf } from "./index.ts";

const catalog = await openTestCatalog();
afterAll(() => catalog.close());
await catalog.pool.query("CREATE TABLE note (id int PRIMARY KEY)");

const notes = async () =>
  (await catalog.pool.query<{ id: number }>("SELECT id FROM note ORDER BY id")).rows.map((row) => row.id);
const endOthers = () =>
  catalog.pool.query(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );

describe("a transaction", () => {
  it.each(["catalog.transaction", "db.transaction"])("is kept whole or not at all (%s)", async (door) => {
    const transaction =
      door === "db.transaction" ? catalog.db.transaction : catalog.transaction.bind(catalog);
    await catalog.pool.query("TRUNCATE note");
    await transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO note VALUES (1)`);
      await tx.execute(sql`INSERT INTO note VALUES (2)`);
    });
    const failed = transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO note VALUES (3)`);
      await tx.execute(sql`INSERT INTO note VALUES (1)`);
    });
    const error = await failed.catch((reason) => reason);
    expect(isUniqueViolation(error, "note_pkey")).toBe(true);
    expect(isUniqueViolation(error, "another")).toBe(false);
    expect(await notes()).toEqual([1, 2]);
  });

  it("throws what its work threw, also when its connection was lost, and gives the connection back", async () => {
    for (let round = 0; round < 30; round += 1) {
      const failed = catalog.transaction(async () => {
        await endOthers();
        throw new Error("what really happened");
      });
      await expect(failed).rejects.toThrow("what really happened");
    }
    expect(await catalog.ping()).toBeGreaterThan(0);
  });

  it("fails when its connection is lost before the commit, and changes nothing", async () => {
    await catalog.pool.query("TRUNCATE note");
    const failed = catalog.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO note VALUES (9)`);
      await endOthers();
    });
    await expect(failed).rejects.toThrow();
    expect(await notes()).toEqual([]);
  });
});

describe("what is done atomically", () => {
  const add = (id: number) => catalog.db.execute(sql`INSERT INTO note VALUES (${id})`);

  it("is kept as one, or not at all, whoever does it", async () => {
    await catalog.pool.query("TRUNCATE note");
    await catalog.atomically(async () => {
      await add(1);
      await catalog.transaction((tx) => tx.execute(sql`INSERT INTO note VALUES (2)`));
      expect(await notes()).toEqual([]);
    });
    expect(await notes()).toEqual([1, 2]);
    const failed = catalog.atomically(async () => {
      await catalog.transaction((tx) => tx.execute(sql`DELETE FROM note`));
      // What fails inside a transaction of its own leaves the rest as it is, until somebody lets it fail as well.
      await expect(
        catalog.transaction(async (tx) => {
          await tx.execute(sql`INSERT INTO note VALUES (5)`);
          throw new Error("inner");
        }),
      ).rejects.toThrow("inner");
      await add(6);
      throw new Error("outer");
    });
    await expect(failed).rejects.toThrow("outer");
    expect(await notes()).toEqual([1, 2]);
  });

  it("fails with a conflict when somebody else changes the same in between", async () => {
    await catalog.pool.query("TRUNCATE note; INSERT INTO note VALUES (1)");
    const failed = catalog.atomically(async () => {
      await catalog.db.execute(sql`SELECT id FROM note`);
      await catalog.pool.query("UPDATE note SET id = 2");
      await catalog.db.execute(sql`UPDATE note SET id = 3`);
    });
    await expect(failed).rejects.toThrow("Somebody else has changed the same thing");
    expect(await notes()).toEqual([2]);
  });

  it("has nothing to do with what goes on after it", async () => {
    await catalog.pool.query("TRUNCATE note");
    let later = Promise.resolve();
    await catalog.atomically(async () => {
      later = sleep(50).then(async () => void (await add(7)));
    });
    await later;
    expect(await notes()).toEqual([7]);
  });
});

describe("a lost connection", () => {
  it("is replaced while idle", async () => {
    await Promise.all(Array.from({ length: 8 }, () => catalog.ping()));
    await endOthers();
    await Promise.all(Array.from({ length: 8 }, () => catalog.ping()));
  });

  it("fails the query that was running on it, with the server's reason", async () => {
    const sleeping = catalog.pool.query("SELECT pg_sleep(30)").catch((error) => error);
    const isSleeping =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query = 'SELECT pg_sleep(30)'";
    await vi.waitFor(async () => expect((await catalog.pool.query(isSleeping)).rowCount).toBe(1), 20_000);
    await endOthers();
    const error = await sleeping;
    expect(pgCodeOf(error)).toBe("57P01");
    expect(isOutage(error)).toBe(true);
  });

  it("is not waited for after the catalog was closed", async () => {
    const database = await createTestDatabase();
    const closed = await openCatalog({ home: "", databaseUrl: database.url, log: silentLog });
    await closed.close();
    await closed.close();
    await expect(closed.ping()).rejects.toMatchObject({ code: "unavailable" });
    await database.drop();
  });
});

it("bounds how long a statement and an idle transaction may last", async () => {
  const { rows } = await catalog.pool.query(
    "SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle",
  );
  expect(rows).toEqual([{ statement: "1min", idle: "1min" }]);
});

describe("a server that hangs", () => {
  it("is given up on by a ping and by a close", async () => {
    const database = await createTestDatabase();
    const proxy = await StallingProxy.open(database.url);
    const hanging = await openCatalog({ home: "", databaseUrl: proxy.url, log: silentLog });
    await hanging.ping();
    proxy.stall();
    await expect(hanging.ping()).rejects.toMatchObject({ code: "unavailable" });
    const unheard = hanging.pool.query("SELECT 1").catch((error) => error);
    await hanging.close();
    expect(isOutage(await unheard)).toBe(true);
    proxy.close();
    await database.drop();
  });

  it("is not waited for longer than a statement may take", () => {
    expect(catalog.pool.options.query_timeout).toBe(65_000);
  });
});

describe("an outage", () => {
  const coded = (code: string, message = "", more: object = {}) =>
    Object.assign(new Error(message), { code, ...more });

  it.each([
    coded("EPIPE"),
    coded("ECONNRESET"),
    coded("57P01"),
    coded("57P03"),
    coded("08006"),
    coded("55000", 'database "x" is not currently accepting connections'),
    coded("ENOENT", "connect ENOENT", { syscall: "connect" }),
    new Error("Connection terminated unexpectedly"),
    new Error("Query read timeout"),
    new AppError("unavailable", "away"),
  ])("is %s, however deep", (error) => {
    expect(isOutage(error)).toBe(true);
    expect(isOutage(new Error("Failed query", { cause: error }))).toBe(true);
  });

  it.each([
    coded("23505"),
    coded("55000", "currval is not yet defined"),
    coded("ENOENT", "open", { syscall: "open" }),
    new Error("Failed"),
    new AppError("conflict", "taken", { cause: coded("EPIPE") }),
    "EPIPE",
    undefined,
  ])("is not %s", (error) => {
    expect(isOutage(error)).toBe(false);
  });
});
