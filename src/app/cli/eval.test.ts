import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CommandLine } from "../../../test/support/command-line.ts";
import { CAFE_MODEL, CAFE_ROWS } from "../../../test/support/questions.ts";

let kenning: CommandLine;

beforeAll(async () => {
  kenning = await CommandLine.open();
  mkdirSync(join(kenning.home, "tables"));
  for (const [name, rows] of Object.entries(CAFE_ROWS)) {
    const columns = Object.keys(rows[0] as object);
    const lines = rows.map((row) =>
      columns.map((column) => (row as Record<string, unknown>)[column] ?? "").join(","),
    );
    file(`tables/${name}.csv`, [columns.join(","), ...lines, ""].join("\n"));
  }
  file("model.yaml", CAFE_MODEL);
});
afterAll(() => kenning.remove());

function file(name: string, content: string): void {
  writeFileSync(join(kenning.home, name), content);
}

const evaluation = (words: readonly string[]) => [
  "eval",
  "questions",
  "--model",
  "model.yaml",
  "--tables",
  "tables",
  ...words,
];

function evaluate(...words: string[]) {
  return kenning.call(evaluation(words));
}

const QUESTIONS = [
  { id: "a", question: "revenue", kind: "simple", expect: "answer", rows: [[50]] },
  { id: "b", question: "average ticket", kind: "simple", expect: "answer", rows: [[11]] },
  { id: "c", question: "xylophones", kind: "odd", expect: "refuse", as_of: "2025-03-31" },
  { question: "goal" },
  {
    id: "e",
    question: "by shop?",
    follows: "a",
    kind: "odd",
    expect: "answer",
    rows: [[13], [5], [12], [20]],
  },
];

describe("kenning eval questions", () => {
  test("asks every question, judges what has a right answer, and leaves nothing behind", async () => {
    mkdirSync(join(kenning.home, "temporary"));
    vi.stubEnv("TMPDIR", join(kenning.home, "temporary"));
    file("questions.jsonl", `${QUESTIONS.map((each) => JSON.stringify(each)).join("\n")}\n`);
    const { code, out, err } = await kenning.run(
      evaluation(["--questions", "questions.jsonl", "--out", "answers.jsonl", "--at-least", "75"]),
    );
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining("error") });
    expect(out).toMatch(
      /^Answered, but wrong: 1 of 4 \(25\.0 %\)\n {2}b \(0\.\d+\) average ticket — understood as: /,
    );
    expect(out).toContain("  odd: 2 of 2 (100.0 %)\n  simple: 1 of 2 (50.0 %)\n  in all: 3 of 4 (75.0 %)\n");
    expect(out).toMatch(/Outcomes: answer 4, refuse 1\nTime: p50 [\d.]+ ms, p95 [\d.]+ ms\n$/);
    const answers = readFileSync(join(kenning.home, "answers.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers[0]).toEqual({
      id: "a",
      question: "revenue",
      outcome: "answer",
      columns: ["revenue"],
      rows: [[50]],
      sql: expect.stringContaining("SELECT"),
      confidence: expect.any(Number),
      reading: expect.any(String),
      ms: expect.any(Number),
    });
    expect(answers.map(({ id, outcome }) => [id, outcome])).toEqual([
      ["a", "answer"],
      ["b", "answer"],
      ["c", "refuse"],
      ["4", "answer"],
      ["e", "answer"],
    ]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("kenning-eval-"))).toEqual([]);
    vi.unstubAllEnvs();
  });

  test("ends with 1 where fewer are right than they should be", async () => {
    file("one.jsonl", '{"question": "revenue", "rows": [[51]]}\n');
    const { code, err } = await kenning.call(evaluation(["--questions", "one.jsonl", "--at-least", "50"]));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("Fewer than 50 % are right.") });
    const odd = await kenning.call(evaluation(["--questions", "one.jsonl", "--at-least", "all"]));
    expect(odd.err).toMatch(/from 0 to 100/);
  });

  test("says what is wrong with its files", async () => {
    file("bad.jsonl", '{"question": "revenue"}\n{"question": 5}\n');
    expect(await evaluate("--questions", "bad.jsonl")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/bad\.jsonl:2 is no question/),
    });
    expect((await evaluate("--questions", "nowhere.jsonl")).err).toMatch(/no file nowhere\.jsonl/);
    file("lost.jsonl", '{"question": "by shop?", "follows": "a"}\n');
    expect((await evaluate("--questions", "lost.jsonl")).err).toMatch(
      /no question before "1" has the id "a"/,
    );
    file("empty.jsonl", "\n");
    expect((await evaluate("--questions", "empty.jsonl")).err).toMatch(/no question in empty\.jsonl/);
    const lost = await evaluate("--questions", "questions.jsonl", "--out", "nowhere/answers.jsonl");
    expect(lost.err).toMatch(/no folder .*nowhere/);
    mkdirSync(join(kenning.home, "odd"));
    writeFileSync(join(kenning.home, "odd/shops.csv"), Buffer.from([0, 1, 2, 0, 255, 254, 0]));
    const odd = await kenning.call("eval questions --tables odd --questions questions.jsonl".split(" "));
    expect(odd.err).toMatch(/odd\/shops\.csv could not be read/);
    file("wrong.yaml", CAFE_MODEL.replace('"expression":"seats"', '"expression":"chairs"'));
    const wrong = await kenning.call(
      "eval questions --model wrong.yaml --tables tables --questions questions.jsonl".split(" "),
    );
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/chairs/);
  });
});

describe("kenning eval trace", () => {
  test("shows what each word was taken for, the readings and what is missing", async () => {
    const trace = (question: string, ...more: string[]) =>
      kenning.call(["eval", "trace", question, "--model", "model.yaml", "--tables", "tables", ...more]);
    const { code, out } = await trace("revenue of Aroma in march", "--as-of", "2025-03-31");
    expect(code).toBe(0);
    expect(out).toMatch(/^Over .*shops.*\n\nWords:\n {2}revenue\n {6}revenue: table .*revenue/);
    expect(out).toMatch(/ {6}march: window .*2025-03-01/);
    expect(out).toMatch(/Readings, the best first:\n {2}revenue where shop is Aroma in March 2025 \(\d/);
    expect((await trace("xylophones by shop")).out).toContain("Missing: xylophones\n");
    expect((await trace("revenue", "--as-of", "today")).err).toMatch(/--as-of is a date/);
  });
});
