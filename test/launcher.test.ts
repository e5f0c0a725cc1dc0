import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** The launcher in a project of its own, with an npm that takes notes and a main.ts that says what it was given. */

const ROOT = resolve(import.meta.dirname, "..");

const MAIN = `
const [word, number]: string[] = process.argv.slice(2);
if (word === "wait") {
  setInterval(() => {}, 1_000);
  process.on("SIGTERM", () => process.exit(7));
}
const { pid } = process;
console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), ...(word === "wait" && { pid }) }));
if (word === "exit") process.exit(Number(number));
`;

/** Says when it begins and ends, then leaves behind what npm leaves behind. */
const NPM = `#!/bin/sh
echo begin >> ../npm.log
sleep 0.1
cp package-lock.json node_modules/.package-lock.json
echo end >> ../npm.log
`;

/** Lets this Node pass for an old one, but not the ones that it starts. */
const OLD_NODE = `
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });
delete process.env.NODE_OPTIONS;
`;

let folder: string;
let project: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kenning-launcher-"));
  project = join(folder, "project");
  cpSync(join(ROOT, "bin"), join(project, "bin"), { recursive: true });
  mkdirSync(join(project, "src/app"), { recursive: true });
  mkdirSync(join(folder, "path"));
  writeFileSync(join(project, "package.json"), `{ "type": "module" }`);
  writeFileSync(
    join(project, "package-lock.json"),
    JSON.stringify({ packages: { "": {}, "node_modules/some": { version: "1.0.0" } } }),
  );
  writeFileSync(join(project, "src/app/main.ts"), MAIN);
  writeFileSync(join(folder, "old-node.cjs"), OLD_NODE);
  writeProgram("npm", NPM);
  symlinkSync(process.execPath, join(folder, "path/node"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("installation", () => {
  it("happens once, and again when the lockfile changes", async () => {
    expect(await kenning("version")).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Installing .+\n$/),
    });
    expect(await kenning("version")).toMatchObject({ code: 0, err: "" });
    expect(npmRuns()).toBe(1);
    lockVersion("1.0.1");
    expect(await kenning("version")).toMatchObject({ code: 0 });
    expect(npmRuns()).toBe(2);
  });

  it("is done by one of several that start at once", async () => {
    const results = await Promise.all([1, 2, 3, 4].map(() => kenning("version")));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(npmRuns()).toBe(1);
  });

  it("is done by one when several find a lock that nobody holds any more", async () => {
    mkdirSync(join(project, "node_modules"));
    writeFileSync(join(project, "node_modules/.kenning-install.lock"), "999999999");
    const results = await Promise.all([1, 2, 3, 4].map(() => kenning("version")));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(npmRuns()).toBe(1);
    expect(existsSync(join(project, "node_modules/.kenning-install.lock"))).toBe(false);
  });

  it("shows what npm said when it fails, and is tried again", async () => {
    writeProgram("npm", "#!/bin/sh\necho npm is unwell >&2\nexit 3\n");
    const failure = await kenning("version");
    expect(failure).toMatchObject({ code: 1, out: "" });
    expect(failure.err).toMatch(
      /npm is unwell\nThe dependencies could not be installed, see above: npm install/,
    );
    writeProgram("npm", NPM);
    expect(await kenning("version")).toMatchObject({ code: 0 });
  });

  it("says so when a package is missing all the same", async () => {
    writeProgram("npm", `#!/bin/sh\necho '{ "packages": {} }' > node_modules/.package-lock.json\n`);
    const failure = await kenning("version");
    expect(failure.code).toBe(1);
    expect(failure.err).toContain(
      "npm did not install node_modules/some: remove node_modules and start again.",
    );
  });

  it("is left to npm where there is no lockfile", async () => {
    rmSync(join(project, "package-lock.json"));
    expect(await kenning("version")).toMatchObject({ code: 0, err: "" });
    expect(npmRuns()).toBe(0);
  });

  it("is done twice by an old Node: npm then runs on the new one", async () => {
    expect(await kenning("version", { oldNode: true })).toMatchObject({ code: 0 });
    expect(npmRuns()).toBe(2);
  });
});

