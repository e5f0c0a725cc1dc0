import { asc, eq } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Catalog, CatalogTx } from "../../../platform/catalog/index.ts";
import { type PlanLimits, plans, workspaces } from "../identity.tables.ts";
import type { PlanWish } from "../identity.ts";
import { requireWorkspace } from "../workspaces/workspaces.store.ts";
import { METRICS } from "./usage-metrics.ts";

/** Puts a workspace on a plan that there is, or on one of its own with these limits. */
export async function setPlan(catalog: Catalog, slug: string, wish: PlanWish): Promise<void> {
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
