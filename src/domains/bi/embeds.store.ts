import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { Store } from "../../platform/catalog/index.ts";
import { embeds } from "./bi.tables.ts";
import { LIMITS } from "./limits.ts";

export type Embed = typeof embeds.$inferSelect;

/** The addresses under which dashboards and widgets are shown elsewhere. */
export class EmbedsStore extends Store {
  async create(embed: Omit<typeof embeds.$inferInsert, "createdAt">): Promise<Embed> {
    return this.catalog.transaction(async (tx) => {
      const { embeds: most } = LIMITS.bi;
      if ((await tx.$count(embeds, this.#working(embed.workspaceId))) >= most)
        throw new AppError("plan_limit", `This workspace has ${most} embeds, which is as many as it can.`, {
          hint: "Revoke those that nobody needs with {tool:revoke_embed}.",
        });
      const [row] = await tx
        .insert(embeds)
        .values({ ...embed, createdAt: this.clock.now() })
        .returning();
      return row!;
    });
  }

  #working(workspaceId: number) {
    const isValid = or(isNull(embeds.expiresAt), gt(embeds.expiresAt, this.clock.now()));
    return and(eq(embeds.workspaceId, workspaceId), isNull(embeds.revokedAt), isValid);
  }

  async byPublicId(publicId: string): Promise<Embed | undefined> {
    const [row] = await this.catalog.db.select().from(embeds).where(eq(embeds.publicId, publicId));
    return row;
  }

  async find(workspaceId: number, id: number): Promise<Embed | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(embeds)
      .where(and(eq(embeds.workspaceId, workspaceId), eq(embeds.id, id)));
    return row;
  }

  /** Those that work, of one maker or of all. */
  async list(
    workspaceId: number,
    { limit, userId }: { limit: number; userId: number | undefined },
  ): Promise<Embed[]> {
    const theirs = userId === undefined ? undefined : eq(embeds.createdBy, userId);
    return this.catalog.db
      .select()
      .from(embeds)
      .where(and(this.#working(workspaceId), theirs))
      .orderBy(desc(embeds.id))
      .limit(limit);
  }

  async revoke(id: number): Promise<void> {
    await this.catalog.db
      .update(embeds)
      .set({ revokedAt: this.clock.now() })
      .where(and(eq(embeds.id, id), isNull(embeds.revokedAt)));
  }

  async used(id: number): Promise<void> {
    await this.catalog.db.update(embeds).set({ lastUsedAt: this.clock.now() }).where(eq(embeds.id, id));
  }
}
