import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ended } from "../../../test/support/command-line.ts";
import { openWorkspaceLine, type WorkspaceLine } from "../../../test/support/workspace-line.ts";

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

let line: WorkspaceLine;

beforeAll(async () => {
  line = await openWorkspaceLine();
  await line.run(["dataset", "import", file("people.csv", "name,score\nAda,1.5\nBob,-3\n")]);
});
afterAll(() => line.close());

function publish(...words: string[]): Promise<Ended> {
  return line.run(["model", "publish", ...words]);
}

const file: WorkspaceLine["file"] = (name, content) => line.file(name, content);

/** The published model, or one that it was, as a file. */
async function source(modelName: string, more: object = {}): Promise<string> {
  const args = { modelName, version: "published", ...more };
  return (await line.tool<{ source: string }>("read_semantic_model", args)).source;
}

describe("kenning model publish", () => {
  test("publishes a file, and says before what would change", async () => {
    const good = file("people.yaml", MODEL([FIELD("name"), FIELD("score")]));
    const dry = await publish(good, "--dry-run");
    expect(dry).toMatchObject({ code: 0, err: "" });
    expect(dry.out).toContain("+ datasets.person");
    const nothing = await line.run(["call", "read_semantic_model", "--arg", "modelName=people"]);
    expect(nothing.code).toBe(1);

    expect(await publish(good)).toMatchObject({ code: 0, err: "Published people, version 1.\n" });
    expect((await publish(good, "--dry-run")).out).toBe("people:\nno differences\n");
    const doubled = file("doubled.yaml", MODEL([FIELD("name"), FIELD("score", "score * 2")]));
    expect((await publish(doubled, "--dry-run")).out).toContain("datasets.person.fields.score");
    await publish(doubled);
    const exported = await line.run([
      "call",
      "read_semantic_model",
      "--arg",
      "modelName=people",
      "--field",
      "source",
    ]);
    expect(exported.out).toContain("score * 2");
    expect(await source("people", { version: 1 })).not.toContain("score * 2");
    // In a process of its own, which has to end by itself.
    file("out.yaml", exported.out);
    const alone = await line.kenning.run(["model", "publish", "out.yaml"], { env: line.env });
    expect(alone).toMatchObject({ code: 0, err: "Published people, version 3.\n" });
  });

  test("does not take the place of a model about other data unasked", async () => {
    await line.run(["dataset", "import", file("cats.csv", "name,score\nTom,1\n")]);
    const text = MODEL([FIELD("name"), FIELD("score")]).replace(/source: \S+?([,\s])/, "source: cats$1");
    const cats = file("cats.yaml", text);
    expect(await publish(cats)).toMatchObject({
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
    const { code, err } = await publish(file("instructed.yaml", text), "--dry-run");
    expect(code).toBe(0);
    expect(err).toMatch(
      /^instructed\.yaml:4: warning: No rule was made of this sentence.*"Be kind to newcomers"/m,
    );
    expect(err).toMatch(/"Score matters"/);
    expect(err).not.toMatch(/counts as good/);
  });

  test("names file and line of every error, and publishes nothing then", async () => {
    const bad = file("bad.yaml", MODEL([FIELD("name"), FIELD("scores"), FIELD("half", "score /")]));
    for (const more of [["--dry-run"], []]) {
      const { code, err } = await publish(bad, ...more);
      expect(code).toBe(1);
      expect(err).toMatch(/^bad\.yaml:10: error: .*column scores.* Did you mean score\?$/m);
      expect(err).toMatch(/^bad\.yaml:11: error: The field half of person cannot be computed as score \//m);
    }
    expect(await source("people")).not.toContain("half");
  });

  test("reads a folder with a root file and a file for each dataset", async () => {
    mkdirSync(join(line.kenning.home, "src/club"), { recursive: true });
    file("src/club.yaml", "name: club\ndescription: A club\n");
    file(
      "src/club/member.yaml",
      `name: member\nsource: crm.public.people\nfields:\n  - ${FIELD("name")}\ncustom_extensions:\n  - vendor_name: COMMON\n    data: '{"view_query":"SELECT name FROM crm.public.people WHERE score > 0"}'\n`,
    );
    expect(await publish("src")).toMatchObject({ code: 0, err: "Published club, version 1.\n" });
    expect(await source("club")).toContain("view_query");
  });

  test.each([
    ["nothing.yaml", null, /There is no file or folder nothing\.yaml/],
    ["empty.yaml", "", /empty\.yaml/],
    ["broken.yaml", "a: [1", /broken\.yaml:1/],
    ["other.yaml", "hello: world", /other\.yaml/],
    ["large.yaml", "#".repeat(4 * 1024 * 1024 + 1), /large\.yaml is larger than 4 MB/],
  ])("refuses %s", async (name, content, sentence) => {
    if (content !== null) file(name, content);
    const { code, out, err } = await publish(name);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(sentence);
  });
});
