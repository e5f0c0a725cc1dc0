import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The root from which all keys are derived: JWT_SECRET, or a random one kept in the data folder. Servers that
 * start at once on a new folder agree on one, because only one of them can link the file into place.
 */
export function rootSecret(home: string, configured: string | null): string {
  if (configured !== null) return configured;
  const path = join(home, "root-secret");
  const kept = read(path);
  if (kept !== undefined) return kept;
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

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
