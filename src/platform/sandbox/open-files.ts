import { readdirSync, statSync } from "node:fs";

/** What a file is, whatever its name leads to by now. */
export interface FileIdentity {
  dev: number;
  ino: number;
}

/** Whether a process has opened this very file; undefined where the system does not tell. */
export function hasOpen(pid: number, { dev, ino }: FileIdentity): boolean | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const opened = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return opened?.dev === dev && opened.ino === ino;
    });
  } catch {
    return undefined;
  }
}
