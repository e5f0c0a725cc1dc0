import { eq } from "drizzle-orm";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { accounts, memoryShapes as shapes } from "../memory.tables.ts";

export interface StoredShapes {
  turtle: string;
  updatedAt: Date;
  updatedBy: string | null;
}

/** The rules for relations that a workspace has set. */
export class ShapesStore {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  async get(workspaceId: number): Promise<StoredShapes | undefined> {
    const [row] = await this.#catalog.db
      .select({ turtle: shapes.turtle, updatedAt: shapes.updatedAt, updatedBy: accounts.email })
      .from(shapes)
      .leftJoin(accounts, eq(accounts.id, shapes.updatedBy))
      .where(eq(shapes.workspaceId, workspaceId));
    return row;
  }

  async set(workspaceId: number, userId: number, turtle: string, updatedAt: Date): Promise<void> {
    const values = { turtle, updatedBy: userId, updatedAt };
    await this.#catalog.db
      .insert(shapes)
      .values({ workspaceId, ...values })
      .onConflictDoUpdate({ target: shapes.workspaceId, set: values });
  }

  async remove(workspaceId: number): Promise<boolean> {
    const gone = await this.#catalog.db.delete(shapes).where(eq(shapes.workspaceId, workspaceId)).returning();
    return gone.length > 0;
  }
}
