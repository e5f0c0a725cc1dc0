import type { StatsFs } from "node:fs";

export interface DiskNeeds {
  diskFreeBytes: number;
  diskFreeFiles: number;
}

/** What is short, in a sentence; undefined while there is enough. */
export function diskProblem(
  { bavail, bsize, files, ffree }: Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">,
  { diskFreeBytes, diskFreeFiles }: DiskNeeds,
): string | undefined {
  if (bavail * bsize < diskFreeBytes) return "The disk is full, or nearly so.";
  // Some file systems do not count their files.
  return files > 0 && ffree < diskFreeFiles ? "The disk has no room for more files." : undefined;
}
