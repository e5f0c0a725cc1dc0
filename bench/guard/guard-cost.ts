import type { DuckDBConnection } from "@duckdb/node-api";
import { guardSql } from "../../src/domains/models/guard/guard.ts";
import { visitTree } from "../../src/domains/models/guard/tree.ts";
import type { JsonValue, SerializedSql } from "../../src/platform/analytics/index.ts";
import { Parser } from "../../src/platform/analytics/query/parser.ts";
import { checkSources } from "../../src/platform/analytics/query/syntax-tree.ts";
import { ask, connect } from "./clients.ts";
import type { Kenning } from "./kenning.ts";
import { median, Table, takeTurns } from "./measure.ts";
import { STATEMENTS } from "./statements.ts";

const DATASETS = ["orders", "customers"];
const NEVER = new AbortController().signal;

/** What each step of the guard costs, and what part of the whole call that is. */
export async function guardCost(kenning: Kenning, { isQuick }: { isQuick: boolean }): Promise<Table> {
  const client = await connect(kenning.unstored);
  const table = new Table("The guard: ms of each step (medians), and its share of the call", [
    "statement",
    "kB",
    "nodes",
    "tree kB",
    "serialize in DuckDB",
    "+ process, channel, parse",
    "walk",
    "+ checks",
    "guardSql",
    "checkSurface in the child",
    "models.query",
    "execute_query (MCP)",
    "guard ÷ call",
    "guard + checkSurface ÷ call",
  ]);
  for (const [name, make] of Object.entries(STATEMENTS)) {
    const isHuge = name.startsWith("huge");
    if (isQuick && isHuge && name !== "huge: columns") continue;
    const sql = make(1);
    const { bare, analytics } = kenning;
    const text = await serialize(bare.connection, sql);
    const tree = JSON.parse(text) as { statements: JsonValue[] };
    const canned: SerializedSql = { ok: true, statements: tree.statements };
    const tableViews = new Set(DATASETS);
    const parser = new Parser(async () => bare.instance);
    const surface = async (text: string) => checkSources(await parser.sourcesOf(text, NEVER), tableViews);
    const guard = (given: typeof analytics.serializeSql, of: string) =>
      guardSql(of, { datasets: DATASETS, serialize: given });
    const times = await takeTurns(
      [
        { name: "serialize", run: (n) => serialize(bare.connection, make(n)) },
        { name: "round trip", run: (n) => analytics.serializeSql(make(n)) },
        { name: "walk", run: async () => visitTree(tree.statements[0], () => undefined) },
        { name: "walk and checks", run: () => guard(async () => canned, sql) },
        { name: "guard", run: (n) => guard((...args) => analytics.serializeSql(...args), make(n)) },
        { name: "surface", run: (n) => surface(make(n)) },
        { name: "query", run: (n) => kenning.query(make(n)) },
        { name: "call", run: (n) => ask(client, kenning.unstored, make(n)) },
      ],
      { rounds: isQuick ? (isHuge ? 1 : 10) : isHuge ? 5 : 60, warmup: isHuge ? Number(!isQuick) : 5 },
    );
    const of = (step: string) => median(times.get(step) ?? []);
    const share = (part: number) => `${((100 * part) / of("call")).toFixed(0)}%`;
    table.add([
      name,
      (sql.length / 1_000).toFixed(1),
      String(countNodes(tree.statements)),
      (text.length / 1_000).toFixed(0),
      of("serialize"),
      of("round trip") - of("serialize"),
      of("walk"),
      of("walk and checks") - of("walk"),
      of("guard"),
      of("surface"),
      of("query"),
      of("call"),
      share(of("guard")),
      share(of("guard") + of("surface")),
    ]);
  }
  await client.close();
  return table;
}

async function serialize(connection: DuckDBConnection, sql: string): Promise<string> {
  const reader = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [sql]);
  return String(reader.value(0, 0));
}

function countNodes(statements: readonly JsonValue[]): number {
  let count = 0;
  for (const statement of statements) visitTree(statement, () => (count += 1));
  return count;
}
