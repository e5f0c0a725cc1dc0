import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { needsNamespaces } from "../../../test/support/availability.ts";
import { abandonedNames, isInPlace, ownedName, ownedTempPath, sweepLeftovers } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kenning-temp-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const MODULE = JSON.stringify(import.meta.resolve("./index.ts"));

/** Another process that makes a temporary file here and tells its path; it waits until its input ends. */
async function neighbour(wrapper: readonly string[] = []): Promise<{ child: ChildProcess; path: string }> {
  const script = `
    const { ownedTempPath } = await import(${MODULE});
    const { writeFileSync } = await import("node:fs");
    const path = ownedTempPath(${JSON.stringify(folder)});
    writeFileSync(path, "x");
    process.stdout.write(path);
    process.stdin.resume();
  `;
  const [program = "", ...args] = [...wrapper, process.execPath, "--input-type=module", "-e", script];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [path] = await once(child.stdout!, "data");
  return { child, path: String(path) };
}

async function killed({ child }: { child: ChildProcess }): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe("the folders of processes", () => {
  it("go when their process was killed, and stay while it lives; what is strange stays, too", async () => {
    const [living, dead] = await Promise.all([neighbour(), neighbour()]);
    await killed(dead);
    const own = ownedTempPath(folder);
    await writeFile(own, "x");
    await writeFile(join(folder, "notes.txt"), "x");
    await mkdir(join(folder, "0a1b2c3d-77-00000000-abc", "deep"), { recursive: true });
    const [young, old] = ["0000000000000001.new", "0000000000000002.new"].map((name) => join(folder, name));
    for (const draft of [young, old]) await mkdir(draft!);
    await utimes(old!, 1, 1);

    expect(await sweepLeftovers(folder)).toBe(3);
    const owners = [living.path, own].map((path) => basename(dirname(path)));
    expect((await readdir(folder)).sort()).toEqual([...owners, basename(young!), "notes.txt"].sort());
    expect(existsSync(living.path)).toBe(true);
  });

  it("are empty after an end in order", async () => {
    const { child, path } = await neighbour();
    child.stdin?.end();
    await once(child, "exit");
    expect(existsSync(dirname(path))).toBe(false);
  });

  it("are passable and closed, and made again when somebody removed them", async () => {
    const first = ownedTempPath(folder);
    await writeFile(first, "x");
    expect(isInPlace(first)).toBe(true);
    await rm(folder, { recursive: true });
    expect(isInPlace(first)).toBe(false);
    const second = ownedTempPath(folder);
    await writeFile(second, "x");
    expect(isInPlace(second)).toBe(true);
    for (const path of [folder, dirname(second)]) expect((await stat(path)).mode & 0o777).toBe(0o711);
    expect(await sweepLeftovers(folder)).toBe(0);
  });

  it("are told apart in containers that have the same host name and process number", async (context) => {
    needsNamespaces(context);
    const container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts", "--net"];
    const [living, dead] = await Promise.all([neighbour(container), neighbour(container)]);
    await killed(dead);
    await expect.poll(() => sweepLeftovers(folder)).toBe(1);
    expect([living.path, dead.path].map((path) => existsSync(path))).toEqual([true, false]);
  });
});

it("names tell who gave them: a living process, or one that is gone", async () => {
  const { path } = await neighbour();
  const isAbandoned = abandonedNames(folder);
  expect(isAbandoned(ownedName(folder))).toBe(false);
  expect(isAbandoned(`${basename(dirname(path))}-00`)).toBe(false);
  expect(isAbandoned("0123456789abcdef-00")).toBe(true);
  expect(isAbandoned("0a1b2c3d-77-00000000-abcdef")).toBe(true);
  expect(isAbandoned("notes.txt")).toBe(false);
});
