import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { CommandLine, type Ended } from "./command-line.ts";
import { createTestDatabase } from "./database.ts";

/** The command line on a database without a server, in the workspace acme with the admin boss@acme.org. */
export interface WorkspaceLine {
  kenning: CommandLine;
  env: Record<string, string>;
  /** In this process; `kenning.run` with `env` is in one of its own. */
  run(words: readonly string[], input?: string): Promise<Ended>;
  /** What a tool answers. */
  tool<T>(name: string, args: object): Promise<T>;
  /** A file in the folder that commands run in. */
  file(name: string, content: string | Buffer): string;
  close(): Promise<void>;
}

export async function openWorkspaceLine(more: Record<string, string> = {}): Promise<WorkspaceLine> {
  const kenning = await CommandLine.open();
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, KENNING_WORKSPACE: "acme", ...more };
  const run = (words: readonly string[], input = "") => kenning.call(words, { env, input });
  await run(["workspace", "create", "acme"]);
  await run(["user", "create", "boss@acme.org", "--role", "admin"]);
  return {
    kenning,
    env,
    run,
    async tool<T>(name: string, args: object): Promise<T> {
      const { code, out, err } = await run(["call", name, "--args", JSON.stringify(args), "--json"]);
      expect(code, err).toBe(0);
      return JSON.parse(out) as T;
    },
    file(name, content) {
      writeFileSync(join(kenning.home, name), content);
      return name;
    },
    async close() {
      await database.drop();
      kenning.remove();
    },
  };
}

/** One sentence, and nothing else. */
export async function expectRefusal(ending: Promise<Ended>, sentence: RegExp): Promise<void> {
  const { code, out, err } = await ending;
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(sentence);
  expect(err.trim().split("\n")).toHaveLength(1);
}
