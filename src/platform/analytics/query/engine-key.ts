import { createHash } from "node:crypto";
import type { EngineLimits, TableView } from "../analytics-options.ts";

/** Equal exactly when everything is equal: a version alone would trust its caller with other people's rows. */
export function engineKey(
  scope: string,
  tableViews: readonly TableView[],
  { threads, memoryMb, spillMb, copyMb }: EngineLimits,
): string {
  const all = tableViews.map(
    ({ name, version, parts, columns, select, isHidden = false, isRestricted = false }) => [
      name,
      version,
      select,
      isHidden,
      isRestricted,
      columns,
      parts,
    ],
  );
  return createHash("sha256")
    .update(JSON.stringify([scope, all, threads, memoryMb, spillMb, copyMb]))
    .digest("base64url");
}
