import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isAppError } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { runCommandLine } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";

async function run(line: string): Promise<{ out: string; err: string; code: number }> {
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    readAll: async () => "",
  };
  const code = await runCommandLine(line.split(" ").filter(Boolean), terminal);
  return { out, err, code };
}

async function refusal(line: string): Promise<string> {
  try {
    await run(line);
  } catch (error) {
    if (isAppError(error)) return error.advice;
    throw error;
  }
  throw new Error(`kenning ${line} was accepted.`);
}

test.each(["", "help", "--help", "-h"])("kenning %s shows every command", async (line) => {
  const { out, err, code } = await run(line);
  expect(code).toBe(0);
  expect(err).toBe("");
  for (const { name, summary } of COMMANDS) {
    expect(out).toContain(`  ${name}`);
    expect(out.replace(/\s+/g, " ")).toContain(summary);
  }
});

test.each(COMMANDS.map(({ name }) => name))(
  "kenning %s --help tells its arguments and options",
  async (name) => {
    const command = COMMANDS.find((candidate) => candidate.name === name) ?? expect.fail();
    const { out } = await run(`${name} --help`);
    expect(out).toMatch(new RegExp(`^Usage: kenning ${name}`));
    for (const option of Object.keys(command.options)) expect(out).toContain(`--${option}`);
    expect(await run(`${name} -h`)).toEqual(await run(`${name} --help`));
    expect(await run(`help ${name}`)).toEqual(await run(`${name} --help`));
  },
);

test("a group has a help of its own", async () => {
  const { out } = await run("user --help");
  expect(out).toContain("user set-password EMAIL");
  expect(out).not.toContain("token create");
  expect(await run("help user")).toEqual(await run("user --help"));
});

test.each(["version", "--version", "-v"])("kenning %s", async (line) => {
  expect((await run(line)).out).toMatch(/^kenning \d+\.\d+\.\d+\n$/);
});

test.each([
  ["tokn", 'There is no command "tokn"; did you mean token?'],
  ["dance", 'There is no command "dance"; see: kenning help'],
  ["help dance", 'There is no command "dance"; see: kenning help'],
  [
    "user",
    "kenning user needs one more word: create, list, disable, enable, unlink, set-role, set-attribute, set-password.",
  ],
  ["user crate", 'There is no command "user crate"; did you mean user create?'],
  ["user --json", /needs one more word/],
  ["user create", "EMAIL is missing. See: kenning user create --help"],
  ["user create a@b.c d", '"d" is one word too many. See: kenning user create --help'],
  ["user create a@b.c", /^--workspace SLUG is missing\./],
  ["user create a@b.c --workspace w", /^--role ROLE is missing\./],
  ["user create a@b.c --workspace", /^--workspace needs a value: --workspace SLUG\./],
  ["user create a@b.c --workspace --role admin", /^--workspace needs a value/],
  ["user create a@b.c --workspace= --role admin", /^--workspace needs a value/],
  [
    "user create a@b.c --workspace w --role amin",
    /^--role must be admin, contributor or viewer, not "amin" \(did you mean admin\?\)\./,
  ],
  ["user create a@b.c --workspace w --role viewer --role admin", /^--role is given twice\./],
  ["user list --jsn", /^There is no option --jsn; did you mean --json\?/],
  ["user list -x", /^There is no option -x\./],
  ["user list --json=yes", /^--json takes no value\./],
  ["token revoke seven", '"seven" is not the number of a token. Find it with: kenning token list'],
  ["token create --user a@b.c --workspace w --kind api --expires soon", /^"soon" is not a duration\./],
  [
    "token create --user a@b.c --workspace w --kind api --knowledge-bases 1,x",
    /^"x" is not the id of a knowledge base/,
  ],
  ["stdio --token", /^--token needs a value/],
])("kenning %s is refused with one sentence", async (line, sentence) => {
  expect(await refusal(line)).toMatch(sentence);
});

test.each(["workspace list", "user list", "token list", "app list"])(
  "kenning %s makes no database where there is none",
  async (line) => {
    const home = mkdtempSync(join(tmpdir(), "kenning-listing-"));
    vi.stubEnv("KENNING_HOME", home);
    expect(await refusal(line)).toMatch(
      /^There is no database in .* yet\. Start Kenning once with: kenning serve/,
    );
    expect(readdirSync(home)).toEqual([]);
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  },
);
