import type { Part } from "../../platform/analytics/index.ts";
import type { DatasetPart } from "./dataset.ts";
import { LIMITS } from "./limits.ts";

/** The longest stretch of small parts side by side, if it is long enough: what is put together must not change places. */
export function smallParts(parts: readonly DatasetPart[]): DatasetPart[] {
  let longest: DatasetPart[] = [];
  let run: DatasetPart[] = [];
  for (const part of parts) {
    run = part.bytes < LIMITS.data.smallPartBytes ? [...run, part] : [];
    if (run.length > longest.length) longest = run;
  }
  return longest.length < LIMITS.data.smallParts ? [] : longest;
}

/** A part as the catalog keeps it. */
export function storedPart({ key, rows, bytes, sha256 }: Part): DatasetPart {
  return { blobKey: key, rowCount: rows, bytes, sha256: sha256 === "" ? null : sha256 };
}
