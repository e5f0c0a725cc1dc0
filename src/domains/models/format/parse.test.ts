import { describe, expect, it } from "vitest";
import { LIMITS } from "../limits.ts";
import { readModels } from "./read-models.ts";

/** Hostile and broken files: every one is refused with its place, quickly, and none is half read. */

const HEAD = 'version: "0.2.0.dev0"\nsemantic_model:\n  - name: sales\n';

function refusal(text: string, name = "sales.yaml") {
  const { models, problems } = readModels([{ name, text }]);
  expect(models).toEqual([]);
  return problems.map(({ line, message }) => `${line}: ${message}`);
}

function read(text: string, name = "sales.yaml") {
  const { models, problems } = readModels([{ name, text }]);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return models[0]!;
}

const DATASETS =
  "    datasets:\n      - name: orders\n        source: orders\n        fields: [{ name: id }]\n";

describe("a broken file", () => {
  it("says every mistake in its syntax, with line and column", () => {
    const { problems } = readModels([{ name: "a.yaml", text: 'a: b: c\nd: "x" y\n' }]);
    expect(problems).toMatchObject([
      { severity: "error", file: "a.yaml", line: 1, path: "" },
      { severity: "error", file: "a.yaml", line: 2 },
    ]);
    expect(problems[0]?.message).toBe("There is a second `: ` in one line (line 1, column 4).");
    expect(problems[0]?.hint).toBe("Put a text that holds a colon between quotes.");
  });

  it("with tabs is told to use spaces", () => {
    const { problems } = readModels([{ name: "a.yaml", text: "a:\n\tb: 1\n" }]);
    expect(problems[0]).toMatchObject({ line: 2, hint: "Indent with spaces." });
  });

  it("with a conflict of versions says so", () => {
    const { problems } = readModels([
      { name: "a.yaml", text: `<<<<<<< HEAD\n${HEAD}=======\nb: 2\n>>>>>>> theirs\n` },
    ]);
    expect(problems[0]?.hint).toContain("conflict");
  });

  it.each([
    ["nothing", "", "1: The file is empty."],
    ["only a comment", "# later\n", "1: The file is empty."],
    ["a list", "- a\n- b\n", "1: The file holds no semantic model: it must be a map with keys."],
    ["something else", "a: 1\n", "1: The file holds no semantic model."],
    ["a key twice", `${HEAD}    name: sales\n`, "4: The key name stands here twice."],
    ["a key twice in JSON", '{\n"a": 1,\n"a": 2\n}', "3: The key a stands here twice."],
    ["a tag", "a: 1\nb: !!js/function 'function () {}'\n", "2: The tag !!js/function is not allowed."],
    ["a tag of its own", "a: !secret x\n", "1: The tag !secret is not allowed."],
    ["binary data", "a: !!binary aGVsbG8=\n", "1: The tag !!binary is not allowed."],
    [
      "a prototype",
      "a: 1\n__proto__: { b: 1 }\n",
      "2: The file has the key __proto__, which is not allowed.",
    ],
    ["NUL", 'a: "\\0"\n', "1: The text holds a NUL character."],
    ["half a pair", 'a: "\\ud800"\n', "1: The text holds half of a surrogate pair."],
    ["an unknown alias", "a: *b\n", "1: The alias *b stands for nothing that comes before it."],
    ["an alias of itself", "a: &a [*a]\n", "1: The alias *a stands for nothing that comes before it."],
    ["a merge of no map", "a: { <<: [1] }\n", "1: Only maps can be merged with <<."],
    ["a key that is a list", "? [a]\n: 1\n", "1: A key must be a plain text (line 1, column 3)."],
  ])("with %s is refused", (_, text, expected) => {
    expect(refusal(text)).toEqual([expected]);
  });

  it("that is not UTF-8 is warned about", () => {
    const { problems } = readModels([{ name: "a.yaml", text: `# caf\uFFFD\n${HEAD}${DATASETS}` }]);
    expect(problems).toMatchObject([{ severity: "warning", line: 1, hint: "Save it as UTF-8." }]);
  });
});

