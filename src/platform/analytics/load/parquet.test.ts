import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { convertParquet } from "./write-part.ts";

let folder: string;
let engine: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kenning-parquet-"));
  engine = await DuckDBInstance.create(":memory:");
  connection = await engine.connect();
});
afterAll(async () => {
  connection.closeSync();
  engine.closeSync();
  await rm(folder, { recursive: true, force: true });
});

function convert(input: string) {
  const output = join(folder, "out.parquet");
  const settings = { memoryMb: 1_000, threads: 1, spillMb: 0, inputs: folder, outputs: folder };
  const context = { signal: new AbortController().signal, progress: () => {} };
  return convertParquet({ connection, settings, input, output, format: "parquet", options: {} }, context);
}

async function importOf(select: string) {
  const input = join(folder, "in.parquet");
  await connection.run(`COPY (${select}) TO '${input}' (FORMAT parquet)`);
  const answer = await convert(input);
  const reader = await connection.runAndReadAll(`SELECT * FROM '${join(folder, "out.parquet")}'`);
  return { ...answer, values: reader.getRowsJson() };
}

describe("a Parquet file", () => {
  it("with values of several types in a column", async () => {
    const long = "12345678901234567890.12";
    const texts = String.raw`{'a': -0.1::DECIMAL(9,1), 'b': ['x":.5', '\', 0.2::DECIMAL(1,1)::VARCHAR]}::VARIANT`;
    const result = await importOf(
      `SELECT unnest([${long}::DECIMAL(38,2)::VARIANT, ${texts}, [0.5::DECIMAL(1,1)]::VARIANT,
        {'n': 'NaN'::DOUBLE}::VARIANT, 'x'::VARIANT, NULL]) AS v`,
    );
    expect(result.columns).toEqual([{ name: "v", type: "JSON" }]);
    const parsed = result.values.map(([value]) => value);
    expect(parsed.slice(0, 1)).toEqual([long]);
    expect(parsed.slice(1, -1).map((value) => JSON.parse(value as string))).toEqual([
      { a: -0.1, b: ['x":.5', "\\", ".2"] },
      [0.5],
      { n: "NaN" },
      "x",
    ]);
    expect(parsed.at(-1)).toBeNull();
    expect(result.notes).toEqual(['Values of several types in "v" are kept as JSON.']);
  });

  it("with geometries", async () => {
    const result = await importOf("SELECT 'POINT (1.25 2)'::GEOMETRY AS g");
    expect(result.columns).toEqual([{ name: "g", type: "VARCHAR" }]);
    expect(result.values).toEqual([["POINT (1.25 2)"]]);
    expect(result.notes).toEqual([expect.stringContaining('Geometries in "g" are kept as text')]);
  });

  it("with a group that has no field", async () => {
    const input = join(folder, "group.parquet");
    await writeFile(input, emptyGroup());
    await expect(convert(input)).rejects.toThrow('Column "g" holds a group without any field');
  });
});

/** Metadata alone, in Thrift's compact form: a schema of `root { g { inner {} } }` and no rows. */
function emptyGroup(): Buffer {
  const text = (value: string): number[] => [value.length, ...Buffer.from(value)];
  // Repetition (field 3), name (4) and number of children (5).
  const group = (name: string, children: number): number[] => [
    0x35,
    0x02,
    0x18,
    ...text(name),
    0x15,
    children * 2,
    0x00,
  ];
  const root = [0x48, ...text("root"), 0x15, 0x02, 0x00];
  const schema = [0x19, 0x3c, ...root, ...group("g", 1), ...group("inner", 0)];
  const metadata = Buffer.from([0x15, 0x02, ...schema, 0x16, 0x00, 0x19, 0x0c, 0x00]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(metadata.length);
  return Buffer.concat([Buffer.from("PAR1"), metadata, size, Buffer.from("PAR1")]);
}
