import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { isCatalogView, isReserved, TABLE_FUNCTIONS } from "./checks.ts";
import { FOREIGN_FUNCTIONS, FUNCTIONS, refusedFor } from "./functions/index.ts";

async function ask(sql: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRows();
  connection.disconnectSync();
  instance.closeSync();
  return rows.map(([name]) => String(name).toLowerCase());
}

/** Words that the parser turns into functions of their own. */
const PARSED = new Set(["unnest", "unlist"]);

describe("functions of other databases", () => {
  it.each([...FOREIGN_FUNCTIONS])("%s is not known here, and %s is", (name, write) => {
    expect(FUNCTIONS.has(name)).toBe(false);
    expect(refusedFor(name)).toBeUndefined();
    const called = [...write.matchAll(/\b([a-z_]+)\(/g)].map(([, each]) => each as string);
    expect(called.filter((each) => each !== "coalesce" && !FUNCTIONS.has(each))).toEqual([]);
  });
});

describe("the functions of the pinned DuckDB", () => {
  it("are all either allowed or refused for a reason: a new one has to be looked at", async () => {
    const all = await ask(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')",
    );
    expect(all.filter((name) => !FUNCTIONS.has(name) && refusedFor(name) === undefined)).toEqual([]);
    expect(all.filter((name) => FUNCTIONS.has(name) && refusedFor(name) !== undefined)).toEqual([]);
    const gone = [...FUNCTIONS].filter((name) => !all.includes(name) && !PARSED.has(name));
    expect(gone).toEqual([]);
  });

  it("that change something are allowed only where it is chance that changes", async () => {
    const volatile = await ask(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE has_side_effects",
    );
    expect(volatile.filter((name) => FUNCTIONS.has(name)).sort()).toEqual([
      "gen_random_uuid",
      "random",
      "uuid",
      "uuidv4",
      "uuidv7",
    ]);
  });

  it("that give tables are a handful of all", async () => {
    const tables = await ask(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'",
    );
    expect(tables.filter((name) => TABLE_FUNCTIONS.has(name)).sort()).toEqual([
      "generate_series",
      "json_each",
      "json_tree",
      "range",
      "repeat",
      "unnest",
    ]);
  });
});

describe("the views of the pinned DuckDB", () => {
  it("that are found without a schema have names which nobody else can have", async () => {
    const views = await ask("SELECT view_name FROM duckdb_views() WHERE schema_name <> 'information_schema'");
    expect(views.filter((name) => !isReserved(name) && !isCatalogView(name))).toEqual([]);
  });

  it("of information_schema are not found without it", async () => {
    await expect(ask("SELECT count(*) FROM tables")).rejects.toThrow(/does not exist/);
    await expect(ask("SELECT count(*) FROM columns")).rejects.toThrow(/does not exist/);
  });
});
