import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kernel/errors.ts";

/** Shorter than anything that was ever written there. */
const SHORTEST = 32;

/**
 * The root from which all keys are derived: JWT_SECRET, or a random one kept in the data folder. Servers that
 * start at once on a new folder agree on one, because only one of them can link the file into place. Whether one
 * may be made is for the caller to know: what was sealed with another is lost.
 */
export function rootSecret(home: string, configured: string | null): string {
  if (configured !== null) return configured;
  const kept = readRootSecret(home);
  if (kept !== undefined) return kept;
  const path = rootSecretFile(home);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, randomBytes(48).toString("base64url"), { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, "utf8");
}

export function rootSecretFile(home: string): string {
  return join(home, "root-secret");
}

/** Undefined when there is none yet. */
export function readRootSecret(home: string): string | undefined {
  const path = rootSecretFile(home);
  try {
    const kept = readFileSync(path, "utf8");
    if (kept.trim().length >= SHORTEST) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  throw new AppError(
    "unavailable",
    `The file ${path}, from which all keys are derived, is empty or cut off.`,
    {
      hint: "Restore it from a backup. Without one remove it, and see: kenning home adopt --help",
    },
  );
}
