import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needsRoot } from "../../../test/support/availability.ts";
import { tempEntries } from "../../../test/support/temp-entries.ts";

/** These tests start servers of their own, from a copy of the code in a folder of chosen rights. */
const isRoot = process.geteuid?.() === 0;
const isLinux = process.platform === "linux";
const SOURCES = join(import.meta.dirname, "../..");
const STRANGER = 12_345;

let base: string;
const servers: ChildProcess[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "kenning-lifecycle-"));
  for (const folder of ["kernel", "platform/sandbox", "platform/stripped", "platform/temp"]) {
    await cp(join(SOURCES, folder), join(base, "src", folder), { recursive: true });
  }
  await writeFile(join(base, "package.json"), '{"type":"module"}');
  await writeFile(join(base, "secret.txt"), "secret");
  const node = join(base, "node");
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.kill("SIGKILL");
  await rm(base, { recursive: true, force: true });
});

/** Runs a server that makes one sandbox and does what the script says; the answer is its first line. */
async function runServer(
  script: string,
  user: { uid?: number; gid?: number } = {},
): Promise<{ server: ChildProcess; answer: Record<string, unknown> }> {
  const file = join(base, "server.ts");
  await writeFile(
    file,
    `import { osUserOf, createSandbox } from "./src/platform/sandbox/index.ts";
     const make = () => createSandbox({
       name: "lifecycle", module: ${JSON.stringify(join(base, "src/platform/sandbox/test-worker.ts"))},
       tempFolder: ${JSON.stringify(join(base, "temp"))}, memoryMb: 256, requestTimeoutMs: 60_000,
       user: osUserOf("databaseFile", 1),
       log: { warn: (fields, message) => console.error(message, fields) },
     });
     const tell = (answer) => console.log(JSON.stringify(answer));
     ${script}`,
  );
  const server = spawn(join(base, "node"), [file], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {},
    cwd: "/",
    ...user,
  });
  servers.push(server);
  const lines = createInterface({ input: server.stdout! });
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve).once("close", () => reject(new Error("the server ended without a word")));
  });
  return { server, answer: JSON.parse(line) };
}

/** Processes whose command line holds `text`. */
async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const commandLine = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    if (commandLine.includes(text)) found.push(Number(entry));
  }
  return found;
}

const LOOK = `
  const sandbox = make();
  const [self, secret, walls, network] = await Promise.all([
    sandbox.call("self", {}), sandbox.call("read", ${JSON.stringify("BASE/secret.txt")}), sandbox.describe(),
    sandbox.call("connect", { host: "127.0.0.1", port: 9 }),
  ]);
  tell({ uid: self.uid, cwd: self.cwd, env: self.env, secret, walls, network });
  await sandbox.close();
`;
const look = (): string => LOOK.replace("BASE", base);

describe.runIf(isLinux)("a server", () => {
  it("runs sandboxes from a folder that the other user cannot enter", async (context) => {
    needsRoot(context);
    await chmod(base, 0o700);
    const { server, answer } = await runServer(look());
    expect(answer).toMatchObject({
      uid: 65_401,
      env: {},
      secret: "failed: ERR_ACCESS_DENIED",
      network: "failed: ENETUNREACH",
    });
    expect(await once(server, "exit")).toEqual([0, null]);
    expect(await readdir(join(base, "temp"))).toEqual([]);
  });

  it("runs them without root, with the walls that are left", async () => {
    const uid = isRoot ? STRANGER : process.getuid!();
    if (isRoot) {
      await chmod(base, 0o755);
      await mkdir(join(base, "temp"));
      await chown(join(base, "temp"), STRANGER, STRANGER);
    }
    const { server, answer } = await runServer(look(), isRoot ? { uid, gid: uid } : {});
    expect(answer).toMatchObject({
      uid,
      env: {},
      secret: "failed: ERR_ACCESS_DENIED",
      walls: { permissionModel: "strict", memoryWatched: true },
    });
    expect(answer.walls).not.toHaveProperty("otherUser");
    const { networkBlocked } = answer.walls as { networkBlocked: boolean };
    if (networkBlocked) expect(answer.network).toBe("failed: ENETUNREACH");
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  it("takes everything with it when it is killed, even a process that hangs", async () => {
    const { server, answer } = await runServer(`
      const [idle, hanging] = [make(), make()];
      const pids = await Promise.all([idle.call("pid", {}), hanging.call("pid", {})]);
      void hanging.call("loop", {});
      setTimeout(() => tell({ pids }), 200);
    `);
    expect(answer.pids).toHaveLength(2);
    // The server itself and its two sandboxes.
    await expect.poll(() => processesWith(base)).toHaveLength(3);
    const watchdogs = (answer.pids as number[]).map((pid) => `kenning-watchdog\0${pid}\0`);
    for (const watchdog of watchdogs) await expect.poll(() => processesWith(watchdog)).toHaveLength(1);
    server.kill("SIGKILL");
    await expect.poll(() => processesWith(base), { timeout: 30_000 }).toEqual([]);
    for (const watchdog of watchdogs) {
      await expect.poll(() => processesWith(watchdog), { timeout: 30_000 }).toEqual([]);
    }

    expect(tempEntries(join(base, "temp"))).toHaveLength(2);
    await once((await runServer(look())).server, "exit");
    expect(await readdir(join(base, "temp"))).toEqual([]);
  });
});
