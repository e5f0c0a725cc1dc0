import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../kernel/errors.ts";

const HINT = "Set KENNING_HOME to a folder of your own.";

/** Why the data folder cannot be used, in a sentence; null when it can, or can be made. */
export function homeProblem(home: string): AppError | null {
  const existing = nearestExisting(home);
  const { uid } = statSync(existing);
  if (!statSync(existing).isDirectory())
    return problem(`${existing} is not a folder, so the data cannot be kept in ${home}.`);
  const denied = denialOf(existing);
  if (denied === "EROFS") return problem(`${existing} is on storage that can only be read.`);
  if (denied !== undefined) {
    const us = process.getuid?.();
    return problem(`This user (${us}) may not write to ${existing}, which belongs to user ${uid}.`);
  }
  return existing === home || canHoldFolders(existing)
    ? null
    : problem(`No folder can be made in ${existing}.`);
}

export function requireHome(home: string): void {
  const error = homeProblem(home);
  if (error !== null) throw error;
}

/** Whether the embedded database was ever made: opening one that is not there would make it. */
export function hasEmbeddedDatabase(home: string): boolean {
  return existsSync(join(home, "postgres", "data"));
}

export function nearestExisting(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? nearestExisting(dirname(path)) : path;
}

function problem(message: string): AppError {
  return new AppError("unavailable", message, { hint: HINT });
}

/** What the system says against writing there; undefined when nothing. */
function denialOf(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** Tried out, because some file systems take no folders, and making one with its parents would then never end. */
function canHoldFolders(folder: string): boolean {
  try {
    rmdirSync(mkdtempSync(join(folder, ".kenning-")));
    return true;
  } catch {
    return false;
  }
}
