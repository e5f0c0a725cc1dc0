import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandLine, type Ended } from "../../../test/support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";

const FIELD = (name: string, expression = name) =>
  `{ name: ${name}, expression: { dialects: [{ dialect: ANSI_SQL, expression: "${expression}" }] } }`;

const MODEL = (fields: string[]) => `version: "0.2.0.dev0"
semantic_model:
  - name: people
    datasets:
      - name: person
        source: people
        primary_key: [name]
        fields:
${fields.map((field) => `          - ${field}`).join("\n")}
`;

let kenning: CommandLine;
let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  await kenning.call(["workspace", "create", "acme"], { env });
  await kenning.call(["user", "create", "boss@acme.org", "--workspace", "acme", "--role", "admin"], { env });
  const csv = file("people.csv", "name,score\nAda,1.5\nBob,-3\n");
  await kenning.call(["dataset", "import", csv, "--workspace", "acme", "--name", "people"], { env });
});
afterAll(async () => {
  await database.drop();
  kenning.remove();
});

function model(...words: string[]): Promise<Ended> {
  return kenning.call(["model", ...words, "--workspace", "acme"], { env });
}

function file(name: string, content: string): string {
  writeFileSync(join(kenning.home, name), content);
  return name;
}

describe("kenning model", () => {
  test("infers a file that can be published", async () => {
    const { code, out, err } = await model("infer", "--datasets", "people", "--name", "guessed");
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("likely: key: name") });
    expect(out).toContain("name: average_score");
    const guessed = file("guessed.yaml", out);
    expect(await model("validate", guessed)).toMatchObject({ code: 0 });
    expect(await model("infer", "--out", "inferred.yaml")).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(join(kenning.home, "inferred.yaml"), "utf8")).toContain("name: acme");
    expect(await model("infer", "--datasets", "nothing")).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no dataset "nothing"'),
    });
  });

  test("validates, diffs, publishes, lists and exports a file", async () => {
    const good = file("people.yaml", MODEL([FIELD("name"), FIELD("score")]));
    expect(await model("validate", good)).toMatchObject({ code: 0, err: "people: no errors.\n" });
    expect((await model("list", "--json")).out).toBe("[]\n");
    expect((await model("diff", good)).out).toContain("+ datasets.person");

    expect(await model("publish", good)).toMatchObject({ code: 0, err: "Published people, version 1.\n" });
    expect(JSON.parse((await model("list", "--json")).out)).toMatchObject([
      { name: "people", publishedVersion: 1, hasDraft: false },
    ]);
    expect((await model("diff", good)).out).toBe("people:\nno differences\n");

    const doubled = file("doubled.yaml", MODEL([FIELD("name"), FIELD("score", "score * 2")]));
    const { out } = await model("diff", doubled);
    expect(out).toContain("datasets.person.fields.score");
    await model("publish", doubled);
    expect(await model("export", "people", "--output", "out.yaml")).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(join(kenning.home, "out.yaml"), "utf8")).toContain("score * 2");
    expect((await model("export", "people", "--version", "1")).out).not.toContain("score * 2");
    // In a process of its own, which has to end by itself.
    const alone = await kenning.run(["model", "publish", "out.yaml", "--workspace", "acme"], { env });
    expect(alone).toMatchObject({ code: 0, err: "Published people, version 3.\n" });
  });

  test("does not take the place of a model about other data unasked", async () => {
    const rows = join(kenning.home, "cats.csv");
    writeFileSync(rows, "name,score\nTom,1\n");
    await kenning.call(["dataset", "import", rows, "--workspace", "acme", "--name", "cats"], { env });
    const text = MODEL([FIELD("name"), FIELD("score")]).replace(/source: \S+?([,\s])/, "source: cats$1");
    const cats = file("cats.yaml", text);
    expect(await model("publish", cats)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/about other data: .*--replace/s),
    });
  });

  test("says of which sentences of the instructions no rule was made", async () => {
    const instructions =
      "A person counts as good when its score exceeds 1. Be kind to newcomers. Score matters";
    const text = MODEL([FIELD("name"), FIELD("score")]).replace(
      "    datasets:",
      `    ai_context: { instructions: "${instructions}" }\n    datasets:`,
    );
    const { code, err } = await model("validate", file("instructed.yaml", text));
    expect(code).toBe(0);
    expect(err).toMatch(
      /^instructed\.yaml:4: warning: No rule was made of this sentence.*"Be kind to newcomers"/m,
    );
    expect(err).toMatch(/"Score matters"/);
    expect(err).not.toMatch(/counts as good/);
  });

  test("names file and line of every error, and publishes nothing then", async () => {
    const bad = file("bad.yaml", MODEL([FIELD("name"), FIELD("scores"), FIELD("half", "score /")]));
    for (const verb of ["validate", "publish"]) {
      const { code, err } = await model(verb, bad);
      expect(code).toBe(1);
      expect(err).toMatch(/^bad\.yaml:10: error: .*column scores.* Did you mean score\?$/m);
      expect(err).toMatch(/^bad\.yaml:11: error: The field half of person cannot be computed as score \//m);
    }
    expect((await model("export", "people")).out).not.toContain("half");
  });

  test("reads a folder with a root file and a file for each dataset", async () => {
    mkdirSync(join(kenning.home, "src/club"), { recursive: true });
    file("src/club.yaml", "name: club\ndescription: A club\n");
    file(
      "src/club/member.yaml",
      `name: member\nsource: crm.public.people\nfields:\n  - ${FIELD("name")}\ncustom_extensions:\n  - vendor_name: COMMON\n    data: '{"view_query":"SELECT name FROM crm.public.people WHERE score > 0"}'\n`,
    );
    expect(await model("publish", "src")).toMatchObject({ code: 0, err: "Published club, version 1.\n" });
    expect((await model("export", "club")).out).toContain("view_query");
  });

  test.each([
    ["nothing.yaml", null, /There is no file or folder nothing\.yaml/],
    ["empty.yaml", "", /empty\.yaml/],
    ["broken.yaml", "a: [1", /broken\.yaml:1/],
    ["other.yaml", "hello: world", /other\.yaml/],
    ["large.yaml", "#".repeat(4 * 1024 * 1024 + 1), /large\.yaml is larger than 4 MB/],
  ])("refuses %s", async (name, content, sentence) => {
    if (content !== null) file(name, content);
    const { code, out, err } = await model("publish", name);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(sentence);
  });

  test("refuses what is not there", async () => {
    expect((await model("export", "peple")).err).toContain("Did you mean people?");
    const draft = await model("export", "people", "--draft");
    expect(draft).toMatchObject({ code: 1, err: expect.stringContaining("people has no draft.") });
    expect(draft.err).toContain("It has the versions 3, 2, 1.");
    expect((await model("export", "people", "--version", "9")).err).toContain("people has no version 9.");
    for (const version of ["abc", "0", "1.5"]) {
      expect(await model("export", "people", "--version", version)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`--version must be the number of a version, not ${version}.`),
      });
    }
    const elsewhere = await kenning.call(["model", "list", "--workspace", "nowhere"], { env });
    expect(elsewhere.code).toBe(1);
  });
});
