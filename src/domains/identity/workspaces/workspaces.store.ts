import { asc, eq } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import {
  type Catalog,
  type CatalogDb,
  type CatalogTx,
  isUniqueViolation,
} from "../../../platform/catalog/index.ts";
import type { TellChange } from "../changes.ts";
import { workspaces } from "../identity.tables.ts";
import type { Workspace, Workspaces } from "../identity.ts";
import { requireName } from "../members/display-name.ts";
import { setPlan } from "../plans/plans.store.ts";
import { isSlug, requireSlug } from "./slug.ts";

interface WorkspaceStoreOptions {
  catalog: Catalog;
  clock: Clock;
  tell: TellChange;
}

export function createWorkspaces({ catalog, clock, tell }: WorkspaceStoreOptions): Workspaces {
  const { db } = catalog;
  return {
    async create({ slug, name }) {
      const values = {
        slug: requireSlug(slug),
        name: requireName(name ?? slug, "workspace"),
        createdAt: clock.now(),
      };
      try {
        const [row] = await db.insert(workspaces).values(values).returning();
        return row as Workspace;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new AppError("conflict", `There is already a workspace "${slug}".`, {
          hint: "Choose another slug.",
        });
      }
    },
    list: () => db.select().from(workspaces).orderBy(asc(workspaces.slug)),
    bySlug: (slug) => requireWorkspace(db, slug),
    setPlan: (slug, wish) => setPlan(catalog, slug, wish),
    async remove(id) {
      await db.delete(workspaces).where(eq(workspaces.id, id));
      tell({ what: "workspace", id });
    },
  };
}

export async function requireWorkspace(db: CatalogDb | CatalogTx, slug: string): Promise<Workspace> {
  // Anything that cannot be a slug cannot be found either; some of it PostgreSQL would not even compare.
  const [row] = isSlug(slug) ? await db.select().from(workspaces).where(eq(workspaces.slug, slug)) : [];
  if (row !== undefined) return row;
  throw new AppError("not_found", `There is no workspace "${slug.slice(0, 63)}".`, {
    hint: "See: kenning workspace list",
  });
}
