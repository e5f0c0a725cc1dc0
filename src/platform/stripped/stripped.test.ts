import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { strippedFlags } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "kenning-stripped-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function run(...args: string[]): { code: number | null; out: string } {
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { code: status, out: stdout };
}

test("a process gets its files without types, and what was changed since as it is now", async () => {
  file("package.json", '{ "type": "module" }');
  file("word.ts", 'export const word: string = "old";\n');
  const entry = file("entry.ts", 'import { word } from "./word.ts";\nconsole.log(word as string);\n');
  const flags = await strippedFlags(entry);
  // Node itself does not strip what it is started with here, so that it must have come from the cache.
  expect(run("--no-strip-types", entry).code).not.toBe(0);
  expect(run("--no-strip-types", ...flags, entry)).toEqual({ code: 0, out: "old\n" });

  file("word.ts", 'export const word: string = "new";\n');
  expect(run(...flags, entry)).toEqual({ code: 0, out: "new\n" });
});

test("a thread does, too", async () => {
  const entry = file(
    "thread.ts",
    'import { parentPort } from "node:worker_threads";\nparentPort?.postMessage("here" satisfies string);\n',
  );
  const worker = new Worker(entry, { execArgv: await strippedFlags(entry) });
  expect(await new Promise((resolve) => worker.once("message", resolve))).toBe("here");
});

test("nobody else may write what is loaded", async () => {
  const [, loader = ""] = await strippedFlags(file("other.ts", "export {};\n"));
  const path = fileURLToPath(loader);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(dirname(path)).mode & 0o077).toBe(0);
});
