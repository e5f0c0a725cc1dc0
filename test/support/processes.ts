import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface RunningProcess {
  pid: number;
  command: string;
  /** The folder in which it works. */
  folder: string;
}

/** The processes that run on a folder, whoever started them. */
export function processesOn(folder: string): RunningProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const place = join("/proc", name);
        const command = readFileSync(join(place, "cmdline"), "utf8").replaceAll("\0", " ");
        const environment = readFileSync(join(place, "environ"), "utf8");
        const working = readlinkSync(join(place, "cwd"));
        const isThere = [command, environment, working].some((text) => text.includes(folder));
        return isThere ? [{ pid: Number(name), command, folder: working }] : [];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}
