import { access, chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { escapeXml, testFolder, xlsx } from "../../../../test/support/data-files.ts";
import { tempEntries } from "../../../../test/support/temp-entries.ts";
import { LIMITS as ENGINE } from "../../../platform/analytics/limits.ts";
import type { FileSource } from "../../../platform/files/index.ts";
import { LIMITS } from "../../../platform/files/limits.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import type { FileImport, ImportedFile } from "./detect-format.ts";
import { type FileImports, openFileImports } from "./import-file.ts";

let analytics: TestAnalytics;
let fetch: GuardedFetch;
let imports: FileImports;
let tempFolder: string;

beforeAll(async () => {
  analytics = await openTestAnalytics();
  fetch = createGuardedFetch({ allow: ["127.0.0.1"] });
  tempFolder = join(analytics.home, "files");
  imports = await openFileImports({
    analytics,
    blobs: analytics.blobs,
    fetch,
    tempFolder,
    log: { warn: () => undefined },
  });
});
afterAll(async () => {
  await imports.close();
  await fetch.close();
  await analytics.remove();
});

interface Imported extends ImportedFile {
  data: unknown[][];
  names: string[];
  types: Record<string, string>;
}

async function importFile(source: FileSource, request: Partial<FileImport> = {}): Promise<Imported> {
  const result = await imports.importFile({ source, scope: "1", key: analytics.key(), ...request });
  const { part, columns } = result;
  const { rows } = await analytics.query({
    scope: "1",
    tableViews: [{ name: "t", parts: [part.path], columns, version: part.key }],
    sql: "SELECT * FROM t",
  });
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
  return { ...result, data: rows, names: columns.map(({ name }) => name), types };
}

/** The error; and nothing is left of the file, neither a part nor anything temporary. */
async function refusal(source: FileSource, request: Partial<FileImport> = {}): Promise<unknown> {
  const key = analytics.key();
  const error = await imports.importFile({ source, scope: "1", key, ...request }).then(
    () => "no error",
    (reason: unknown) => reason,
  );
  await expect(access(analytics.blobs.pathOf(key))).rejects.toThrow();
  await nothingLeft();
  return error;
}

async function nothingLeft(): Promise<void> {
  await expect.poll(() => tempEntries(tempFolder)).toEqual([]);
}

const PEOPLE = [
  { id: 1, name: 'Änne "A"', height: 1.5, born: "2001-02-28", active: true },
  { id: 2, name: "Bob\nB, jr.", height: null, born: "1999-12-31", active: false },
  { id: 3, name: "三", height: -0.25, born: null, active: null },
];
const NAMES = ["id", "name", "height", "born", "active"] as const;
const TYPES = { id: "BIGINT", name: "VARCHAR", height: "DOUBLE", born: "DATE", active: "BOOLEAN" };
const ROWS = PEOPLE.map((person) => NAMES.map((name) => person[name]));

function delimited(delimiter: string): string {
  const quote = (value: unknown): string =>
    value === null ? "" : `"${String(value).replaceAll('"', '""')}"`;
  return [NAMES.join(delimiter), ...ROWS.map((row) => row.map(quote).join(delimiter))].join("\n");
}

const asXml = `<people>${PEOPLE.map(
  (person) =>
    `<person>${NAMES.map((name) => (person[name] === null ? `<${name}/>` : `<${name}>${escapeXml(String(person[name]))}</${name}>`)).join("")}</person>`,
).join("")}</people>`;

const asExcel = xlsx({
  sheets: [
    {
      name: "People",
      rows: [
        [...NAMES],
        ...PEOPLE.map(({ id, name, height, born, active }) => [
          id,
          name,
          height,
          born && { xml: `<c s="1"><v>${Date.parse(born) / 86_400_000 + 25_569}</v></c>` },
          active,
        ]),
      ],
    },
  ],
  styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
});

describe("each format gives back what was in it", () => {
  it.each<[string, string, string | undefined]>([
    ["csv", delimited(","), undefined],
    ["tsv", delimited("\t"), undefined],
    ["json", JSON.stringify(PEOPLE, undefined, 2), "json"],
    ["ndjson", PEOPLE.map((person) => JSON.stringify(person)).join("\n"), undefined],
    ["json", JSON.stringify({ total: 3, people: PEOPLE }), undefined],
    ["json", JSON.stringify([NAMES, ...ROWS]), undefined],
    ["xml", asXml, "xml"],
    ["excel", asExcel.toString("base64"), "excel"],
  ])("%s", async (format, content, fileType) => {
    const result = await importFile({ content }, { fileType });
    expect(result).toMatchObject({
      rows: 3,
      types: TYPES,
      data: ROWS,
      rejected: [],
      rejectedRows: 0,
      notes: [],
      detected: { format },
    });
    expect(result.part).toMatchObject({ rows: 3, columns: result.columns });
    await nothingLeft();
  });

  it("parquet", async () => {
    const { part } = await importFile({ content: delimited(",") });
    const bytes = await readFile(part.path);
    expect(await importFile({ content: bytes.toString("base64") })).toMatchObject({
      types: TYPES,
      data: ROWS,
      detected: { format: "parquet" },
    });
  });

  it("says what it has found out", async () => {
    const content = "Name;Preis;Datum\nÄpfel;1234,50;31.12.2024\nBirnen;2,25;01.01.2025\n";
    const german = await importFile(
      { content: Buffer.from(content, "latin1").toString("base64"), contentEncoding: "base64" },
      { fileType: "csv" },
    );
    expect(german.detected).toMatchObject({
      format: "csv",
      encoding: "windows-1252",
      delimiter: ";",
      decimal: ",",
      header: true,
    });
    expect(german.types).toMatchObject({ Name: "VARCHAR", Datum: "DATE" });
    const book = await importFile({ content: asExcel.toString("base64") });
    expect(book.detected).toEqual({ format: "excel", sheet: "People", sheets: ["People"], header: true });
    expect(book).toMatchObject({ bytes: asExcel.length });
    expect((await importFile({ content: asXml })).detected).toEqual({
      format: "xml",
      encoding: "utf-8",
      rowPath: "people/person",
    });
  });

  it("keeps what is nested in XML as objects and lists", async () => {
    const xml = `<o><i><p a="1">x</p><l><n>1</n><n>2</n></l></i><i><p a="2">2024-01-01</p><l><n>3</n></l></i></o>`;
    expect(await importFile({ content: xml })).toMatchObject({
      types: { p: 'STRUCT("a" BIGINT, "#text" VARCHAR)', l: 'STRUCT("n" BIGINT[])' },
      data: [
        [{ a: 1, "#text": "x" }, { n: [1, 2] }],
        [{ a: 2, "#text": "2024-01-01" }, { n: [3] }],
      ],
    });
  });

  it("keeps times, durations and mixed columns of Excel", async () => {
    const styled = (style: number, value: number): { xml: string } => ({
      xml: `<c s="${style}"><v>${value}</v></c>`,
    });
    const content = xlsx({
      sheets: [
        {
          name: "S",
          rows: [
            ["t", "d", "at", "mixed", "late"],
            [styled(1, 0.5), styled(2, 1.25), styled(3, 45351.5), 1, null],
            [styled(1, 0.25), null, styled(3, 45352), "open", 7],
          ],
        },
      ],
      styles:
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="21"/><xf numFmtId="46"/><xf numFmtId="22"/></cellXfs>',
    }).toString("base64");
    const result = await importFile({ content });
    expect(result.types).toEqual({
      t: "TIME",
      d: "INTERVAL",
      at: "TIMESTAMP",
      mixed: "VARCHAR",
      late: "BIGINT",
    });
    expect(result.data.map((row) => [row[0], row[3], row[4]])).toEqual([
      ["12:00:00", "1", null],
      ["06:00:00", "open", 7],
    ]);
    expect(result.notes).toEqual([expect.stringContaining('"mixed" is text')]);
  });
});

it("refuses a file of which most rows would be rejected, and keeps one of which half would", async () => {
  const content = (bad: number): string => `a,b\n${"1,2\n".repeat(205)}${"1,2,3\n".repeat(bad)}`;
  await expect(importFile({ content: content(206) })).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringMatching(/^Most rows could not be read: 206 of 411\. Line 207: Expected Number/),
  });
  expect(await importFile({ content: content(205) })).toMatchObject({ rows: 205, rejectedRows: 205 });
});

