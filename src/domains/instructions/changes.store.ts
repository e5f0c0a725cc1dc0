import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { MS } from "../../kernel/time.ts";
import { Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type Change, changes } from "./instructions.tables.ts";
import { LIMITS } from "./limits.ts";

export type ChangeRow = typeof changes.$inferSelect;

/** What instructions have changed. */
export class ChangesStore extends Store {
  /** Written down before the first step, so that a process that is killed leaves something to undo by. */
  async begin({ workspace, user }: Caller, instruction: string): Promise<number> {
    const values = {
      workspaceId: workspace.id,
      userId: user.id,
      instruction,
      steps: [],
      createdAt: this.clock.now(),
    };
    const [row] = await this.catalog.db.insert(changes).values(values).returning({ id: changes.id });
    return (row as { id: number }).id;
  }

  async keep(id: number, steps: readonly Change[]): Promise<void> {
    await this.catalog.db.update(changes).set({ steps }).where(eq(changes.id, id));
  }

  /** One's own; an admin's also those of others. */
  async #require({ workspace, user, role }: Caller, id: number): Promise<ChangeRow> {
    const [row] = await this.catalog.db
      .select()
      .from(changes)
      .where(and(eq(changes.id, id), eq(changes.workspaceId, workspace.id)));
    if (row === undefined || (row.userId !== user.id && role !== "admin"))
      throw new AppError("not_found", `There is no change ${id}.`, {
        hint: "Take the change_id of an answer.",
      });
    if (row.undoneAt !== null) throw new AppError("conflict", `The change ${id} has been undone already.`);
    return row;
  }

  /** The caller's last one that stands. */
  async last({ workspace, user }: Caller): Promise<number> {
    const [row] = await this.catalog.db
      .select({ id: changes.id })
      .from(changes)
      .where(
        and(
          eq(changes.workspaceId, workspace.id),
          eq(changes.userId, user.id),
          isNull(changes.undoneAt),
          sql`jsonb_array_length(${changes.steps}) > 0`,
        ),
      )
      .orderBy(desc(changes.id))
      .limit(1);
    if (row === undefined) throw new AppError("not_found", "There is no change of yours to undo.");
    return row.id;
  }

  /** All of it in one transaction, with the note that it was done. */
  undo<T>(caller: Caller, id: number, work: (steps: readonly Change[]) => Promise<T>): Promise<T> {
    return this.catalog.atomically(async () => {
      const { steps } = await this.#require(caller, id);
      await this.catalog.db.update(changes).set({ undoneAt: this.clock.now() }).where(eq(changes.id, id));
      return work(steps);
    });
  }

  async sweep(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - LIMITS.instructions.undoDays * MS.day);
    await this.catalog.db.delete(changes).where(lt(changes.createdAt, before));
  }
}
