import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import type { WorkerContext } from "../../sandbox/index.ts";
import type { Column } from "../analytics-options.ts";
import { columnsOf, readParquet } from "../engine/table-view-sql.ts";
import { LIMITS } from "../limits.ts";
import type { ConvertAnswer, ConvertParams } from "../wire.ts";
import { readHead } from "./text-encoding.ts";
import { planAll, writePart } from "./write-part.ts";

export interface ParquetJob extends ConvertParams {
  connection: DuckDBConnection;
}

/** Reads a Parquet file and writes it anew: what comes out is ours, whatever was wrong with what came in. */
export async function convertParquet(job: ParquetJob, context: WorkerContext): Promise<ConvertAnswer> {
  const { connection, input, output, format } = job;
  const { bytes } = await readHead(input, 4);
  if (bytes.toString("latin1") !== "PAR1") throw new AppError("bad_request", "This is not a Parquet file.");
  const promised = await connection.runAndReadAll(
    `SELECT sum(num_rows) FROM parquet_file_metadata(${quoteText(input)})`,
  );
  const { parquetRows } = LIMITS.analytics;
  if (Number(promised.value(0, 0)) > parquetRows) {
    throw new AppError("too_large", `The file has more than ${parquetRows.toLocaleString("en")} rows.`);
  }
  const source = readParquet([input]);
  const notes = typeNotes(await columnsOf(connection, source));
  const written = await writePart(connection, await planAll(connection, source), output, context);
  return { ...written, rejected: [], rejectedRows: 0, detected: { format, encoding: "binary" }, notes };
}

/** What a reader should know about types that are not kept as they are. */
function typeNotes(columns: readonly Column[]): string[] {
  const named = (part: string): string =>
    columns
      .filter(({ type }) => type.includes(part))
      .map(({ name }) => `"${name}"`)
      .join(", ");
  const [shapes, variants] = [named("GEOMETRY"), named("VARIANT")];
  return [
    ...(shapes === ""
      ? []
      : [`Geometries in ${shapes} are kept as text (WKT), without their reference system.`]),
    ...(variants === "" ? [] : [`Values of several types in ${variants} are kept as JSON.`]),
  ];
}
