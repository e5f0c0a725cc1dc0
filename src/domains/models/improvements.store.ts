import { and, desc, eq, inArray } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { LIMITS } from "./limits.ts";
import { usableModels } from "./models.store.ts";
import { type ImprovementState, improvementRequests, semanticModels } from "./models.tables.ts";

export interface Improvement {
  id: number;
  model: string;
  title: string;
  description: string;
  state: ImprovementState;
  resolution: string | null;
  requestedBy: string;
  createdAt: Date;
  closedAt: Date | null;
}

/** Requests of people and their clients for improving a model. */
export class ImprovementsStore extends Store {
  async add(
    { workspace, user }: Caller,
    { modelId, title, description }: { modelId: number; title: string; description: string },
  ): Promise<number> {
    const open = and(
      eq(improvementRequests.workspaceId, workspace.id),
      eq(improvementRequests.state, "open"),
    );
    if ((await this.catalog.db.$count(improvementRequests, open)) >= LIMITS.models.openImprovements) {
      throw new AppError("plan_limit", "There are too many open improvement requests in this workspace.", {
        hint: "An admin can close some with {tool:close_improvement_request}.",
      });
    }
    const [row] = await this.catalog.db
      .insert(improvementRequests)
      .values({
        workspaceId: workspace.id,
        modelId,
        title,
        description,
        state: "open",
        requestedBy: user.email,
        createdAt: this.clock.now(),
      })
      .returning({ id: improvementRequests.id });
    return (row as { id: number }).id;
  }

  async list(
    caller: Caller,
    { state, limit, offset }: { state: ImprovementState | null; limit: number; offset: number },
  ): Promise<{ total: number; items: Improvement[] }> {
    const condition = and(
      this.#usable(caller),
      state === null ? undefined : eq(improvementRequests.state, state),
    );
    const [total, items] = await Promise.all([
      this.catalog.db.$count(improvementRequests, condition),
      this.catalog.db
        .select({
          id: improvementRequests.id,
          model: semanticModels.name,
          title: improvementRequests.title,
          description: improvementRequests.description,
          state: improvementRequests.state,
          resolution: improvementRequests.resolution,
          requestedBy: improvementRequests.requestedBy,
          createdAt: improvementRequests.createdAt,
          closedAt: improvementRequests.closedAt,
        })
        .from(improvementRequests)
        .innerJoin(semanticModels, eq(semanticModels.id, improvementRequests.modelId))
        .where(condition)
        .orderBy(desc(improvementRequests.id))
        .limit(limit)
        .offset(offset),
    ]);
    return { total, items };
  }

  async close(
    caller: Caller,
    id: number,
    { state, resolution }: { state: Exclude<ImprovementState, "open">; resolution: string | null },
  ): Promise<void> {
    const rows = await this.catalog.db
      .update(improvementRequests)
      .set({ state, resolution, closedBy: caller.user.id, closedAt: this.clock.now() })
      .where(and(this.#usable(caller), eq(improvementRequests.id, id)))
      .returning({ id: improvementRequests.id });
    if (rows.length > 0) return;
    throw new AppError("not_found", `There is no improvement request with id ${id}.`, {
      hint: "{tool:list_improvement_requests} shows what there is.",
    });
  }

  /** Those about models that there are and that the token is for. */
  #usable(caller: Caller) {
    return and(
      eq(improvementRequests.workspaceId, caller.workspace.id),
      inArray(improvementRequests.modelId, usableModels(this.catalog, caller)),
    );
  }
}
