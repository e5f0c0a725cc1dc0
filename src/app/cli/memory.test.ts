import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ended } from "../../../test/support/command-line.ts";
import { openWorkspaceLine, type WorkspaceLine } from "../../../test/support/workspace-line.ts";

let line: WorkspaceLine;

beforeAll(async () => {
  line = await openWorkspaceLine();
});
afterAll(() => line.close());

function run(words: readonly string[]): Promise<Ended> {
  return line.run(words);
}

function importLines(lines: readonly string[]): Promise<Ended> {
  writeFileSync(join(line.kenning.home, "facts.jsonl"), lines.join("\n"));
  return run(["memory", "import", "facts.jsonl", "--json"]);
}

test("stores lines with their ids, times and relations, and only what is missing the next time", async () => {
  const lines = [
    {
      memory_id: "D1:1",
      content: "Ann: Hello.",
      source: "session 1",
      relations: [{ rel_type: "PRECEDES", to: "D1:2" }],
    },
    { memory_id: "D1:2", content: "Bob: Hi.", source: "session 1", created_at: "2023-03-27T13:10:00Z" },
    { content: "A fact.", title: "Fact", valid_from: "2020-01-01", valid_to: "2021-01-01", tags: ["a"] },
  ].map((line) => JSON.stringify(line));
  const early = { memory_id: "b", content: "y", valid_from: "2020-01-01", valid_to: "2021-01-01" };
  const bad = [
    "{",
    '{"content":" "}',
    '{"content":"x","memory_id":"a b"}',
    '{"text":"x"}',
    JSON.stringify({ content: "x", versions: [{ ...early, recorded_at: "2020-01-01" }] }),
    JSON.stringify({
      content: "x",
      recorded_at: "2019-01-01",
      versions: [{ ...early, recorded_at: "2020-01-01" }],
    }),
  ];
  const { code, out } = await importLines([...lines, "", ...bad]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    stored: 3,
    present: 0,
    related: 1,
    failed: [5, 6, 7, 8, 9, 10].map((line) => ({ at: `line ${line}` })),
  });
  const again = await importLines([
    ...lines.slice(0, 2),
    JSON.stringify({ memory_id: "D1:3", content: "Ann: So." }),
  ]);
  expect(JSON.parse(again.out)).toMatchObject({ stored: 1, present: 2, failed: [] });
});

test("leaves out what is broken, and nothing else", async () => {
  const many = Array.from({ length: 3 }, () => ({ rel_type: "RELATED_TO", to: "D1:1" }));
  const imported = await importLines([
    `\uFEFF${JSON.stringify({ memory_id: "first", content: "After a mark of some editors." })}`,
    `${"[".repeat(100)}${"]".repeat(100)}`,
    JSON.stringify({ memory_id: "last", content: "Related thrice to the same.", relations: many }),
  ]);
  expect(JSON.parse(imported.out)).toMatchObject({ stored: 2, related: 1, failed: [{ at: "line 2" }] });
  const notes = join(line.kenning.home, "broken");
  mkdirSync(join(notes, "folder.md"), { recursive: true });
  writeFileSync(join(notes, "good.md"), "A note.");
  writeFileSync(join(notes, "bad.md"), "---\n: [x\n---\n");
  symlinkSync("/etc/passwd", join(notes, "link.md"));
  symlinkSync(notes, join(notes, "ring"));
  const { out } = await run(["memory", "import", "broken", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ stored: 1, failed: [{ at: "bad.md" }, { at: "link.md" }] });
});

test("says what is wrong", async () => {
  expect((await importLines(["nonsense"])).code).toBe(1);
  const absent = await run(["memory", "import", "nothing.jsonl"]);
  expect(absent.err).toMatch(/There is no file nothing\.jsonl/);
});

