import { z } from "zod";
import { type CatalogTx, publishEvent } from "../../platform/catalog/index.ts";

/** What this slice tells of what happens in it: that a model was published, deleted or brought back. */
export const MODEL_CHANGED = "model.changed";

export const modelChanged = z.object({
  workspaceId: z.int(),
  uuid: z.string(),
  /** With the one that it had before, if that was another. */
  names: z.array(z.string()),
});

interface Named {
  workspaceId: number;
  uuid: string;
  name: string;
}

/** The last thing in a transaction that changes which models there are, or what is published of one. */
export function tellOfModel(tx: CatalogTx, { workspaceId, uuid, name }: Named, former = name): Promise<void> {
  const names = [...new Set([name, former])];
  const payload: z.infer<typeof modelChanged> = { workspaceId, uuid, names };
  return publishEvent(tx, { topic: MODEL_CHANGED, key: uuid, payload });
}
