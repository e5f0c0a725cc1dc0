import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StandIn, startStandIn } from "../../../test/support/language-model.ts";
import { openWorkspaceLine, type WorkspaceLine } from "../../../test/support/workspace-line.ts";

let line: WorkspaceLine;
let standIn: StandIn;

beforeAll(async () => {
  standIn = await startStandIn();
  line = await openWorkspaceLine({ KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" });
});
afterAll(async () => {
  await line.close();
  await standIn.stop();
});

test("a language model gets its key from a file, is asked for one word, and its key is shown nowhere", async () => {
  writeFileSync(join(line.kenning.home, "key.txt"), "sk-1\n");
  const wish = [
    "name=main",
    "kind=openai",
    "model=stand-in-1",
    `base_url=${standIn.url}`,
    "api_key=@key.txt",
  ];
  const made = await line.run(["call", "set_llm_provider", ...wish.flatMap((word) => ["--arg", word])]);
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("has_key: true") });
  expect(made.out).not.toContain("sk-");
  standIn.reply("yes");
  expect(await line.run(["llm", "test", "MAIN"])).toMatchObject({
    code: 0,
    out: "main: stand-in-1 answers.\n",
  });
  expect(standIn.calls[0]).toMatchObject({ key: "sk-1", path: "/v1/responses" });
  standIn.reply({ status: 401 });
  const refused = await line.run(["llm", "test", "main"]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("refused the call (status 401)") });
  expect(refused.err).not.toContain("sk-1");
  expect((await line.run(["llm", "test", "other"])).err).toContain("no language model called other");
});
