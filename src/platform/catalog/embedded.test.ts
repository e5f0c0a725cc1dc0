import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { needsNamespaces, needsRoot } from "../../../test/support/availability.ts";
import { CatalogProcess, isRunning, serverPid } from "../../../test/support/catalog-processes.ts";
import { silentLog } from "../../../test/support/database.ts";
import { EmbeddedServer } from "./embedded.ts";
import { type Catalog, openCatalog } from "./index.ts";

const isRoot = process.getuid?.() === 0;
const bounded = { timeout: 60_000, interval: 20 };

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kenning-embedded-"));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const open = (home: string) => openCatalog({ home, log: silentLog });

async function gone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), bounded);
}

function leases(home: string): string[] {
  return readdirSync(join(home, "postgres", "leases"));
}

describe("one home, many lives", () => {
  const home = join(newFolder(), "home");
  const opened: Catalog[] = [];
  const processes: CatalogProcess[] = [];
  const others: ChildProcess[] = [];

  const start = async () => {
    const catalog = await open(home);
    opened.push(catalog);
    return catalog;
  };
  const startProcess = async () => {
    const process = await CatalogProcess.start(home);
    processes.push(process);
    return process;
  };

  beforeAll(async () => {
    const catalog = await open(home);
    await catalog.pool.query("CREATE TABLE note (text text)");
    await catalog.close();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((catalog) => catalog.close()));
    for (const { child } of processes.splice(0)) child.kill("SIGKILL");
    for (const child of others.splice(0)) child.kill("SIGKILL");
    await vi.waitFor(
      () => expect(existsSync(join(home, "postgres/data/postmaster.pid"))).toBe(false),
      bounded,
    );
    await vi.waitFor(() => expect(leases(home)).toEqual([]), bounded);
  });

  it("lets nobody but the server read its data, and nobody but its own reach its socket", async () => {
    await start();
    const modeOf = (path: string) => (statSync(join(home, path)).mode & 0o777).toString(8);
    expect(modeOf("postgres/data")).toBe("700");
    expect(modeOf("run")).toBe("700");
    expect(modeOf("postgres/leases")).toBe("700");
    // Whoever can read it can lock it, and hold up the next start.
    expect(modeOf("postgres/start.lock")).toBe("600");
    expect(modeOf("")).toBe(isRoot ? "711" : "700");
    if (isRoot) expect(statSync(join(home, "postgres/data")).uid).not.toBe(0);
  });

  it("listens on a unix socket only, with fsync and a password", async () => {
    const catalog = await start();
    const { rows } = await catalog.pool.query(
      "SELECT current_setting('listen_addresses') AS listen, current_setting('fsync') AS fsync, current_setting('TimeZone') AS zone",
    );
    expect(rows).toEqual([{ listen: "", fsync: "on", zone: "UTC" }]);
    const { host, port, user } = catalog.pool.options;
    await expect(
      openCatalog({
        home,
        log: silentLog,
        databaseUrl: `postgresql://${user}:wrong@${encodeURIComponent(host ?? "")}:${port}/postgres`,
      }),
    ).rejects.toThrow("refused the password");
  });

  it("starts again with what it had, and leaves no process", async () => {
    const first = await open(home);
    const pid = serverPid(home);
    await first.pool.query("INSERT INTO note VALUES ('kept')");
    await first.close();
    expect(isRunning(pid)).toBe(false);
    const second = await start();
    const { rows } = await second.pool.query("SELECT text FROM note WHERE text = 'kept'");
    expect(rows).toEqual([{ text: "kept" }]);
  });

  it("is one server for processes that start at the same time", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, startProcess));
    const pids = await Promise.all(
      all.map((one) => one.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")),
    );
    expect(pids).toHaveLength(5);
    expect(leases(home)).toHaveLength(5);
    const pid = serverPid(home);
    await Promise.all(all.slice(1).map((one) => one.close()));
    expect(isRunning(pid)).toBe(true);
    await all[0]?.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("is adopted by a command while the server runs, and outlives its starter", async () => {
    const server = await startProcess();
    const pid = serverPid(home);
    const command = await startProcess();
    expect(serverPid(home)).toBe(pid);
    await command.query("INSERT INTO note VALUES ('by a command')");
    await server.close();
    expect(isRunning(pid)).toBe(true);
    expect(await command.query("SELECT text FROM note WHERE text = 'by a command'")).toHaveLength(1);
    await command.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("ends by itself after kill -9", async () => {
    const process = await startProcess();
    const pid = serverPid(home);
    await process.kill();
    await gone(pid);
    await vi.waitFor(() => expect(leases(home)).toEqual([]), bounded);
  });

  it("stays for the others after kill -9 of one", async () => {
    const [killed, survivor] = [await startProcess(), await startProcess()];
    const pid = serverPid(home);
    await killed.kill();
    await vi.waitFor(() => expect(leases(home)).toHaveLength(1), bounded);
    expect(isRunning(pid)).toBe(true);
    expect(await survivor.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("loses no acknowledged write when it is started again at once after kill -9", async () => {
    for (let round = 0; round < 3; round += 1) {
      const process = await startProcess();
      await process.query(`INSERT INTO note VALUES ('round ${round}')`);
      await process.kill();
      const next = await startProcess();
      expect(await next.query(`SELECT text FROM note WHERE text = 'round ${round}'`)).toHaveLength(1);
      await next.kill();
    }
  });

  it("survives any order of coming and going", async () => {
    const visit = async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        const catalog = await open(home);
        await catalog.pool.query("INSERT INTO note VALUES ('a visit')");
        if (round % 2 === 0) await sleep(Math.random() * 20);
        await catalog.close();
      }
    };
    await Promise.all(Array.from({ length: 4 }, () => visit(6)));
    const catalog = await start();
    const { rows } = await catalog.pool.query(
      "SELECT count(*)::int AS visits FROM note WHERE text = 'a visit'",
    );
    expect(rows).toEqual([{ visits: 24 }]);
  });

  it("does not hear a Ctrl-C that is for Kenning", async () => {
    const { child } = await startProcess();
    const answer = once(child, "message");
    process.kill(-(child.pid as number), "SIGINT");
    const [message] = await answer;
    expect(message).toEqual({ afterInterrupt: [{ alive: 1 }] });
  });

  it("starts over the lock files of a dead server whose process number was given to another", async () => {
    await (await open(home)).close();
    const { uid, gid } = statSync(join(home, "postgres/data"));
    const other = spawn("sleep", ["60"], { uid, gid });
    others.push(other);
    const text = `${other.pid}\n${home}/postgres/data\n1\n5432\n${home}/run\n\n  1 1\nready   \n`;
    writeFileSync(join(home, "postgres/data/postmaster.pid"), text);
    writeFileSync(join(home, "run/.s.PGSQL.5432.lock"), text);
    const catalog = await start();
    expect(await catalog.ping()).toBeGreaterThan(0);
    expect(other.exitCode).toBe(null);
  });

  it("takes no notice of leases and flags of the dead", async () => {
    await (await open(home)).close();
    writeFileSync(join(home, "postgres/leases/lease-1-12-1"), "");
    writeFileSync(join(home, "postgres/leases/stop-1-12"), "");
    const catalog = await open(home);
    const pid = serverPid(home);
    await catalog.close();
    expect(isRunning(pid)).toBe(false);
    rmSync(join(home, "postgres/leases/stop-1-12"));
  });

  it("gets a new keeper when its keeper is killed", async () => {
    const process = await startProcess();
    const pid = serverPid(home);
    const keepersOf = () =>
      readdirSync("/proc").filter((entry) => isKeeperOf(entry, home, process.child.pid));
    const [keeper] = keepersOf();
    globalThis.process.kill(Number(keeper), "SIGKILL");
    await vi.waitFor(() => expect(keepersOf().filter((entry) => entry !== keeper)).toHaveLength(1), bounded);
    await process.kill();
    await gone(pid);
  });

  it("comes back when its postmaster is killed, even under a busy query", async () => {
    const catalog = await start();
    const text = `before the kill ${randomUUID()}`;
    await catalog.pool.query("INSERT INTO note VALUES ($1)", [text]);
    // A busy connection notices the loss of its postmaster only when its query ends.
    const busy = catalog.pool.query(
      "SET statement_timeout TO '8s'; SELECT count(*) FROM generate_series(1, 3000000000)",
    );
    busy.catch(() => {});
    const isBusy =
      "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SET statement_timeout%'";
    await vi.waitFor(async () => expect((await catalog.pool.query(isBusy)).rowCount).toBe(1), bounded);
    const pid = serverPid(home);
    process.kill(pid, "SIGKILL");
    await gone(pid);
    // A connection may outlive its postmaster for a moment, and still answer.
    await expect(busy).rejects.toThrow();
    await vi.waitFor(async () => {
      const { rows } = await catalog.pool.query("SELECT text FROM note WHERE text = $1", [text]);
      expect(rows).toHaveLength(1);
      expect(serverPid(home)).not.toBe(pid);
    }, bounded);
  });

  it("comes back for all processes when its postmaster is killed", async () => {
    const all = [await startProcess(), await startProcess()];
    process.kill(serverPid(home), "SIGKILL");
    await sleep(50);
    for (const one of await Promise.all(all.map((process) => process.query("SELECT 1 AS one")))) {
      expect(one).toEqual([{ one: 1 }]);
    }
  });

  it("keeps two logs and no more", async () => {
    await (await open(home)).close();
    await (await open(home)).close();
    const logs = readdirSync(join(home, "postgres")).filter((name) => name.startsWith("server.log"));
    expect(logs.sort()).toEqual(["server.log", "server.log.1"]);
  });
});

function isKeeperOf(entry: string, home: string, pid: number | undefined): boolean {
  try {
    const command = readFileSync(`/proc/${entry}/cmdline`, "utf8");
    return command.includes("keeper.sh") && command.includes(home) && command.includes(`lease-${pid}-`);
  } catch {
    return false;
  }
}

describe("a home", () => {
  it("is made by processes that start at the same time", async () => {
    const home = join(newFolder(), "home");
    const all = await Promise.all(Array.from({ length: 3 }, () => CatalogProcess.start(home)));
    for (const one of all) expect(await one.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    const pid = serverPid(home);
    await Promise.all(all.map((one) => one.close()));
    expect(isRunning(pid)).toBe(false);
  });

  it("recovers from a first start that was killed half way", async () => {
    const home = join(newFolder(), "home");
    const killed = CatalogProcess.start(home);
    killed.catch(() => {});
    const half = () =>
      existsSync(join(home, "postgres")) &&
      readdirSync(join(home, "postgres")).some((name) => name.startsWith("data.half-"));
    await vi.waitFor(() => expect(half()).toBe(true), { timeout: 60_000, interval: 5 });
    await sleep(100);
    for (const name of leases(home)) process.kill(Number(name.split("-")[1]), "SIGKILL");
    mkdirSync(join(home, "postgres", "half-engine-0.0.0"));
    const catalog = await open(home);
    expect(await catalog.ping()).toBeGreaterThan(0);
    await catalog.close();
    await expect(killed).rejects.toThrow();
    expect(readdirSync(join(home, "postgres"))).not.toContain("half-engine-0.0.0");
    const engine = readdirSync(join(home, "postgres")).find((name) => name.startsWith("engine-"));
    truncateSync(join(home, "postgres", engine!, "bin", "postgres"));
    const healed = await open(home);
    expect(await healed.ping()).toBeGreaterThan(0);
    await healed.close();
  });

  it("may have a long path", async () => {
    const home = join(newFolder(), "x".repeat(60), "y".repeat(60));
    const server = await EmbeddedServer.open({ home, log: silentLog });
    expect(server.endpoint.host).toMatch(/^\/tmp\/kenning-[0-9a-f]{20}$/);
    expect(statSync(server.endpoint.host).mode & 0o777).toBe(0o700);
    folders.push(server.endpoint.host);
    await server.close();
  });

  it("may be shared by containers that see nothing of each other, and has one server all the same", async (context) => {
    needsNamespaces(context);
    const top = mkdtempSync("/var/tmp/kenning-embedded-");
    chmodSync(top, 0o755);
    folders.push(top);
    const home = join(top, "x".repeat(60), "y".repeat(60));
    const start = () => CatalogProcess.start(home, { inContainer: true });
    const serverOf = (one: CatalogProcess) =>
      one.query("SELECT pg_postmaster_start_time() AS since, count(*)::int AS notes FROM note");
    const first = await start();
    await first.query("CREATE TABLE note (text text)");
    const second = await start();
    await Promise.all([first, second].map((one) => one.query("INSERT INTO note VALUES ('acknowledged')")));
    expect(await serverOf(second)).toEqual(await serverOf(first));
    await first.kill();
    // The server ended with the container that it ran in: what was under way on its connections fails once.
    await vi.waitFor(async () => expect(await serverOf(second)).toMatchObject([{ notes: 2 }]), {
      timeout: 60_000,
    });
    const third = await start();
    await third.query("INSERT INTO note VALUES ('acknowledged')");
    expect(await serverOf(second)).toEqual(await serverOf(third));
    await second.close();
    expect(await serverOf(third)).toMatchObject([{ notes: 3 }]);
    await third.close();
  });

  it("of another major version is refused and stays as it is", async () => {
    const home = join(newFolder(), "home");
    const data = join(home, "postgres", "data");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "PG_VERSION"), "17\n");
    await expect(open(home)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/made by PostgreSQL 17, but this Kenning brings PostgreSQL 18/),
    });
    expect(readdirSync(data)).toEqual(["PG_VERSION"]);
    expect(leases(home)).toEqual([]);
  });

  it("below a folder that the server's user cannot pass is refused, and the folder named", async (context) => {
    needsRoot(context);
    const blocked = join(newFolder(), "root");
    mkdirSync(blocked, { mode: 0o700 });
    await expect(open(join(blocked, "kenning", "home"))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`cannot pass the folder ${blocked} on the way`),
      hint: expect.stringContaining("KENNING_HOME"),
    });
  });

  it.each(["/proc/kenning/home", "/etc/passwd/home", "/etc/passwd"])(
    "at %s is refused in one sentence",
    async (home) => {
      await expect(open(home)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("cannot use"),
      });
    },
  );

  it("that a strict umask made is passable for the server", async (context) => {
    needsRoot(context);
    const home = join(newFolder(), "deep", "down", "home");
    const before = process.umask(0o077);
    try {
      const catalog = await open(home);
      await catalog.close();
    } finally {
      process.umask(before);
    }
    expect(statSync(home).mode & 0o777).toBe(0o711);
  });
});
