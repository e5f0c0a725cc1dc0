import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const MODULE = join(import.meta.dirname, "process-life.ts");

/** Runs a few lines in a process of their own, which may be ended. */
function start(lines: string): ChildProcess {
  const script = `
    import { makeCrashesVisible, stopRequested } from ${JSON.stringify(MODULE)};
    const terminal = { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) };
    ${lines}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script]);
}

async function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
  let err = "";
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, err };
}

test.each([
  ["a rejection that nobody handles", 'Promise.reject(new Error("boom"));'],
  ["an exception that nobody catches", 'setTimeout(() => { throw new Error("boom"); });'],
])("%s ends the process visibly", async (_what, line) => {
  const home = mkdtempSync(join(tmpdir(), "kenning-crash-"));
  const { code, err } = await ended(
    start(`makeCrashesVisible(${JSON.stringify(home)}, terminal); ${line} setInterval(() => {}, 1_000);`),
  );
  expect(code).toBe(1);
  expect(err).toMatch(
    /^kenning: The server crashed \(error [0-9a-f-]{36}\); details are in .*errors\.log\.\n$/,
  );
  expect(readFileSync(join(home, "logs", "errors.log"), "utf8")).toContain("Error: boom");
  rmSync(home, { recursive: true });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s asks for a stop", async (signal) => {
  const child = start(
    'setTimeout(() => {}, 60_000); const asked = stopRequested(terminal, { hasTerminal: true }); terminal.out("ready"); await asked; process.exit(0);',
  );
  const result = ended(child);
  await once(child.stdout ?? expect.fail(), "data");
  child.kill(signal);
  expect(await result).toMatchObject({ code: 0, err: expect.stringContaining("is stopping") });
});

test("without a terminal, as under nohup, SIGHUP is no reason to stop", async () => {
  const child = start(
    'setInterval(() => {}, 1_000); const asked = stopRequested(terminal); terminal.out("ready"); await asked; process.exit(0);',
  );
  const result = ended(child);
  await once(child.stdout ?? expect.fail(), "data");
  child.kill("SIGHUP");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(child.exitCode ?? child.signalCode).toBeNull();
  child.kill("SIGTERM");
  expect((await result).code).toBe(0);
});

test("a second signal ends at once what does not stop", async () => {
  const child = start(
    'stopRequested(terminal).then(() => terminal.out("asked")); terminal.out("ready"); setInterval(() => {}, 1_000);',
  );
  const result = ended(child);
  const out = child.stdout ?? expect.fail();
  await once(out, "data");
  child.kill("SIGINT");
  await once(out, "data");
  // One that follows too soon counts as the same.
  const again = setInterval(() => child.kill("SIGINT"), 100);
  const { code, err } = await result;
  clearInterval(again);
  expect(code).toBe(1);
  expect(err).not.toContain("did not stop within");
});
