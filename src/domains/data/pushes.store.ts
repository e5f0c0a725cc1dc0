import { createHash } from "node:crypto";
import { and, eq, lt } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { JsonSlice } from "../../kernel/json.ts";
import { MS } from "../../kernel/time.ts";
import type { Rows } from "../../platform/analytics/index.ts";
import { type CatalogTx, Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { datasetPushes } from "./data.tables.ts";
import type { Dataset } from "./dataset.ts";

/** How long a key is remembered: longer than anybody tries again. */
const KEPT_MS = 7 * MS.day;

export interface PushOptions {
  signal: AbortSignal;
  /** The sender's own: the same push sent again with it adds nothing. */
  key?: string | undefined;
}

export interface Pushed {
  dataset: Dataset;
  /** The rows were there already, by an earlier push with the same key. */
  wasRepeated: boolean;
}

/** One push as its sender named it. */
export interface NamedPush {
  key: string;
  fingerprint: string;
}

export function namedPush(key: string, datasetName: string, rows: Rows): NamedPush {
  const hash = createHash("sha256").update(`${datasetName.length}:${datasetName.toLowerCase()}:`);
  hash.update(rows instanceof JsonSlice ? rows.bytes : JSON.stringify(rows));
  return { key, fingerprint: hash.digest("base64url") };
}

/** Which pushes were made already, by the keys that their senders gave them. */
export class PushesStore extends Store {
  /** The dataset of a push that was made before; throws when its key was used for something else. */
  async find(caller: Caller, { key, fingerprint }: NamedPush): Promise<{ datasetId: number } | undefined> {
    const [made] = await this.catalog.db
      .select()
      .from(datasetPushes)
      .where(
        and(
          eq(datasetPushes.workspaceId, caller.workspace.id),
          eq(datasetPushes.userId, caller.user.id),
          eq(datasetPushes.key, key),
        ),
      );
    if (made === undefined || made.fingerprint === fingerprint) return made;
    throw new AppError("conflict", "This idempotency key was used for other rows or another dataset.", {
      hint: "Give each push a key of its own; only the same push sent again has the same one.",
    });
  }

  /** In the transaction that adds the rows: false when another one with this key was faster. */
  async keep(
    tx: CatalogTx,
    caller: Caller,
    { key, fingerprint }: NamedPush,
    { id: datasetId, version }: { id: number; version: number },
  ): Promise<boolean> {
    const push = { workspaceId: caller.workspace.id, userId: caller.user.id, key, fingerprint };
    const kept = await tx
      .insert(datasetPushes)
      .values({ ...push, datasetId, version, pushedAt: this.clock.now() })
      .onConflictDoNothing()
      .returning({ key: datasetPushes.key });
    return kept.length > 0;
  }

  async sweep(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await this.catalog.db.delete(datasetPushes).where(lt(datasetPushes.pushedAt, before));
  }
}
