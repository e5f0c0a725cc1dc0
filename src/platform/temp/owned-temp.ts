import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MS } from "../../kernel/time.ts";
import { type FileLock, tryExistingLock, tryFileLock } from "./file-lock.ts";

/**
 * Temporary files and folders, each in the folder of the process that made it: `<folder>/<owner>/<name>`. The
 * owner is a random number; who holds the lock beside the names is alive, and what belongs to nobody alive goes.
 */

const LOCK = "lock";
const OWNER = /^[0-9a-f]{16}$/;
/** What earlier releases made, named after host and process. */
const FORMER_NAME = /^[0-9a-f]{8}-\d+-[0-9a-f]{8}-[0-9a-f]+$/;
/** A folder whose owner has not locked it yet; nobody takes longer for that than this. */
const DRAFT = ".new";
const DRAFT_MS = MS.hour;

/** For what is nobody's, although it has no lock. */
const NO_LOCK: FileLock = { release: () => undefined };

interface Claim {
  owner: string;
  lock: FileLock;
}

/** By folder. A claim lasts as long as the process, because its names may be used until then. */
const claims = new Map<string, Claim>();
/** Also of claims whose folder vanished: their owner is this process, and alive. */
const ownersHere = new Set<string>();

/** A path for a new temporary file or folder. The folders above it are there, even if somebody removed them. */
export function ownedTempPath(folder: string): string {
  return join(folder, ownerOf(folder), randomBytes(6).toString("hex"));
}

/** Whether something made by `ownedTempPath` is still there, beside what would be made now. */
export function isInPlace(path: string): boolean {
  const own = dirname(path);
  return basename(own) === ownerOf(dirname(own)) && existsSync(path);
}

/** As whom this process makes things in a folder of temporary ones. */
function ownerOf(folder: string): string {
  const known = claims.get(folder);
  if (known !== undefined && existsSync(join(folder, known.owner, LOCK))) return known.owner;
  known?.lock.release();
  const claim = makeClaim(folder);
  if (claims.size === 0) process.once("exit", removeOwn);
  claims.set(folder, claim);
  ownersHere.add(claim.owner);
  return claim.owner;
}

/** Under its name a folder is seen only with its lock held, so nobody who sweeps can take it for a leftover. */
function makeClaim(folder: string): Claim {
  const owner = randomBytes(8).toString("hex");
  const draft = join(folder, `${owner}${DRAFT}`);
  const isFolderNew = mkdirSync(draft, { recursive: true }) !== draft;
  // Sandboxed processes step through to their own files, without being able to see what else is there.
  for (const passed of isFolderNew ? [folder, draft] : [draft]) chmodSync(passed, 0o711);
  const lock = tryFileLock(join(draft, LOCK));
  if (lock === undefined) throw new Error(`a new file is locked: ${draft}`);
  renameSync(draft, join(folder, owner));
  return { owner, lock };
}

/** Removes what processes left there that no longer run; leaves what is in use, and what is none of ours. */
export async function sweepLeftovers(folder: string): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    const lock = await lockOfLeftover(folder, name);
    if (lock === undefined) continue;
    try {
      await rm(join(folder, name), { recursive: true, force: true });
    } finally {
      lock.release();
    }
    removed += 1;
  }
  return removed;
}

async function lockOfLeftover(folder: string, name: string): Promise<FileLock | undefined> {
  if (FORMER_NAME.test(name)) return NO_LOCK;
  if (OWNER.test(name)) return ownersHere.has(name) ? undefined : lockOfDead(folder, name);
  if (!name.endsWith(DRAFT) || !OWNER.test(name.slice(0, -DRAFT.length))) return undefined;
  const info = await stat(join(folder, name)).catch(() => undefined);
  return info !== undefined && Date.now() - info.mtimeMs > DRAFT_MS ? NO_LOCK : undefined;
}

/** A name for something that is kept elsewhere: it tells as long as need be who is about to make it. */
export function ownedName(folder: string): string {
  return `${ownerOf(folder)}-${randomBytes(6).toString("hex")}`;
}

/** Tells of names whether they were given by processes that have ended. Good for one look: processes end. */
export function abandonedNames(folder: string): (name: string) => boolean {
  const gone = new Map<string, boolean>();
  return (name) => {
    const owner = name.slice(0, name.indexOf("-"));
    if (!OWNER.test(owner)) return FORMER_NAME.test(name);
    const known = gone.get(owner) ?? isGone(folder, owner);
    gone.set(owner, known);
    return known;
  };
}

function isGone(folder: string, owner: string): boolean {
  if (ownersHere.has(owner)) return false;
  const lock = lockOfDead(folder, owner);
  lock?.release();
  return lock !== undefined;
}

/** The lock of an owner that has ended, so that nobody else takes away the same; undefined while it lives. */
function lockOfDead(folder: string, owner: string): FileLock | undefined {
  const file = join(folder, owner, LOCK);
  return existsSync(file) ? tryExistingLock(file) : NO_LOCK;
}

/** After an end in order nothing is left to be swept. */
function removeOwn(): void {
  for (const [folder, { owner }] of claims) {
    try {
      rmSync(join(folder, owner), { recursive: true, force: true });
    } catch {
      // The next start does it.
    }
  }
}
