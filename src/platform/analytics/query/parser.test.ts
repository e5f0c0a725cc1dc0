import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { beforeEach, describe, expect, it } from "vitest";
import { Parser } from "./parser.ts";
import { checkSources } from "./syntax-tree.ts";

let instance: DuckDBInstance;
let parser: Parser;
/** How often an engine was opened, and its connections. */
let opened = 0;
let connections: DuckDBConnection[] = [];
const signal = new AbortController().signal;

beforeEach(async () => {
  instance = await DuckDBInstance.create();
  [opened, connections] = [0, []];
  const connect = instance.connect.bind(instance);
  instance.connect = async () => {
    const connection = await connect();
    connections.push(connection);
    return connection;
  };
  parser = new Parser(async () => {
    opened += 1;
    return instance;
  });
});

const tables = async (sql: string) => (await parser.sourcesOf(sql, signal)).tables.map(({ name }) => name);

describe("the parser", () => {
  it("uses a statement again, and another one for a text that comes meanwhile", async () => {
    for (const name of ["a", "b", "c"]) expect(await tables(`FROM ${name}`)).toEqual([name]);
    expect(connections).toHaveLength(1);
    const names = Array.from({ length: 20 }, (_, n) => `t${n}`);
    expect(await Promise.all(names.map((name) => tables(`FROM ${name}`)))).toEqual(names.map((it) => [it]));
    expect(opened).toBe(1);
    const before = connections.length;
    await tables("FROM later");
    expect(connections).toHaveLength(before);
  });

  it("knows what it parsed, also for somebody with other views", async () => {
    await parser.serialize("SELECT * FROM a", signal);
    connections.length = 0;
    const sources = await parser.sourcesOf("SELECT * FROM a", signal);
    expect(() => checkSources(sources, new Set(["a"]))).not.toThrow();
    expect(() => checkSources(sources, new Set(["b"]))).toThrow(/no dataset "a"/);
    // A text that differs in anything is another text.
    expect(await tables("SELECT * FROM  b")).toEqual(["b"]);
  });

  it.each([
    ["SELEC 1", /syntax error[\s\S]*\^/],
    ["DELETE FROM a", /Only SELECT/],
    ["SELECT 1; SELECT 2", /2 statements/],
    [" -- nothing", /no SELECT/],
  ])("refuses %s each time, also after it was serialised", async (sql, message) => {
    for (let n = 0; n < 2; n += 1) {
      await expect(parser.sourcesOf(sql, signal)).rejects.toThrow(message);
      await parser.serialize(sql, signal);
    }
    expect(await tables("FROM a")).toEqual(["a"]);
  });

  it.each(["SELECT 1e309", "SELECT a FROM t WHERE 'NaN' < -1e400 AND b = ' \\\" Infinity'"])(
    "says that a number is out of range in %s",
    async (sql) => {
      await expect(parser.sourcesOf(sql, signal)).rejects.toThrow(/number in the SQL is out of range/);
      await expect(parser.serialize(sql, signal)).rejects.toMatchObject({ code: "bad_request" });
      expect(await tables("SELECT 'Infinity', \"NaN\", 1e308 FROM a")).toEqual(["a"]);
    },
  );

  it("goes on after a text was cancelled", async () => {
    const long = `SELECT ${Array.from({ length: 20_000 }, (_, n) => `a + ${n}`).join(", ")} FROM a`;
    for (let n = 0; n < 5; n += 1) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), n * 5);
      await parser.serialize(long, stop.signal).catch((error) => expect(error.code).toBe("cancelled"));
      expect(await tables(`SELECT ${n} FROM a`)).toEqual(["a"]);
    }
  });
});
