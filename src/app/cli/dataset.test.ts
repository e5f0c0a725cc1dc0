import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ended } from "../../../test/support/command-line.ts";
import { xlsx } from "../../../test/support/data-files.ts";
import { tempEntries } from "../../../test/support/temp-entries.ts";
import {
  expectRefusal,
  openWorkspaceLine,
  type WorkspaceLine,
} from "../../../test/support/workspace-line.ts";

const CSV = "name,born,score\nAda,1815-12-10,1.5\nBob,1990-01-02,-3\n";

let line: WorkspaceLine;

beforeAll(async () => {
  line = await openWorkspaceLine();
});
afterAll(() => line.close());

function dataset(...words: string[]): Promise<Ended> {
  return line.run(["dataset", ...words]);
}

/** The same in a process of its own, which writes to its real standard output. */
function datasetAlone(...words: string[]): Promise<Ended> {
  return line.kenning.run(["dataset", ...words], { env: line.env });
}

const file: WorkspaceLine["file"] = (name, content) => line.file(name, content);

const written = (name: string) => readFileSync(join(line.kenning.home, name));

interface Listed {
  id: number;
  name: string;
  rows: number;
  columns: { name: string; type: string }[];
}

async function listed(name: string): Promise<Listed | undefined> {
  const { datasets } = await line.tool<{ datasets: Listed[] }>("list_datasets", { columns: true });
  return datasets.find((item) => item.name === name);
}

