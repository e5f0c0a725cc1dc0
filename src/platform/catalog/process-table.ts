import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What `ps` or /proc can say about another process. Every answer is undefined when there is no such process. */

function fromProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

function fromPs(pid: number, column: string): string | undefined {
  try {
    return execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], {
      encoding: "utf8",
      env: PS_ENV,
    }).trim();
  } catch {
    return undefined;
  }
}

const HAS_PROC = process.platform === "linux";
const PS_ENV = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** The numbered fields of /proc/PID/stat from the third on; the second may itself hold spaces and brackets. */
function statFields(pid: number): string[] {
  const text = fromProc(pid, "stat") ?? "";
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** When a process began: together with its number it names one process for ever, even if the number comes back. */
export function birthOf(pid: number): string | undefined {
  if (!HAS_PROC) return fromPs(pid, "lstart")?.replace(/[ :]/g, "") || undefined;
  const fields = statFields(pid);
  return fields[0] === "Z" ? undefined : fields[19];
}

/** Whether a process runs with this argument; never true of one that has ended and waits to be collected. */
export function hasArgument(pid: number, argument: string): boolean {
  if (!HAS_PROC) return (fromPs(pid, "args") ?? "").includes(` ${argument}`);
  return (fromProc(pid, "cmdline") ?? "").split("\0").includes(argument);
}

/** Server processes at work in `dataFolder` that have lost their postmaster (known on Linux only). */
export function orphansIn(dataFolder: string): number[] {
  if (!HAS_PROC) return [];
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== dataFolder) return false;
    } catch {
      return false;
    }
    const isServerProcess = fromProc(pid, "cmdline")?.startsWith("postgres: ") === true;
    return isServerProcess && !hasArgument(Number(statFields(pid)[1]), dataFolder);
  });
}
