import { readdirSync } from "node:fs";
import { join } from "node:path";

/** What processes have in a folder of temporary files, beside the locks that say whose it is. */
export function tempEntries(folder: string): string[] {
  return readdirSync(folder).flatMap((owner) => {
    try {
      return readdirSync(join(folder, owner)).filter((name) => name !== "lock");
    } catch {
      return [owner];
    }
  });
}
