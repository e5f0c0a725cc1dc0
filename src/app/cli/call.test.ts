import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ended } from "../../../test/support/command-line.ts";
import {
  expectRefusal,
  openWorkspaceLine,
  type WorkspaceLine,
} from "../../../test/support/workspace-line.ts";

let line: WorkspaceLine;

beforeAll(async () => {
  line = await openWorkspaceLine();
  await run("user", "create", "eve@acme.org", "--role", "viewer");
  const rows = 'rows=[{"region":"West","amount":1},{"region":"East","amount":2}]';
  await call("push_data", rows, "dataset_name=Sales");
});
afterAll(() => line.close());

function run(...words: string[]): Promise<Ended> {
  return line.run(words);
}

/** `kenning call TOOL`, with each word that is no option as an argument. */
function call(tool: string, ...words: string[]): Promise<Ended> {
  const isOption = (i: number) => words[i]?.startsWith("--") || words[i - 1]?.match(/^--(?!json)/);
  return run("call", tool, ...words.flatMap((word, i) => (isOption(i) ? [word] : ["--arg", word])));
}

const file: WorkspaceLine["file"] = (name, content) => line.file(name, content);

describe("kenning call", () => {
  test("prints what people read, or JSON", async () => {
    const people = await call("get_data", "dataset_id=1");
    expect(people).toMatchObject({ code: 0, err: "" });
    expect(people.out).toMatch(/^totalRows: 2\n(?:.*\n)*rows:\nREGION +AMOUNT\nWest +1\nEast +2\n$/);
    const program = await call("get_data", "dataset_id=1", "limit=1", "--json");
    expect(JSON.parse(program.out)).toMatchObject({ totalRows: 2, rows: [{ region: "West", amount: 1 }] });
    expect(
      JSON.parse((await run("call", "get_data", "--args", '{"dataset_id":1}', "--json")).out),
    ).toMatchObject({
      returnedRows: 2,
    });
  });

  test("reads each value as the tool wants it", async () => {
    const made = await call("store_memory", "content=123", "tags=a, b");
    expect(made).toMatchObject({ code: 0 });
    const listed = JSON.parse((await call("list_memories", "--json")).out);
    expect(JSON.stringify(listed)).toContain('"tags":["a","b"]');
    const rows = file("rows.json", '[{"id":1}]');
    await call("push_data", "dataset_name=Pushed", `rows=@${rows}`);
    const push = ["call", "push_data", "--arg", "dataset_name=Pushed", "--arg", "rows=@-"];
    const piped = await line.run(push, '[{"id":2}]');
    expect(piped.out).toMatch(/total_rows: 2/);
    const semicolons = file("semi.csv", "a;b\n1;2\n");
    const imported = await call("import_file", `file_url=@${semicolons}`, "options.delimiter=;", "--json");
    expect(JSON.parse(imported.out)).toMatchObject({ dataset_name: "semi", total_rows: 1 });
  });

  test("writes the file that a tool answers", async () => {
    expect((await call("export_data", "dataset_id=1")).out).toBe("region,amount\r\nWest,1\r\nEast,2\r\n");
    const written = await call("export_data", "dataset_id=1", "format=parquet", "--output", "sales.parquet");
    expect(written).toMatchObject({ code: 0, out: "", err: "Wrote sales.parquet.\n" });
    expect(readFileSync(join(line.kenning.home, "sales.parquet")).toString("latin1")).toMatch(/^PAR1/);
    expect((await call("export_data", "dataset_id=1", "format=parquet")).err).toMatch(/--output FILE/);
  });

  test("works on the documents that it stores, without a server", async () => {
    const note = file("note.md", "# Leave\n\nThirty days a year.\n");
    expect((await call("add_document", `file_url=@${note}`)).out).toMatch(/index_status: success/);
    expect((await call("search_documents", "query=days a year")).out).toMatch(/Thirty days a year/);
  });

  test("is the operator's, or has the power of a member and no more", async () => {
    expect((await call("whoami")).out).toMatch(/kind: operator/);
    expect((await call("whoami", "--user", "EVE@acme.org")).out).toMatch(/role: viewer/);
    await expectRefusal(
      call("push_data", "dataset_name=x", "rows=[]", "--user", "eve@acme.org"),
      /Insufficient permissions: bi:write is missing\. Your role is viewer/,
    );
    await expectRefusal(
      call("whoami", "--user", "nobody@acme.org"),
      /not a member of acme\. See: kenning user list/,
    );
    await expectRefusal(call("whoami", "--workspace", "nowhere"), /no workspace "nowhere"/);
  });

  test("stands in the audit log, the operator's calls as the operator's", async () => {
    const events = JSON.parse((await run("audit", "list", "--json", "--action", "mcp.tool.call")).out) as {
      resourceId: string;
      email: string | null;
      success: boolean;
      metadata: Record<string, unknown>;
    }[];
    const of = (name: string) => events.find(({ resourceId }) => resourceId === name);
    expect(of("get_data")).toMatchObject({
      email: null,
      metadata: { by: "operator", clientName: "kenning call" },
    });
    expect(of("push_data")).toMatchObject({ email: "eve@acme.org", success: false });
  });

  test("says in the shell's words what is wrong", async () => {
    await expectRefusal(call("get_dat"), /There is no tool "get_dat"\. Did you mean get_data\?/);
    await expectRefusal(call("get_data", "dataset_id=99"), /kenning call list_datasets shows what there is/);
    await expectRefusal(call("get_data", "dataset_id=one"), /dataset_id must be a number, not a text/);
    await expectRefusal(call("list_datasets", "limi=3"), /did you mean limit\?/);
    await expectRefusal(call("list_datasets", "limit"), /--arg takes NAME=VALUE, not "limit"/);
    await expectRefusal(call("list_datasets", "limit=1", "limit=2"), /limit is given twice/);
    await expectRefusal(call("list_datasets", "query=@nowhere.txt"), /nowhere\.txt cannot be read/);
    await expectRefusal(call("import_file", "file_url=@nowhere.csv"), /There is no file nowhere\.csv/);
    await expectRefusal(run("call", "list_datasets", "--args", "[1]"), /--args is no JSON object/);
    await expectRefusal(
      line.kenning.call(["call", "whoami"], { env: { DATABASE_URL: line.env.DATABASE_URL as string } }),
      /--workspace SLUG/,
    );
  });

  test("prints one field of the answer", async () => {
    expect((await call("whoami", "--field", "workspace.slug")).out).toBe("acme\n");
    expect((await call("whoami", "--field", "user.name.x")).err).toMatch(/has no field user\.name\.x/);
    expect((await call("whoami", "--field", "rolle")).err).toMatch(/There are: user, workspace, role/);
  });

  test.each([
    ["dataset list", "kenning call list_datasets"],
    ["kb create", "kenning call create_knowledge_base --arg name=…"],
    ["model validate", "kenning model publish FILE --dry-run"],
  ])("took the place of %s, which says so", async (old, now) => {
    await expectRefusal(run(...old.split(" "), "--json"), new RegExp(`kenning ${old} is now: ${now}`));
  });

  test("tells all tools, and the arguments of one", async () => {
    expect((await run("call", "--help")).out).toMatch(/^ {2}data: list_datasets, push_data/m);
    const { out } = await run("call", "export_data", "--help");
    expect(out).toMatch(/^ {2}format \(csv \| json \| parquet, default "csv"\)$/m);
    await expectRefusal(run("call", "export_dat", "--help"), /Did you mean export_data\?/);
  });
});

test("a shell completes commands, choices, tools and their arguments", async () => {
  const { out } = await run("completion", "bash");
  const typed = (...words: string[]) =>
    execFileSync("bash", [
      "-c",
      `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _kenning; echo "\${COMPREPLY[*]}"`,
      "-",
      "kenning",
      ...words,
    ])
      .toString()
      .trim();
  expect(typed("us")).toBe("user");
  expect(typed("user", "create", "a@b.c", "--role", "")).toBe("admin contributor viewer");
  expect(typed("call", "get_det")).toBe("get_details");
  expect(typed("call", "get_data", "--arg", "li")).toBe("limit=");
  expect(typed("doctor", "--d")).toBe("--deep");
  expect((await run("completion", "zsh")).out).toContain("bashcompinit");
  expect((await run("completion", "fish")).out).toContain("complete -c kenning");
  await expectRefusal(run("completion", "cmd"), /bash, zsh or fish, not "cmd"/);
});