describe("a hostile file", () => {
  it("cannot laugh a billion times", () => {
    const laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 20; i++)
      laughs.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    expect(refusal(laughs.join("\n"))).toEqual([
      "5: The file is too large when its aliases are written out.",
    ]);
  });

  it("cannot repeat a long text, or merge a large map, over and over", () => {
    const text = `a: &a "${"x".repeat(100_000)}"\nb: [${Array(1_000).fill("*a").join(",")}]\n`;
    expect(refusal(text)).toEqual(["2: The file is too large when its aliases are written out."]);
    const map = Array.from({ length: 2_000 }, (_, i) => `  k${i}: 1`).join("\n");
    const merges = `a: &a\n${map}\nb:\n${"  - <<: *a\n".repeat(2_000)}`;
    expect(refusal(merges)[0]).toContain("too large");
  });

  it.each([
    ["lists", "[".repeat(100_000)],
    ["maps", "{a: ".repeat(60_000)],
    ["block lists", `${"- ".repeat(100_000)}x`],
    ["a few too many lists", `a: ${"[".repeat(60)}${"]".repeat(60)}`],
  ])("cannot nest %s too deep", (_, text) => {
    expect(refusal(text).length).toBeGreaterThan(0);
  });

  it("cannot be too large, or too many", () => {
    const tooMuch = "More than 2,000 files or 4 MB cannot be read together.";
    expect(refusal("x".repeat(LIMITS.models.modelBytes + 1))).toEqual([`1: ${tooMuch}`]);
    expect(refusal(`[${"1,".repeat(900_000)}1]`)).toEqual(["1: The file is too long to be read."]);
    const files = Array.from({ length: 10 }, (_, i) => ({
      name: `${i}.yaml`,
      text: "# ".padEnd(1_000_000, "x"),
    }));
    expect(readModels(files).problems.at(-1)?.message).toBe(tooMuch);
  });

  it("does not make a long list of problems", () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => `    unknown_${i}: 1\n`).join("");
    const { problems } = read(`${HEAD}${DATASETS}${keys}`);
    expect(problems).toHaveLength(LIMITS.models.problems + 1);
    expect(problems.at(-1)).toMatchObject({ severity: "warning", message: "There are 800 more problems." });
  });

  it("never cuts errors off behind warnings", () => {
    const keys = Array.from({ length: 300 }, (_, i) => `    unknown_${i}: 1\n`).join("");
    const { problems } = read(`${HEAD}${keys}    datasets: []\n`);
    expect(problems).toHaveLength(LIMITS.models.problems + 1);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { message: "The model has no datasets." },
    ]);
    expect(problems.at(-1)).toMatchObject({ severity: "warning", message: "There are 101 more problems." });
    const nameless = `${HEAD}    datasets: [${"{}, ".repeat(300)}]\n`;
    expect(read(nameless).problems.at(-1)).toMatchObject({ severity: "error", path: "" });
  });

  it("takes no long time over many unknown keys or columns", () => {
    const keys = Array.from({ length: 12_000 }, (_, i) => `    descriptions_of_it_${i}: 1\n`).join("");
    const fields = Array.from({ length: 300 }, (_, i) => `{ name: a_rather_long_name_of_a_field_${i} }`);
    const columns = Array.from({ length: 10_000 }, (_, i) => `a_rather_long_name_of_fields_${i}`).join(", ");
    const relationship = `{ name: r, from: d, to: d, from_columns: [${columns}], to_columns: [${columns}] }`;
    const started = process.cpuUsage();
    read(`${HEAD}${DATASETS}${keys}`);
    read(
      `${HEAD}    datasets: [{ name: d, source: d, fields: [${fields.join(", ")}] }]\n    relationships: [${relationship}]\n`,
    );
    const misspelt = Array.from(
      { length: 1_000 },
      (_, i) =>
        `{ name: r${i}, from: a_rather_long_nam_${i}, to: a_rather_long_nane_${i}, from_columns: [x], to_columns: [x] }`,
    );
    const datasets = Array.from({ length: 300 }, (_, i) => `{ name: a_rather_long_name_${i}, source: d }`);
    read(`${HEAD}    datasets: [${datasets.join(", ")}]\n    relationships: [${misspelt.join(", ")}]\n`);
    expect(refusal("- ]\n".repeat(20_000)).length).toBeGreaterThan(0);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(8_000);
  });

  it("takes no longer for the same letters in another place", () => {
    const names = Array.from({ length: 200 }, (_, i) => `{ name: ${"d".repeat(58)}${i}, source: s }`).join();
    const ends = Array.from(
      { length: 30 },
      (_, i) => `{ name: r${i}, from: ${"d".repeat(50)}x${i}, to: y, from_columns: a, to_columns: b }`,
    ).join();
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}: 1`).join();
    const long = (i: number) => `${"d".repeat(180)}${i}`;
    const join = (i: number, from: number, to: number) =>
      `{ name: r${i}, from: ${long(from)}, to: ${long(to)} }`;
    const chain = Array.from({ length: 1_500 }, (_, i) => join(i, i, i + 1));
    const circles = Array.from({ length: 1_500 }, (_, i) => join(1_500 + i, i % 700, 1_499 - (i % 800)));
    const started = process.cpuUsage();
    for (const text of [
      // Every bracket with every other took a minute.
      `${HEAD}    datasets: [{ name: d, source: d, fields: [{ name: f, datatype: "${"(".repeat(200_000)}" }] }]\n`,
      // A regular expression would run out of stack.
      `${HEAD}    datasets: [{ name: d, source: d, fields: [{ name: f, expression: '"${'""'.repeat(900_000)}' }] }]\n`,
      `${HEAD}    relationships: [${[...chain, ...circles].join()}]\n`,
      `version: 1.0\nx: &m { name: m, ${keys} }\nsemantic_model: [${Array(4_000).fill("*m").join()}]`,
      `version: 1.0\nx: &d [${names}]\ny: &r [${ends}]\nsemantic_model: [${Array(40).fill("{ name: m, datasets: *d, relationships: *r }").join()}]`,
      `a: [a] "${" ".repeat(300_000)}x"`,
      "\n".repeat(3_000_000),
    ]) {
      expect(() => readModels([{ name: "m.yaml", text }]).models.length).not.toThrow(/stack|undefined/);
    }
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(8_000);
  });

  it("cannot hide a long list in the text of an extension", () => {
    const list = (length: number) => `'{"x": [${Array(length).fill(1).join(",")}]}'`;
    const extension = (length: number) =>
      `    custom_extensions: [{ vendor_name: DBT, data: ${list(length)} }, { vendor_name: DBT, data: ${list(length)} }]\n`;
    const hint = (text: string) => read(text).problems.map(({ message }) => message);
    expect(hint(`${HEAD}${DATASETS}${extension(40_000)}`)).toEqual([]);
    expect(hint(`${HEAD}${DATASETS}${extension(60_000)}`)).toEqual(["The data is too long to be read."]);
  });
});

describe("what is unusual but right", () => {
  it("is read: byte order mark, Windows line ends, anchors, merges, plain tags", () => {
    const text =
      `\uFEFF${HEAD}    ai_context: &context { synonyms: [revenue] }\n    description: !!str 2024\n${DATASETS}
        description: text
        <<: { description: other, ai_context: *context }\n`.replaceAll("\n", "\r\n");
    const { model, problems } = read(text);
    expect(problems).toEqual([]);
    expect(model.description).toBe("2024");
    expect(model.datasets[0]).toMatchObject({ description: "text", ai: { synonyms: ["revenue"] } });
  });

  it("is read: JSON with tabs, escapes and a long number", () => {
    const text = JSON.stringify(
      {
        version: "0.2.0.dev0",
        semantic_model: [
          {
            name: "sales",
            ai_context: { icon: "📈/é" },
            datasets: [{ name: "orders", source: "orders", fields: [{ name: "id", custom_extensions: [] }] }],
          },
        ],
      },
      null,
      "\t",
    )
      .replace("📈", "\\ud83d\\udcc8")
      .replace(
        '"custom_extensions": []',
        '"custom_extensions": [{"vendor_name": "COMMON", "data": {"distinct_values": [12345678901234567890, 1.50, 9007199254740991]}}]',
      );
    const { model } = read(text, "sales.json");
    expect(model.ai.more).toEqual({ icon: "📈/é" });
    expect(model.datasets[0]?.fields[0]?.distinctValues).toEqual([
      "12345678901234567890",
      1.5,
      9007199254740991,
    ]);
  });
});
