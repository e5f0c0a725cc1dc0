import { type ChildProcess, spawn } from "node:child_process";
import { findProgram } from "./walls.ts";

/** Waits for the end of its input, which comes when the server ends in whatever way, and then kills. */
const SCRIPT = 'read -r _; kill -9 "-$1" "$1"';

/**
 * A process that hangs in a loop does not notice that its server was killed, so somebody else must. This is a
 * shell because nothing inside the process would do: the kernel's own signal for this is taken back when a
 * process changes its user, and threads of Node would undo its permission model.
 */
export function watchOver(pid: number): { release(): void } {
  const shell = findProgram("sh");
  if (shell === undefined) return { release: () => undefined };
  const watchdog: ChildProcess = spawn(shell, ["-c", SCRIPT, "kenning-watchdog", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
    cwd: "/",
    detached: true,
  });
  watchdog.on("error", () => undefined);
  watchdog.stdin?.on("error", () => undefined);
  watchdog.unref();
  return { release: () => void watchdog.kill("SIGKILL") };
}