test("writes what it can read again: JSON Lines, notes, and the file of server-memory", async () => {
  const graph = [
    {
      type: "entity",
      name: "Anna Müller",
      entityType: "person",
      observations: ["Leads onboarding.", "Likes\ntea."],
    },
    { type: "entity", name: "Atlas", entityType: "project", observations: [] },
    { type: "relation", from: "Anna Müller", to: "Atlas", relationType: "works_on" },
    { type: "relation", from: "Atlas", to: "Anna Müller", relationType: "isLedBy" },
  ];
  await run(["workspace", "create", "one"]);
  await run(["user", "create", "one@acme.org", "--workspace", "one", "--role", "admin"]);
  const write = (name: string, lines: readonly object[]) =>
    writeFileSync(join(line.kenning.home, name), lines.map((line) => JSON.stringify(line)).join("\n"));
  write("graph.jsonl", graph);
  const imported = await run(["memory", "import", "graph.jsonl", "--workspace", "one", "--json"]);
  expect(JSON.parse(imported.out)).toMatchObject({
    stored: 2,
    related: 2,
    failed: [],
    replaced: { IS_LED_BY: 1 },
  });
  write("more.jsonl", [
    { memory_id: "D1:1", content: "Ann: Hello.\n\n---\nrule", source: "session 1", tags: ["a b", "c"] },
    {
      memory_id: "plan",
      content: "See [[D1:1]] and @Atlas.",
      title: "Plan: [x]",
      valid_from: "2020-01-01",
      valid_to: "2999-01-01",
    },
    {
      memory_id: "tea_v3",
      content: "Tea is at six.",
      recorded_at: "2024-01-01T00:00:00Z",
      update_reason: "Winter",
      versions: [
        {
          memory_id: "tea",
          title: "Tea",
          content: "Tea is at four.",
          valid_from: "2020-01-01T00:00:00Z",
          valid_to: "2021-06-01T00:00:00Z",
          recorded_at: "2020-01-02T00:00:00Z",
        },
        {
          memory_id: "tea_v2",
          content: "Tea is at five.",
          valid_from: "2021-06-01T00:00:00Z",
          valid_to: "2023-12-01T00:00:00Z",
          recorded_at: "2021-06-01T00:00:00Z",
          update_reason: "Summer",
        },
      ],
    },
    { memory_id: "book", kind: "document", title: "Book", content: "# A\n\none\n\n# B\n\ntwo" },
  ]);
  await run(["memory", "import", "more.jsonl", "--workspace", "one"]);

  const exported = async (workspace: string) => {
    await run(["memory", "export", "all.jsonl", "--workspace", workspace]);
    const lines = readFileSync(join(line.kenning.home, "all.jsonl"), "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line)).sort((a, b) => (a.memory_id < b.memory_id ? -1 : 1));
  };
  const first = await exported("one");
  expect(first).toHaveLength(6);
  const tea = first.find(({ memory_id }) => memory_id === "tea_v3");
  expect(tea.versions).toMatchObject([
    { memory_id: "tea" },
    { memory_id: "tea_v2", update_reason: "Summer" },
  ]);
  const toward = first.find(({ memory_id }) => memory_id === "plan").relations;
  expect(toward.map(({ rel_type }: { rel_type: string }) => rel_type)).toEqual([
    "REFERENCES_ENTITY",
    "REFERENCES_ENTITY",
  ]);
  expect((await run(["memory", "export", "notes", "--workspace", "one"])).out).toMatch(/6 memories/);
  for (const [workspace, path] of [
    ["two", "all.jsonl"],
    ["three", "notes"],
  ] as const) {
    await run(["workspace", "create", workspace]);
    await run(["user", "create", `${workspace}@acme.org`, "--workspace", workspace, "--role", "admin"]);
    const again = await run(["memory", "import", path, "--workspace", workspace, "--json"]);
    expect(JSON.parse(again.out)).toMatchObject({ stored: 6, failed: [] });
    expect(await exported(workspace)).toEqual(first);
  }
  await run(["memory", "export", "back.jsonl", "--workspace", "one", "--format", "server-memory"]);
  const back = readFileSync(join(line.kenning.home, "back.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of graph.slice(0, 3)) expect(back).toContainEqual(line);
});

test("makes all relations but the one that closes a circle, and ends what is superseded", async () => {
  const part = (memory_id: string, relations: [string, string][]) =>
    JSON.stringify({
      memory_id,
      content: `The part ${memory_id}.`,
      relations: relations.map(([rel_type, to]) => ({ rel_type, to })),
    });
  const { out } = await importLines([
    part("wheel", [["PART_OF", "cart"]]),
    part("cart", [
      ["PART_OF", "train"],
      ["REFERENCES", "wheel"],
    ]),
    part("train", [
      ["HAS_PART", "cart"],
      ["PART_OF", "wheel"],
      ["SUPERSEDES", "coach"],
    ]),
    part("coach", []),
  ]);
  expect(JSON.parse(out)).toMatchObject({
    stored: 4,
    related: 4,
    failed: [{ at: "line 3", reason: expect.stringContaining("PART_OF would run in a circle") }],
  });
  const written = await run(["memory", "export", "parts.jsonl"]);
  expect(written.code, written.err).toBe(0);
  const exported = readFileSync(join(line.kenning.home, "parts.jsonl"), "utf8").trim().split("\n");
  const coach = exported.map((text) => JSON.parse(text)).find(({ memory_id }) => memory_id === "coach");
  expect(coach.valid_to).toEqual(expect.any(String));
});

test("a plan has limits of what is metered, and what the operator imports counts and is not refused", async () => {
  const plan = (...words: string[]) => run(["workspace", "plan", "acme", ...words]);
  for (const words of [
    ["--limits", "memories"],
    ["--limits", "memories=-1"],
    ["--limits", "bicycles=2"],
    ["--limits", "memories=1", "--use", "private"],
    ["--use", "platinum"],
  ])
    expect(await plan(...words)).toMatchObject({ code: 1, out: "" });
  expect((await plan("--use", "platinum")).err).toContain("private, self-hosted");
  const { used } = JSON.parse((await plan("--limits", "memories=1", "--json")).out)[0];
  const imported = await importLines([JSON.stringify({ memory_id: "beyond", content: "Beyond the plan." })]);
  expect(JSON.parse(imported.out)).toMatchObject({ stored: 1, failed: [] });
  expect(JSON.parse((await plan("--json")).out)).toMatchObject([
    { metric: "memories", used: used + 1, limit: 1 },
  ]);
  expect((await plan("--use", "self-hosted")).out).toMatch(/memories +\d+ +none +total/);
});