describe.each([{ oldNode: false }, { oldNode: true }])("handing over, %o", ({ oldNode }) => {
  beforeEach(pretendInstalled);

  it("keeps arguments, folder and exit code, also through a symlink", async () => {
    symlinkSync(join(project, "bin/kenning"), join(folder, "path/kenning"));
    const result = await ended(start(join(folder, "path/kenning"), ["exit", "5", "a b", "--c"], { oldNode }));
    expect(result.code).toBe(5);
    expect(JSON.parse(result.out)).toEqual({ args: ["exit", "5", "a b", "--c"], cwd: folder });
  });

  it("passes a signal on and waits for the end", async () => {
    const child = start(join(project, "bin/kenning"), ["wait"], { oldNode });
    child.stdout?.once("data", () => child.kill("SIGTERM"));
    expect(await ended(child)).toMatchObject({ code: 7, signal: null });
  });

  it("shows where main.ts failed", async () => {
    writeFileSync(join(project, "src/app/main.ts"), `throw new Error("a bug");`);
    const result = await kenning("version", { oldNode });
    expect(result.code).toBe(1);
    expect(result.err).toMatch(/Error: a bug\n +at .*main\.ts:1/);
  });
});

describe("an old Node", () => {
  it("that is killed takes the server with it", async () => {
    pretendInstalled();
    const child = start(join(project, "bin/kenning"), ["wait"], { oldNode: true });
    const said = new Promise<string>((resolve) =>
      child.stdout?.once("data", (text) => resolve(String(text))),
    );
    const { pid } = JSON.parse(await said) as { pid: number };
    expect(pid).not.toBe(child.pid);
    child.kill("SIGKILL");
    const isThere = () => existsSync(`/proc/${pid}`);
    await expect.poll(isThere, { timeout: 20_000 }).toBe(false);
  });

  it("without a new one says in one sentence what to do", async () => {
    pretendInstalled();
    rmSync(join(folder, "path/node"));
    writeProgram("node", "#!/bin/sh\necho 20.1.0\n");
    const result = await kenning("version", { oldNode: true });
    expect(result).toMatchObject({ code: 1, out: "" });
    expect(result.err).toMatch(/^Kenning needs Node 24\.7 or newer .+ install Node 24 .+\n$/);
  });
});

interface Ended {
  code: number | null;
  signal: string | null;
  out: string;
  err: string;
}

function kenning(word: string, options: { oldNode?: boolean } = {}): Promise<Ended> {
  return ended(start(join(project, "bin/kenning"), [word], options));
}

function start(script: string, args: string[], { oldNode = false }: { oldNode?: boolean }): ChildProcess {
  const env: NodeJS.ProcessEnv = { PATH: `${join(folder, "path")}:/usr/bin:/bin` };
  if (oldNode) env.NODE_OPTIONS = `--require ${join(folder, "old-node.cjs")}`;
  return spawn(process.execPath, [script, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess): Promise<Ended> {
  const end = new Promise<Pick<Ended, "code" | "signal">>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { ...(await end), out, err };
}

/** How often npm ran, having made sure that no two runs overlapped. */
function npmRuns(): number {
  const log = join(folder, "npm.log");
  const notes = existsSync(log) ? readFileSync(log, "utf8") : "";
  expect(notes).toMatch(/^(begin\nend\n)*$/);
  return notes.length / "begin\nend\n".length;
}

function pretendInstalled(): void {
  cpSync(join(project, "package-lock.json"), join(project, "node_modules/.package-lock.json"));
}

function lockVersion(version: string): void {
  const file = join(project, "package-lock.json");
  writeFileSync(file, readFileSync(file, "utf8").replace("1.0.0", version));
}

function writeProgram(name: string, source: string): void {
  writeFileSync(join(folder, "path", name), source);
  chmodSync(join(folder, "path", name), 0o755);
}
