import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../kernel/errors.ts";

/** The operating-system account that the database server runs under. */
export interface Account {
  uid: number;
  gid: number;
  name: string;
}

/** PostgreSQL refuses to run as root, so root hands over to the first of these that exists. */
const PREFERRED = ["kenning", "postgres", "nobody"];

function readAccounts(): Account[] {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/**
 * The account for a server on `dataFolder`: undefined means the one we already are. A data folder that
 * exists keeps its owner, so that a command run as root never locks its everyday user out.
 */
export function chooseAccount(dataFolder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    const name = readAccounts().find((account) => account.uid === uid)?.name ?? String(uid);
    if (uid !== 0) return { uid, gid, name };
  }
  const accounts = readAccounts();
  for (const name of PREFERRED) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account !== undefined) return account;
  }
  throw new AppError(
    "unavailable",
    "PostgreSQL refuses to run as root, and no other account was found for it.",
    {
      hint: "Create a user named kenning, or start Kenning as a user other than root.",
    },
  );
}

function mayPass(folder: string, account: Account): boolean {
  const { mode, uid, gid } = statSync(folder);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

function ancestorsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...ancestorsOf(parent), folder];
}

/** Level by level, because a recursive mkdir never returns from some file systems. */
function createFolder(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    const isThere = existsSync(folder) && statSync(folder).isDirectory();
    if (isThere) return false;
    throw error;
  }
}

/**
 * Creates `home` and, for a server under another account, makes it passable without making it readable.
 * Nothing is created below a folder that the account cannot pass.
 */
export function prepareHome(home: string, account: Account | undefined): void {
  for (const folder of ancestorsOf(home)) {
    const isNew = createFolder(folder, account === undefined ? 0o700 : 0o711);
    if (account === undefined) continue;
    if (isNew || folder === home) chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011);
    if (mayPass(folder, account)) continue;
    throw new AppError(
      "unavailable",
      `The database runs as user ${account.name}, who cannot pass the folder ${folder} on the way to ${home}.`,
      { hint: "Set KENNING_HOME to a folder that other users can reach, such as /var/lib/kenning." },
    );
  }
}
