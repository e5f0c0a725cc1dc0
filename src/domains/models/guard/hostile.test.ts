import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import {
  FUNCTION_PLACES,
  KINDS,
  SCALAR_FUNCTIONS,
  TABLE_FUNCTIONS,
} from "../../../../test/support/guard-statements/hostile-functions.ts";
import { SCOPES, SOURCE_PLACES, SOURCES } from "../../../../test/support/guard-statements/hostile-sources.ts";
import {
  EXPLAINED,
  EXPLAINS,
  MALFORMED,
  NOTHING,
  OTHER_STATEMENTS,
  SEVERAL,
  TOO_MUCH,
} from "../../../../test/support/guard-statements/hostile-statements.ts";
import { isAppError } from "../../../kernel/errors.ts";
import { type Guarded, guardSql } from "./guard.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

function guard(sql: string): Promise<Guarded> {
  const datasets = ["orders", "customers"];
  return guardSql(sql, { datasets, serialize: (text) => analytics.serializeSql(text) });
}

const tried = new Set<string>();

/** Why a statement is refused; the statement itself when it is not. */
async function reasonFor(sql: string): Promise<unknown> {
  tried.add(sql);
  try {
    await guard(sql);
    return `passed: ${sql.slice(0, 200)}`;
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.message.length, sql).toBeGreaterThan(5);
    return error.data.reason;
  }
}

async function expectAll(
  places: readonly ((thing: string) => string)[],
  thing: string,
  reasons: readonly string[],
): Promise<void> {
  await Promise.all(
    places.map(async (place) => expect(reasons, place(thing)).toContain(await reasonFor(place(thing)))),
  );
}

describe("the guard refuses", () => {
  it.each(OTHER_STATEMENTS)("%s", async (sql) => {
    expect(["statement", "syntax"]).toContain(await reasonFor(sql));
  });
  it.each(SEVERAL)("several statements: %j", async (sql) => expect(await reasonFor(sql)).toBe("statements"));
  it.each(NOTHING)("nothing: %j", async (sql) => expect(await reasonFor(sql)).toBe("empty"));
  it.each(EXPLAINS)("%j", async (sql) => expect(await reasonFor(sql)).toBe("explain"));
  it.each(SCOPES)("%s", async (sql) => expect(await reasonFor(sql)).toBe("table"));
  it.each([...EXPLAINED, ...KINDS])("%s", async (sql, reason) => expect(await reasonFor(sql)).toBe(reason));
  it.each(TOO_MUCH.map(([sql, reason]) => ({ sql, start: sql.slice(0, 20), reason })))(
    "$start, for $reason",
    async ({ sql, reason }) => expect(await reasonFor(sql)).toBe(reason),
  );

  it.each(MALFORMED)("%j, in the parser's own words", async (sql) => {
    expect(await reasonFor(sql)).toBe("syntax");
    const parsed = await analytics.serializeSql(sql);
    const words = parsed.ok ? "" : parsed.message;
    await expect(guard(sql)).rejects.toThrow(words);
    expect(words).not.toBe("");
  });
});

describe("the guard refuses to select from", () => {
  it.each(SOURCES)("%s, wherever it stands", async (source) => {
    // A file's name as text can stand in a FROM only; elsewhere it is not SQL at all.
    await expectAll(SOURCE_PLACES, source, ["table", "syntax"]);
    expect(await reasonFor(`SELECT * FROM ${source}`), source).toMatch(/table|syntax/);
  });

  it.each(TABLE_FUNCTIONS)("%s, wherever it stands", async (call) => {
    await expectAll(SOURCE_PLACES, call, ["table_function", "table", "syntax"]);
  });
});

describe("the guard refuses to call", () => {
  it.each(SCALAR_FUNCTIONS)("%s, wherever it stands", async (call) => {
    await expectAll(FUNCTION_PLACES, call, ["function", "syntax"]);
    expect(await reasonFor(`SELECT ${call} FROM orders`)).toBe("function");
  });
});