describe("kenning dataset import", () => {
  test("tells rows, columns with types, and rejected rows with line and reason", async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `${n},2026-01-01`);
    lines[40] = "40,2026-01-01,one,too,many";
    const made = await dataset("import", file("days.csv", `n,day\n${lines.join("\n")}\n`), "--name", "Days");
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toMatch(
      /^Dataset Days \(id \d+\): 59 rows read as csv\.\n1 row rejected:\n {2}line 42: \S/,
    );
    expect(made.out).toMatch(/\nCOLUMN +TYPE\nn +\S*INT\S*\nday +DATE\n$/);
  });

  test("replaces, and appends when told to", async () => {
    file("people.csv", CSV);
    await dataset("import", "people.csv", "--name", "People");
    await dataset("import", "people.csv", "--name", "people");
    expect(await listed("People")).toMatchObject({ rows: 2 });
    const { out } = await dataset("import", "people.csv", "--name", "People", "--append");
    expect(out).toMatch(/: 2 rows read as csv; 4 rows in all\./);
    const other = file("other.csv", "name,born\nCy,soon\n");
    await expectRefusal(dataset("import", other, "--name", "People", "--append"), /"born"|born/);
    expect(await listed("People")).toMatchObject({ rows: 4 });
  });

  test("believes what is said about a file", async () => {
    file("odd.csv", Buffer.from("01/02/2024;1.234;Stra\xdfe\n", "latin1"));
    const said = ["--no-header", "--decimal", ",", "--date-format", "MM/DD/YYYY", "--encoding", "latin1"];
    const made = await dataset("import", "odd.csv", "--name", "Odd", "--json", ...said);
    expect(JSON.parse(made.out)).toMatchObject({
      rowsRead: 1,
      columns: [{ name: "column_1", type: "DATE" }, { type: "BIGINT" }, { type: "VARCHAR" }],
      detected: { header: false, decimal: ",", thousands: ".", dateFormat: "%m/%d/%Y" },
      notes: [],
    });
  });

  test("replaces rows by none only when told to", async () => {
    await dataset("import", file("full.csv", CSV), "--name", "Full");
    const empty = file("empty.csv", "name,born\n");
    await expectRefusal(dataset("import", empty, "--name", "Full"), /no rows/);
    expect(await listed("Full")).toMatchObject({ rows: 2 });
    expect(await dataset("import", empty, "--name", "Full", "--allow-empty")).toMatchObject({ code: 0 });
    expect(await listed("Full")).toMatchObject({ rows: 0 });
  });

  test("reads Excel by its sheet, compressed and oddly delimited text", async () => {
    const book = {
      sheets: [
        { name: "Cover", rows: [["Nothing here"]] },
        {
          name: "2026",
          rows: [
            ["city", "people"],
            ["Bonn", 330_000],
            ["Ulm", 126_000],
          ],
        },
      ],
    };
    file("cities.xlsx", xlsx(book));
    const made = await dataset("import", "cities.xlsx", "--name", "Cities", "--sheet", "2", "--json");
    expect(JSON.parse(made.out)).toMatchObject({
      name: "Cities",
      rowsRead: 2,
      rowsRejected: 0,
      columns: [{ name: "city" }, { name: "people" }],
      detected: { format: "excel", sheet: "2026" },
    });
    file("tabs.gz", gzipSync("a\tb\n1\t2\n"));
    const tabs = await dataset(
      "import",
      "tabs.gz",
      "--name",
      "Tabs",
      "--type",
      "csv",
      "--delimiter",
      "tab",
      "--json",
    );
    expect(JSON.parse(tabs.out)).toMatchObject({ rowsRead: 1, detected: { compression: "gzip" } });
    const hash = file("hash.txt", "a#b\n1#2\n");
    const odd = await dataset(
      "import",
      hash,
      "--name",
      "Hash",
      "--type",
      "csv",
      "--delimiter",
      "#",
      "--json",
    );
    expect(JSON.parse(odd.out)).toMatchObject({ columns: [{ name: "a" }, { name: "b" }] });
  });

  test.each([
    ["a file that is not there", ["missing.csv"], /There is no file missing\.csv\. Check the path/],
    ["a folder", ["."], /\. is not a file/],
    ["an empty file", ["empty.csv"], /The file is empty/],
    ["a binary file", ["noise.bin"], /kenning: \S/],
    ["a name with spaces around it", ["empty.csv", "--name", " X"], /no spaces around it/],
    ["a type that is not known", ["empty.csv", "--type", "cvs"], /--type must be .* \(did you mean csv\?\)/],
  ])("refuses %s", async (_what, [name = "", ...more], sentence) => {
    file("empty.csv", "");
    file("noise.bin", Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 7919) % 256)));
    const words = more.includes("--name") ? more : [...more, "--name", "Nothing"];
    await expectRefusal(dataset("import", name, ...words), sentence);
  });

  test("refuses a workspace that is not there, or in which nobody answers for it", async () => {
    file("people.csv", CSV);
    await line.run(["workspace", "create", "lonely"]);
    const into = (slug: string) =>
      line.run(["dataset", "import", "people.csv", "--name", "X", "--workspace", slug]);
    await expectRefusal(into("nowhere"), /nowhere/);
    await expectRefusal(into("lonely"), /has no admin.*kenning user create/);
  });

  test("leaves nothing of what was refused", async () => {
    expect(await listed("Nothing")).toBeUndefined();
    for (const folder of ["imports", "engine", join("blobs", ".tmp")])
      await expect
        .poll(() => tempEntries(join(line.kenning.dataFolder, folder)), { message: folder })
        .toEqual([]);
  });
});

