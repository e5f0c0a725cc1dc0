import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { semanticModels } from "./models.tables.ts";

/** The ids of the models that there are and that the caller's token is for: what belongs to others does not exist. */
export function usableModels({ db }: Catalog, { workspace, token }: Pick<Caller, "workspace" | "token">) {
  const names = token.limits.models?.map((name) => name.toLowerCase());
  return db
    .select({ id: semanticModels.id })
    .from(semanticModels)
    .where(
      and(
        eq(semanticModels.workspaceId, workspace.id),
        isNull(semanticModels.deletedAt),
        names === undefined ? undefined : inArray(sql`lower(${semanticModels.name})`, names),
      ),
    );
}
