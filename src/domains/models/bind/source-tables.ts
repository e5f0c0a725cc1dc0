import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { guardSql, type Serialize } from "../guard/index.ts";
import { named } from "./expression.ts";

/** The name of a dataset that a source means: itself, or the last part of `database.schema.table`. */
export function sourceNames(source: string): string[] {
  const last = source
    .split(".")
    .at(-1)
    ?.replace(/^"(.*)"$/, "$1");
  return last === undefined || last === source ? [source] : [source, last];
}

interface TableReference {
  /** Where its name begins, in bytes. */
  at: number;
  /** With its database and schema, if it has them. */
  parts: string[];
}

/**
 * Reads the SELECT that a model puts in the place of a source. Tables that are written as `database.schema.table`
 * come back as the last part of their names, which is how datasets are called here.
 */
export async function readViewQuery(
  written: string,
  serialize: Serialize,
): Promise<{ sql: string; tables: string[] }> {
  const sql = written.replace(/;\s*$/, "");
  const parsed = await serialize(sql);
  if (!parsed.ok) {
    const hint = "A view query is one SELECT over datasets of the workspace.";
    throw new AppError("bad_request", parsed.message, { hint });
  }
  const references = tablesOf(parsed.statements);
  const qualified = references.filter(({ parts }) => parts.length > 1);
  const bare = qualified.length === 0 ? sql : withBareNames(sql, qualified);
  const names = new Set(references.map(({ parts }) => parts.at(-1) as string));
  const { datasets } = await guardSql(bare, { datasets: [...names], serialize });
  return { sql: bare, tables: datasets };
}

function tablesOf(root: unknown): TableReference[] {
  return named(root, "BASE_TABLE", "type").map((table) => ({
    at: Number(table.query_location),
    parts: [table.catalog_name, table.schema_name, table.table_name].filter(
      (part): part is string => typeof part === "string" && part !== "",
    ),
  }));
}

/** An unquoted or quoted name. */
const NAME = /(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*")/u;
const CHAIN = new RegExp(`^${NAME.source}(?:\\s*\\.\\s*${NAME.source})+`, "u");

/** Puts the last part of each name in the place of the whole, from the end so that earlier places stay true. */
function withBareNames(sql: string, references: readonly TableReference[]): string {
  let bytes = Buffer.from(sql, "utf8");
  for (const { at, parts } of [...references].sort((a, b) => b.at - a.at)) {
    const [chain] = CHAIN.exec(bytes.subarray(at).toString("utf8")) ?? [];
    if (chain === undefined) {
      throw new AppError("bad_request", `The table ${parts.join(".")} could not be found in the text.`, {
        hint: `Name the dataset alone: ${quoteName(parts.at(-1) as string)}.`,
      });
    }
    const end = at + Buffer.byteLength(chain);
    const name = Buffer.from(quoteName(parts.at(-1) as string));
    bytes = Buffer.concat([bytes.subarray(0, at), name, bytes.subarray(end)]);
  }
  return bytes.toString("utf8");
}