describe("kenning dataset export", () => {
  beforeAll(async () => {
    file("sample.csv", CSV);
    await dataset("import", "sample.csv", "--name", "Sample");
  });

  test("gives CSV and JSON back, to a file or to standard output", async () => {
    const { code, out, err } = await dataset("export", "sample", "--output", "back.csv");
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(/^Wrote Sample \(id \d+\) to back\.csv as csv\.\n$/);
    expect(written("back.csv").toString()).toBe(CSV.replaceAll("\n", "\r\n"));
    const piped = await datasetAlone("export", "Sample", "--output", "-", "--format", "json");
    expect(piped.err).toBe("");
    expect(JSON.parse(piped.out)).toEqual([
      { name: "Ada", born: "1815-12-10", score: 1.5 },
      { name: "Bob", born: "1990-01-02", score: -3 },
    ]);
  });

  test("gives Parquet back, from one part or from several, that is the same when it is imported", async () => {
    await dataset("export", "Sample", "--output", "one.parquet");
    const one = await dataset("import", "one.parquet", "--name", "One", "--json");
    expect(JSON.parse(one.out)).toMatchObject({ rowsRead: 2, detected: { format: "parquet" } });
    await dataset("import", file("more.csv", "name,age\nCy,7\n"), "--name", "One", "--append");
    await dataset("export", "One", "--output", "two.parquet");
    await dataset("import", "two.parquet", "--name", "Two");
    await dataset("export", "Two", "--output", "two.csv");
    expect(written("two.csv").toString()).toBe(
      "name,born,score,age\r\nAda,1815-12-10,1.5,\r\nBob,1990-01-02,-3,\r\nCy,,,7\r\n",
    );
    expect(await listed("Two")).toMatchObject({ columns: (await listed("One"))?.columns });
  });

  test("gives many rows in their order, and a dataset without rows", async () => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `${n},text ${n % 13}`);
    const text = `n,note\n${lines.join("\n")}\n`;
    await dataset("import", file("many.csv", text), "--name", "Many");
    await dataset("export", "Many", "--output", "many-back.csv");
    expect(written("many-back.csv").toString() === text.replaceAll("\n", "\r\n")).toBe(true);
    await dataset("export", "Many", "--output", "many-back.json");
    expect(JSON.parse(written("many-back.json").toString())).toHaveLength(50_000);
    await dataset("import", file("header.csv", "a,b\n"), "--name", "None");
    await dataset("export", "None", "--output", "none.csv");
    expect(written("none.csv").toString()).toBe("a,b\r\n");
    await dataset("export", "None", "--output", "none.json");
    expect(JSON.parse(written("none.json").toString())).toEqual([]);
    expect(await dataset("export", "None", "--output", "none.parquet")).toMatchObject({ code: 0 });
    expect(written("none.parquet").subarray(0, 4).toString()).toBe("PAR1");
  });

  test("refuses what is not there, and a place where no file can be", async () => {
    await expectRefusal(dataset("export", "Sampel", "--output", "-"), /Did you mean "Sample"\?/);
    await expectRefusal(dataset("export", "999999", "--output", "-"), /kenning call list_datasets/);
    await expectRefusal(
      dataset("export", "Sample", "--output", "no/where.csv"),
      /cannot be written \(ENOENT\)/,
    );
    expect(readdirSync(line.kenning.home).filter((name) => name.endsWith(".part"))).toEqual([]);
  });
});

describe("beside tools", () => {
  test("what was replaced comes back with what the import said", async () => {
    await dataset("import", file("back.csv", "a,b\n1,x\n2,y\n"));
    const { err } = await dataset("import", file("new.csv", "c,d\n9,z\n"), "--name", "back");
    const command =
      /replaced 2 rows .*: kenning (call restore_asset .*)\n/.exec(err)?.[1] ?? expect.fail(err);
    expect(await line.run(command.split(" "))).toMatchObject({ code: 0 });
    await dataset("export", "Back", "--output", "again.csv");
    expect(written("again.csv").toString()).toMatch(/^a,b\s+1,x\s+2,y\s+$/);
  });

  test("a word that could mean two datasets means none", async () => {
    const { id } = (await listed("back")) ?? expect.fail();
    await dataset("import", file("sample.csv", CSV), "--name", String(id));
    await expectRefusal(
      dataset("export", String(id), "--output", "-"),
      /is the name of dataset \d+ and the id of dataset back/,
    );
  });

  test("a running server sees what a command has done at once", async () => {
    const { kenning, run, env } = line;
    const token = await run(["token", "create", "--user", "boss@acme.org", "--kind", "api"]);
    const server = await kenning.serve(env);
    try {
      await dataset("import", file("sample.csv", CSV), "--name", "Beside");
      const response = await fetch(`${kenning.url}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token.out.trim()}` },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "get_data", arguments: { dataset_id: (await listed("Beside"))?.id } },
        }),
      });
      expect(await response.json()).toMatchObject({ result: { structuredContent: { totalRows: 2 } } });
    } finally {
      server.child.kill("SIGTERM");
      await server.stopped;
    }
  });
});
