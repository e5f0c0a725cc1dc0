import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestContext } from "vitest";
import { freePort } from "./command-line.ts";

const SERVER = "/usr/bin/redis-server";

/** Debian's package redis-server brings it. */
export function hasRedis(): boolean {
  return existsSync(SERVER);
}

export function needsRedis({ skip }: TestContext): void {
  skip(!hasRedis(), "needs a Redis server (Debian's package redis-server)");
}

export interface TestRedis {
  url: string;
  stop(): Promise<void>;
}

/** A server of the test's own on loopback that keeps nothing. It ends with its input, should the test be killed. */
export async function startRedis(wished?: number): Promise<TestRedis> {
  const port = wished ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), "kenning-redis-"));
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder];
  const script = '"$@" & read -r _; kill -9 $!';
  const guard = spawn("/bin/sh", ["-c", script, "redis", SERVER, ...settings], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 200) throw new Error("Redis does not start");
    await sleep(50);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      if (guard.exitCode !== null) return;
      guard.stdin.end("\n");
      await once(guard, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
