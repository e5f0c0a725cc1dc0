import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needsRoot } from "../../../test/support/availability.ts";
import { createSandbox, osUserOf, type Sandbox, type SandboxWalls } from "./index.ts";

const isLinux = process.platform === "linux";

let folder: string;
let server: Server;
let port: number;
let walls: SandboxWalls;
const open: Sandbox[] = [];

function make(permissionModel: "strict" | "off"): Sandbox {
  const sandbox = createSandbox({
    name: "walls",
    module: join(import.meta.dirname, "test-worker.ts"),
    tempFolder: join(folder, "temp"),
    memoryMb: 256,
    requestTimeoutMs: 20_000,
    user: osUserOf("databaseFile", 1),
    permissionModel,
    log: { warn: () => undefined },
  });
  open.push(sandbox);
  return sandbox;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kenning-walls-"));
  await chmod(folder, 0o755);
  await writeFile(join(folder, "secret.txt"), "secret", { mode: 0o600 });
  await writeFile(join(folder, "public.txt"), "public", { mode: 0o644 });
  await mkdir(join(folder, "ours"), { mode: 0o755 });
  server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  walls = await make("strict").describe();
});
afterAll(async () => {
  await Promise.all(open.map((sandbox) => sandbox.close()));
  server.close();
  await rm(folder, { recursive: true, force: true });
});

interface World {
  env: Record<string, string>;
  cwd: string;
  umask: number;
  uid: number;
  gid: number;
  groups: number[];
  nice: number;
  status: string;
  limits: string;
  descriptors: number;
  threads: string[];
}

const lookAround = async (sandbox: Sandbox): Promise<World> => (await sandbox.call("world", {})) as World;

/** The operating system alone, without Node's permission model before it. */
describe.runIf(isLinux)("walls of the operating system", () => {
  let sandbox: Sandbox;
  let world: World;
  beforeAll(async () => {
    sandbox = make("off");
    world = await lookAround(sandbox);
  });

  it("finds nothing in its environment, and only its own descriptors", () => {
    expect(world.env).toEqual({});
    expect(world.cwd.startsWith(join(folder, "temp"))).toBe(true);
    expect(world.umask).toBe(0o077);
    expect(world.descriptors).toBeLessThan(40);
  });

  it("is somebody else in every thread, without groups, capabilities or a way back", async (context) => {
    needsRoot(context);
    expect(world).toMatchObject({
      uid: 65_401,
      gid: 65_401,
      groups: expect.toSatisfy((groups: number[]) => !groups.includes(0)),
    });
    expect(world.threads).toEqual(["65401\t65401\t65401\t65401"]);
    expect(world.status).toMatch(/^CapEff:\s*0+$/m);
    expect(world.status).toMatch(/^CapPrm:\s*0+$/m);
    expect(await sandbox.call("becomeRoot", {})).toBe("failed: EPERM");
  });

  it("reads nothing that is closed to others", async (context) => {
    needsRoot(context);
    expect(await sandbox.call("read", join(folder, "secret.txt"))).toBe("failed: EACCES");
    expect(await sandbox.call("read", "/etc/shadow")).toBe("failed: EACCES");
    expect(await sandbox.call("read", `/proc/${process.pid}/environ`)).toBe("failed: EACCES");
    expect(await sandbox.call("read", join(folder, "public.txt"))).toBe("public");
  });

  it("writes nowhere but in its own folder", async (context) => {
    needsRoot(context);
    expect(await sandbox.call("write", join(folder, "ours", "x"))).toBe("failed: EACCES");
    expect(await sandbox.call("write", join(folder, "public.txt"))).toBe("failed: EACCES");
    expect(await sandbox.call("write", "mine.txt")).toBe("undefined");
    expect(await sandbox.call("read", "mine.txt")).toBe("x");
    expect(await readdir(world.cwd)).toEqual(["mine.txt"]);
  });

  it("reaches no network, where that can be had", async ({ skip }) => {
    if (!walls.networkBlocked) skip("this machine has no unshare, or does not let us use it");
    expect(await sandbox.call("connect", { host: "127.0.0.1", port })).toBe("failed: ENETUNREACH");
    expect(await sandbox.call("connect", { host: "1.1.1.1", port: 443 })).toBe("failed: ENETUNREACH");
  });

  it("has the limits that describe() speaks of", () => {
    if (walls.noNewPrivileges) expect(world.status).toMatch(/^NoNewPrivs:\s*1$/m);
    if (walls.lowPriority) expect(world.nice).toBe(10);
    if (walls.resourceLimits) {
      expect(world.limits).toMatch(/^Max core file size\s+0\s+0/m);
      expect(world.limits).toMatch(/^Max open files\s+1024\s+1024/m);
    }
  });

  it("has all of them on Debian as root", (context) => {
    needsRoot(context);
    expect(walls).toEqual({
      otherUser: { uid: 65_401, gid: 65_401 },
      networkBlocked: true,
      noNewPrivileges: true,
      resourceLimits: true,
      lowPriority: true,
      memoryWatched: true,
      permissionModel: "strict",
    });
  });
});

describe("Node's permission model", () => {
  it("lets JavaScript have its code and its folder, and no processes or threads", async () => {
    const sandbox = make("strict");
    for (const file of [
      join(folder, "public.txt"),
      "/etc/passwd",
      join(import.meta.dirname, "../../../.env"),
    ]) {
      expect(await sandbox.call("read", file), file).toBe("failed: ERR_ACCESS_DENIED");
    }
    expect(await sandbox.call("write", join(folder, "public.txt"))).toBe("failed: ERR_ACCESS_DENIED");
    expect(await sandbox.call("spawn", {})).toBe("failed: ERR_ACCESS_DENIED");
    expect(await sandbox.call("thread", {})).toBe("failed: ERR_ACCESS_DENIED");
    expect(await sandbox.call("write", "mine.txt")).toBe("undefined");
  });
});