describe("where it comes from", () => {
  it("an address, compressed, with a name that tells what it is", async () => {
    const server = createServer((_, response) => response.end(gzipSync("a\tb\n1\t2"))).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const fileUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x/data.tsv.gz`;
    const stages = new Set<string>();
    const result = await importFile({ fileUrl }, { onProgress: ({ stage }) => stages.add(stage) });
    expect(result).toMatchObject({
      data: [[1, 2]],
      detected: { format: "tsv", compression: "gzip" },
      fileName: "data.tsv.gz",
    });
    expect([...stages].slice(0, 2)).toEqual(["fetch", "unpack"]);
    await nothingLeft();
  });

  it.each([
    ["people.csv", delimited(",")],
    ["people.xlsx", asExcel],
    ["people.csv.gz", gzipSync(delimited(","))],
  ])("a file of the operator's, which stays as it is: %s", async (name, bytes) => {
    const folder = join(await testFolder(), "closed");
    await mkdir(folder);
    await chmod(folder, 0o700);
    const path = join(folder, name);
    await writeFile(path, bytes, { mode: 0o600 });
    expect(await importFile({ path })).toMatchObject({ data: ROWS, fileName: name });
    expect(Buffer.from(bytes).equals(await readFile(path))).toBe(true);
    expect(await readdir(folder)).toEqual([name]);
  });

  it("content that is not what it is said to be", async () => {
    expect(await importFile({ content: asExcel.toString("base64") }, { fileType: "csv" })).toMatchObject({
      data: ROWS,
      notes: [expect.stringContaining("is excel")],
    });
    const csv = Buffer.from(delimited(",")).toString("base64");
    expect(await importFile({ content: csv }, { fileType: "excel" })).toMatchObject({
      data: ROWS,
      notes: [expect.stringContaining("is csv")],
    });
  });
});

describe("names", () => {
  const hostile = [
    '"; DROP TABLE t; --',
    "line\nbreak",
    "'; SELECT 1",
    "ä".repeat(10_000),
    "a,b",
    "{}",
    "__proto__",
    "select",
  ];
  const values = hostile.map((_, index) => index);
  const quoted = hostile.map((name) => `"${name.replaceAll('"', '""')}"`).join(",");
  it.each<[string, string]>([
    ["csv", `${quoted}\n${values.join(",")}`],
    ["json", JSON.stringify([Object.fromEntries(hostile.map((name, index) => [name, index]))])],
    ["lists", JSON.stringify([hostile, values])],
    ["excel", xlsx({ sheets: [{ name: "S", rows: [hostile, values] }] }).toString("base64")],
  ])("are kept as they are, however hostile: %s", async (_, content) => {
    const result = await importFile({ content });
    expect(result.names).toEqual(hostile);
    expect(result.data).toEqual([values]);
  });

  it.each<[string, string, string]>([
    ["csv", "csv", "a,,A,a\n1,2,3,4"],
    ["lists", "json", '[["a","","A","a"],[1,2,3,4]]'],
    [
      "excel",
      "excel",
      xlsx({
        sheets: [
          {
            name: "S",
            rows: [
              ["a", null, "A", "a"],
              [1, 2, 3, 4],
            ],
          },
        ],
      }).toString("base64"),
    ],
  ])("that are missing or taken get numbers, and it is said: %s", async (_, fileType, content) => {
    const result = await importFile({ content }, { fileType, options: { header: true } });
    expect(new Set(result.names.map((name) => name.toLowerCase())).size).toBe(4);
    expect(result.names[0]).toBe("a");
    expect(result.data).toEqual([[1, 2, 3, 4]]);
    expect(result.detected.renamed?.map(({ position }) => position)).toEqual([2, 3, 4]);
  });
});

describe("numbers that are hard to hold", () => {
  it.each<[string, string]>([
    ["csv", "n,x\n9223372036854775808,NaN\n12345678901234567890123456789012345678,1.5"],
    ["json", '[{"n":9223372036854775808,"x":"NaN"},{"n":12345678901234567890123456789012345678,"x":1.5}]'],
    [
      "xml",
      "<r><i><n>9223372036854775808</n><x>NaN</x></i><i><n>12345678901234567890123456789012345678</n><x>1.5</x></i></r>",
    ],
  ])("keep every digit: %s", async (fileType, content) => {
    const { data } = await importFile({ content }, { fileType });
    expect(data.map(([n]) => String(n))).toEqual([
      "9223372036854775808",
      "12345678901234567890123456789012345678",
    ]);
    expect(String(data[0]![1])).toBe("NaN");
  });
});

describe("rows that cannot be read", () => {
  it("are counted and named, and the others are there", async () => {
    const lines = ['{"a":1}', "{broken", '{"a":2}', "[1]"];
    const result = await importFile({ content: lines.join("\n") }, { fileType: "ndjson" });
    expect(result).toMatchObject({ rows: 2, rejectedRows: 2, data: [[1], [2]] });
    expect(result.rejected.map(({ line }) => line)).toEqual([2, 4]);
  });

  it("are not all there is", async () => {
    expect(await refusal({ content: "{broken\n{broken too" }, { fileType: "ndjson" })).toMatchObject({
      code: "bad_request",
    });
  });
});

describe("bad files get a clear error and leave nothing behind", () => {
  const base64 = (bytes: Buffer): string => bytes.toString("base64");
  const wide = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
  const zeros = Buffer.alloc(100_000_000, "<row/>").toString();
  it.each<[string, string, string | undefined, string, RegExp]>([
    [
      "an Excel file that is cut off",
      base64(asExcel.subarray(0, -100)),
      undefined,
      "bad_request",
      /damaged or cut off/,
    ],
    [
      "an Excel bomb",
      base64(xlsx({ sheets: [{ name: "S", data: zeros }] })),
      undefined,
      "too_large",
      /times its size/,
    ],
    [
      "a Parquet file that is cut off",
      base64(Buffer.from("PAR1\x15\x04\x15\x00\x00\x02\x01\x01", "latin1")),
      "parquet",
      "bad_request",
      /./,
    ],
    ["an XML bomb", '<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>', undefined, "unsupported", /document type/],
    ["XML that is cut off", "<a><b>1</b><b>", undefined, "bad_request", /not well-formed/],
    ["JSON that is cut off", '[{"a":1},{"a":', undefined, "bad_request", /JSON/],
    [
      "JSON that is nested too deeply",
      `[{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}]`,
      undefined,
      "too_large",
      /deep/,
    ],
    ["JSON that is a value", "42", "json", "bad_request", /single value/],
    ["JSON without rows", "[]", undefined, "bad_request", /no rows/],
    ["a web page", "<!doctype html><title>Sign in</title>", "csv", "unsupported", /web page/],
    [
      "100,000 columns of CSV",
      `${wide.join(",")}\n${wide.map(() => 1).join(",")}`,
      undefined,
      "too_large",
      /columns/,
    ],
    [
      "100,000 columns of JSON",
      JSON.stringify([Object.fromEntries(wide.map((name) => [name, 1]))]),
      undefined,
      "too_large",
      /columns/,
    ],
    [
      "100,000 columns of XML",
      `<r><i>${wide.map((name) => `<${name}>1</${name}>`).join("")}</i><i/></r>`,
      undefined,
      "too_large",
      /different elements|columns/,
    ],
    [
      "a giant row of JSON",
      `[{"a":"${"x".repeat(ENGINE.analytics.objectBytes + 10)}"}]`,
      undefined,
      "too_large",
      /larger than/,
    ],
    [
      "a giant row inside JSON",
      `{"r":[["${"x".repeat(LIMITS.files.rowBytes + 10)}"]]}`,
      undefined,
      "too_large",
      /16 MB/,
    ],
    ["nothing", " \n ", undefined, "bad_request", /empty/],
    [
      "bytes that are nothing",
      base64(Buffer.from([0, 1, 2, 3, 0, 0, 9, 8])),
      "excel",
      "unsupported",
      /neither text/,
    ],
    ["an unknown type", "a", "docx", "bad_request", /no file type/],
  ])("%s", async (_, content, fileType, code, message) => {
    const started = performance.now();
    expect(await refusal({ content }, { fileType })).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it("takes bytes that are not UTF-8 for what Windows writes, or refuses them in XML", async () => {
    const latin1 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
    const csv = await importFile({ content: latin1("a\nStra\xdfe"), contentEncoding: "base64" });
    expect(csv.data).toEqual([["Straße"]]);
    expect(await refusal({ content: latin1("<r><i>\xdf</i></r>"), contentEncoding: "base64" })).toMatchObject(
      { code: "bad_request", message: expect.stringContaining("not utf-8") },
    );
  });
});

describe("cancelling", () => {
  const rows = Array.from({ length: 400_000 }, (_, n) => `<i><n>${n}</n><t>text ${n}</t></i>`).join("");
  it.each<[string, string, number]>([
    ["at once", "a\n1", 0],
    ["while a file is read", `<r>${rows}</r>`, 500],
    ["while a file is converted", `a,b\n${"1,2\n".repeat(3_000_000)}`, 150],
  ])("%s", async (_, content, ms) => {
    const controller = new AbortController();
    if (ms === 0) controller.abort();
    else setTimeout(() => controller.abort(), ms);
    expect(await refusal({ content }, { signal: controller.signal })).toMatchObject({ code: "cancelled" });
  });

  it("progress goes forward", async () => {
    const seen: number[] = [];
    await importFile(
      { content: `<r>${rows}</r>` },
      { onProgress: ({ stage, fraction }) => stage === "read" && seen.push(fraction ?? 0) },
    );
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});

it("clears away what a killed process left", async () => {
  const folder = join(await testFolder(), "files");
  const leftover = join(folder, "0123456789abcdef", "abc");
  await mkdir(leftover, { recursive: true });
  await writeFile(join(leftover, "source"), "secret");
  const other = await openFileImports({
    analytics,
    blobs: analytics.blobs,
    fetch,
    tempFolder: folder,
    log: { warn: () => undefined },
  });
  expect(await readdir(folder)).toEqual([]);
  await other.close();
});
