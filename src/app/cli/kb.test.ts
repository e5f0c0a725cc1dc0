import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ended } from "../../../test/support/command-line.ts";
import { openWorkspaceLine, type WorkspaceLine } from "../../../test/support/workspace-line.ts";

let line: WorkspaceLine;

beforeAll(async () => {
  line = await openWorkspaceLine();
  const { kenning } = line;
  await run(["call", "create_knowledge_base", "--arg", "name=Handbook"]);
  mkdirSync(join(kenning.home, "docs", "rules", ".git"), { recursive: true });
  writeFileSync(join(kenning.home, "docs", "start.md"), "# Start\n\nHere it begins.\n");
  writeFileSync(join(kenning.home, "docs", "rules", "leave.txt"), "Thirty days of leave.");
  writeFileSync(join(kenning.home, "docs", "rules", "noise.bin"), Buffer.alloc(500, 3));
  writeFileSync(join(kenning.home, "docs", "rules", "empty.txt"), "");
  writeFileSync(join(kenning.home, "docs", "rules", ".git", "config"), "hidden");
});
afterAll(() => line.close());

function run(words: readonly string[]): Promise<Ended> {
  return line.run(words);
}

const kb = (...words: string[]) => run(["kb", ...words]);

test("imports a folder until all is searchable or failed, and only what is new the next time", async () => {
  const { code, out } = await kb("import", "docs", "--base", "handbook");
  expect(code).toBe(0);
  expect(out).toMatch(/^2 documents are searchable now\. 2 failed:\n/);
  expect(out).toMatch(/rules\/noise\.bin: Files of this kind .*cannot be read\./);
  expect(out).toMatch(/rules\/empty\.txt: The document is empty\./);
  writeFileSync(join(line.kenning.home, "docs", "start.md"), "# Start\n\nHere it begins anew.\n");
  const again = JSON.parse((await kb("import", "docs", "--base", "Handbook", "--json")).out);
  expect(again).toMatchObject({ indexed: 1, unchanged: 1, failed: 2 });
});

test("builds the indexes anew", async () => {
  const { out } = await run(["reindex", "--workspace", "acme", "--json"]);
  expect(JSON.parse(out)).toContainEqual({ workspace: "acme", kind: "document", entries: 2, vectors: 0 });
  expect((await run(["reindex"])).out).toMatch(/acme +memory +0/);
  expect((await run(["reindex", "--workspace", "nowhere"])).code).toBe(1);
});

test("says what is wrong", async () => {
  expect((await kb("import", "docs", "--base", "Handbok")).err).toMatch(/Did you mean "Handbook"/);
  expect((await kb("import", "nowhere", "--base", "Handbook")).err).toMatch(/no folder nowhere/);
});
