import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { CatalogDb, CatalogTx } from "../../platform/catalog/index.ts";
import type { SemanticModel } from "./model.ts";
import { semanticModels } from "./models.tables.ts";

/** Whose draft it is, and which: no two drafts of a model are saved at the same time. */
export interface DraftInfo {
  savedAt: Date;
  savedById: number | null;
  /** E-mail address; null when there is no such account any more. */
  savedBy: string | null;
}

export interface Draft extends DraftInfo {
  document: SemanticModel;
}

const info = {
  savedAt: semanticModels.draftedAt,
  savedById: semanticModels.draftedBy,
  savedBy: sql<string | null>`(SELECT accounts.email FROM accounts WHERE accounts.id = drafted_by)`,
};

/** The draft of a model, if it has one. */
export async function readDraft(db: CatalogDb, modelId: number): Promise<Draft | null> {
  const [row] = await db
    .select({ ...info, document: semanticModels.draft })
    .from(semanticModels)
    .where(hasDraft(modelId));
  return (row as Draft | undefined) ?? null;
}

/** The same without what it says. */
export async function readDraftInfo(db: CatalogDb | CatalogTx, modelId: number): Promise<DraftInfo | null> {
  const [row] = await db.select(info).from(semanticModels).where(hasDraft(modelId));
  return (row as DraftInfo | undefined) ?? null;
}

function hasDraft(modelId: number) {
  return and(eq(semanticModels.id, modelId), isNotNull(semanticModels.draft));
}

/** Drafts are shared, so that whoever takes the place of another's should know it. */
export function noteOn(replaced: DraftInfo | null, userId: number): { note?: string } {
  if (replaced === null || replaced.savedById === userId) return {};
  const { savedBy, savedAt } = replaced;
  const author = savedBy ?? "somebody who has left";
  return { note: `This replaced the draft that ${author} saved at ${savedAt.toISOString()}.` };
}
