import { createHash, randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Tells this process from an earlier one with the same number (in a container it is nearly always 1). */
const PROCESS_TOKEN = randomBytes(4).toString("hex");
/** Containers that share a folder have host names of their own. */
const HOST_TOKEN = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

/** A name for a temporary file or folder that says whose it is: machine, process, which start of it. */
export function ownedTempName(): string {
  return `${HOST_TOKEN}-${process.pid}-${PROCESS_TOKEN}-${randomBytes(6).toString("hex")}`;
}

/** Removes what killed processes of this machine left in a folder of such names; leaves what is in use. */
export async function sweepLeftovers(folder: string): Promise<number> {
  const names = await readdir(folder);
  const leftovers = names.filter(isLeftover);
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  return leftovers.length;
}

/** Whether a name was given by a process of this machine that no longer runs. */
export function isLeftover(name: string): boolean {
  const [host, pid, token, random] = name.split("-");
  if (random === undefined || host !== HOST_TOKEN || token === PROCESS_TOKEN) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
