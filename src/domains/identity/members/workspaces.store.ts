import { asc, eq } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import {
  type Catalog,
  type CatalogDb,
  type CatalogTx,
  isUniqueViolation,
} from "../../../platform/catalog/index.ts";
import type { TellChange } from "../authentication/change-listener.ts";
import { type PlanLimits, plans, workspaces } from "../identity.tables.ts";
import type { PlanWish, Workspace, Workspaces } from "../identity.ts";
import { METRICS } from "../limits/usage.store.ts";
import { isSlug, requireName, requireSlug } from "./names.ts";

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

/** Puts a workspace on a plan that there is, or on one of its own with these limits. */
async function setPlan(catalog: Catalog, slug: string, wish: PlanWish): Promise<void> {
  await catalog.transaction(async (tx) => {
    const { id } = await requireWorkspace(tx, slug);
    const plan = "plan" in wish ? await requirePlan(tx, wish.plan) : await ownPlan(tx, slug, wish.limits);
    await tx.update(workspaces).set({ plan }).where(eq(workspaces.id, id));
  });
}

async function requirePlan(tx: CatalogTx, name: string): Promise<string> {
  const known = (await tx.select({ name: plans.name }).from(plans).orderBy(asc(plans.name))).map(
    (row) => row.name,
  );
  if (known.includes(name)) return name;
  throw new AppError("not_found", `There is no plan "${name.slice(0, 100)}".`, {
    hint: `There are: ${known.join(", ")}.`,
  });
}

/** No slug has a colon, so that it is nobody else's. */
async function ownPlan(tx: CatalogTx, slug: string, limits: PlanLimits): Promise<string> {
  for (const [metric, limit] of Object.entries(limits))
    if (!Object.hasOwn(METRICS, metric) || !Number.isSafeInteger(limit) || limit < 0)
      throw new AppError("bad_request", `A plan cannot limit ${metric.slice(0, 100)} to ${limit}.`, {
        hint: `It limits ${Object.keys(METRICS).join(" and ")}, to whole numbers.`,
      });
  const name = `workspace:${slug}`;
  await tx.insert(plans).values({ name, limits }).onConflictDoUpdate({ target: plans.name, set: { limits } });
  return name;
}
