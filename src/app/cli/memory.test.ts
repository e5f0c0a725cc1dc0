import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandLine, type Ended } from "../../../test/support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";

let kenning: CommandLine;
let database: TestDatabase;

beforeAll(async () => {
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  await run(["workspace", "create", "acme"]);
  await run(["user", "create", "boss@acme.org", "--workspace", "acme", "--role", "admin"]);
});
afterAll(async () => {
  await database.drop();
  kenning.remove();
});

function run(words: readonly string[]): Promise<Ended> {
  return kenning.call(words, { env: { DATABASE_URL: database.url } });
}

function importLines(lines: readonly string[]): Promise<Ended> {
  writeFileSync(join(kenning.home, "facts.jsonl"), lines.join("\n"));
  return run(["memory", "import", "facts.jsonl", "--workspace", "acme", "--json"]);
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
  const bad = ["{", '{"content":" "}', '{"content":"x","memory_id":"a b"}', '{"text":"x"}'];
  const { code, out } = await importLines([...lines, "", ...bad]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    stored: 3,
    present: 0,
    related: 1,
    failed: [5, 6, 7, 8].map((line) => ({ at: `line ${line}` })),
  });
  const again = await importLines([
    ...lines.slice(0, 2),
    JSON.stringify({ memory_id: "D1:3", content: "Ann: So." }),
  ]);
  expect(JSON.parse(again.out)).toMatchObject({ stored: 1, present: 2, failed: [] });
});

test("says what is wrong", async () => {
  expect((await importLines(["nonsense"])).code).toBe(1);
  const absent = await run(["memory", "import", "nothing.jsonl", "--workspace", "acme"]);
  expect(absent.err).toMatch(/There is no file nothing\.jsonl/);
});
