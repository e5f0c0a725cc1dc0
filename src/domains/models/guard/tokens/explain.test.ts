import { DuckDBInstance, StatementType } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { peelExplain } from "./index.ts";

/** What stands between two words, if the engine takes it for space. (Behind a semicolon nothing is peeled.) */
const CANDIDATES = [
  ...Array.from({ length: 0xff }, (_, n) => String.fromCodePoint(n + 1)),
  ...Array.from({ length: 0x70 }, (_, n) => String.fromCodePoint(0x2000 + n)),
  ..."\u1680\u180e\u3000\ufeff\u0300\u034f",
  ...["/**/", "/* a */", "/* /* */ */", "/* ' */", "--\n", "--\r", "-- x\n", " -- /*\n", "/* -- */"],
].filter((between) => between !== ";");

describe("peelExplain", () => {
  it("sees an EXPLAIN exactly where the engine sees one", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const isExplain = async (sql: string): Promise<boolean> => {
      try {
        return (await connection.prepare(sql)).statementType === StatementType.EXPLAIN;
      } catch {
        return false;
      }
    };
    for (const between of CANDIDATES) {
      for (const sql of [`EXPLAIN${between}SELECT 1`, `${between}EXPLAIN SELECT 1`]) {
        if (!(await isExplain(sql))) continue;
        expect(peelExplain(sql), JSON.stringify(sql)).toMatchObject({ isExplain: true });
      }
      const analyze = `EXPLAIN${between}ANALYZE SELECT 1`;
      if (await isExplain(analyze)) {
        expect(() => peelExplain(analyze), JSON.stringify(analyze)).toThrow(/EXPLAIN ANALYZE/);
      }
    }
  });

  it.each([
    ["SELECT 1", false],
    ["EXPLAINS SELECT 1", false],
    ["EXPLAIN_SELECT 1", false],
    ["'EXPLAIN' SELECT 1", false],
    ["/* EXPLAIN */ SELECT 1", false],
    ["-- EXPLAIN\nSELECT 1", false],
    ["/* EXPLAIN", false],
    ["", false],
    ["EXPLAIN", true],
    ["eXpLaIn(SELECT 1)", true],
    ["EXPLAIN ((SELECT 1))", true],
    ["EXPLAIN (FROM x)", true],
  ])("%j: %s", (sql, isExplain) => {
    expect(peelExplain(sql)).toMatchObject({ isExplain });
  });
});