describe("the places of the tests", () => {
  it.each(SOURCE_PLACES.map((place) => place("orders")))("are SQL: %s", async (sql) => {
    expect(await guard(sql)).toMatchObject({ datasets: expect.arrayContaining(["orders"]) });
  });
  it.each(FUNCTION_PLACES.map((place) => place("lower('x')")))("are SQL: %s", async (sql) => {
    expect(await guard(sql)).toMatchObject({ sql: expect.any(String) });
  });
});

describe("the guard's reasons", () => {
  it("are for thousands of statements, hundreds of them different in kind", () => {
    const kinds = [
      OTHER_STATEMENTS,
      SEVERAL,
      NOTHING,
      EXPLAINS,
      EXPLAINED,
      SCOPES,
      KINDS,
      MALFORMED,
      TOO_MUCH,
    ];
    const single = [...kinds, SOURCES, TABLE_FUNCTIONS, SCALAR_FUNCTIONS].reduce(
      (sum, list) => sum + list.length,
      0,
    );
    expect(single).toBeGreaterThan(300);
    expect(tried.size).toBeGreaterThan(5_000);
  });

  it.each([
    ["SELECT * FROM oders", /no dataset "oders"/, /Did you mean "orders"/],
    ["SELECT * FROM zebra", /no dataset "zebra"/, /"orders", "customers"/],
    ["SELECT lenght(region) FROM orders", /function lenght is not known/, /Did you mean length/],
    ["SELECT getenv('HOME')", /getenv is not allowed, because it tells about the engine/, /columns/],
    ["SELECT * FROM main.orders", /main belongs to the engine/, /names alone/],
    ["SELECT * FROM sales.orders", /sales\.orders names a schema/, /Write "orders" alone/],
    ["SELECT * FROM 'x.csv'", /files cannot be read/, /datasets are/],
    ["SELECT 1::STRIN", /no type strin/i, /Types are|Did you mean/],
    ["PIVOT orders ON region USING sum(amount)", /Only SELECT/, /PIVOT needs its values/],
    ["INSERT INTO orders VALUES (1)", /^Only SELECT statements are allowed\.$/, /^Send one SELECT\.$/],
    ["SELECT * FROM glob('*')", /table function glob/, /allowed are (?!.*(?:from_json|values)).*unnest/],
    ["SELECT nvl(region, '') FROM orders", /function nvl is not known/, /write coalesce\(x, y\)/],
    ["SELECT user FROM orders", /^user is not allowed/, /needs its table before/],
    ["SUMMARIZE orders", /SHOW_REF/, /get_datasets/],
    ["SELECT $a", /\$a is no parameter/, /\$1, \$2/],
  ])("%s: helps to do better", async (sql, message, hint) => {
    await expect(guard(sql)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it.each([
    ["SELECT * FORM orders", "LINE 1: SELECT * FORM orders\n                      ^"],
    ["SELECT id\nFROM orders\nWHERE 'é' = ('x'", "LINE 3: WHERE 'é' = ('x'\n                        ^"],
    ["EXPLAIN SELECT '🙂', id FRM orders, o", "LINE 1: EXPLAIN SELECT '🙂', id FRM orders, o\n"],
  ])("%s: show the place of a mistake", async (sql, place) => {
    await expect(guard(sql)).rejects.toThrow(place);
  });

  it("show a part of a long line only", async () => {
    const error = await guard(`SELECT ${"1, ".repeat(500)} FROM FROM ${", x".repeat(500)}`).catch(
      (thrown: unknown) => thrown as Error,
    );
    expect((error as Error).message).toMatch(/\nLINE 1: ….*FROM FROM .*…\n {49}\^$/);
  });

  it("leave long names out", async () => {
    const error = await guard(`SELECT * FROM "${"x".repeat(50_000)}"`).catch((thrown: unknown) => thrown);
    expect((error as Error).message.length).toBeLessThan(300);
  });
});
