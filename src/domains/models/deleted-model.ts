import { and, eq, isNotNull } from "drizzle-orm";
import type { CatalogTx } from "../../platform/catalog/index.ts";
import type { SemanticModel } from "./model.ts";
import { semanticModels, semanticModelVersions } from "./models.tables.ts";

export interface DeletedModel {
  workspaceId: number;
  uuid: string;
  name: string;
  /** What was published of it, and would be again; null when nothing was. */
  document: SemanticModel | null;
}

/** Throws if a model may not be brought back. */
export type MayRestore = (deleted: DeletedModel) => void;

/** A model that was deleted and can be brought back. */
export async function readDeleted(
  db: Pick<CatalogTx, "select">,
  workspaceId: number,
  id: number,
): Promise<DeletedModel | undefined> {
  const { uuid, name, publishedVersion } = semanticModels;
  const { document, modelId, version } = semanticModelVersions;
  const [row] = await db
    .select({ workspaceId: semanticModels.workspaceId, uuid, name, document })
    .from(semanticModels)
    .leftJoin(semanticModelVersions, and(eq(modelId, semanticModels.id), eq(version, publishedVersion)))
    .where(
      and(
        eq(semanticModels.workspaceId, workspaceId),
        eq(semanticModels.id, id),
        isNotNull(semanticModels.deletedAt),
      ),
    );
  return row;
}
