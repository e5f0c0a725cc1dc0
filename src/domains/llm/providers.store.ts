import { and, eq, ne, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import type { ProviderKind } from "../../platform/llm/index.ts";
import type { Secret, Vault } from "../../platform/vault/index.ts";
import { LIMITS } from "./limits.ts";
import { llmProviders } from "./llm.tables.ts";

/** A provider as it may be shown: everything but its key. */
export interface Provider {
  id: number;
  workspaceId: number;
  name: string;
  kind: ProviderKind;
  model: string;
  baseUrl: string | null;
  hasKey: boolean;
  isDefault: boolean;
  sendsRows: boolean;
  timeoutMs: number;
  changedAt: Date;
}

export interface ProviderWish {
  workspaceId: number;
  userId: number | null;
  name: string;
  kind: ProviderKind;
  model: string;
  baseUrl: string | null;
  /** The one that is there stays when this is left out. */
  key?: string | undefined;
  isDefault: boolean;
  sendsRows: boolean;
  timeoutMs: number;
}

/** Catalog records of providers. Their keys are stored sealed only. */
export class ProvidersStore {
  readonly #catalog: Catalog;
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(catalog: Catalog, vault: Vault, clock: Clock) {
    this.#catalog = catalog;
    this.#vault = vault;
    this.#clock = clock;
  }

  async list(workspaceId: number): Promise<Provider[]> {
    const rows = await this.#catalog.db
      .select()
      .from(llmProviders)
      .where(eq(llmProviders.workspaceId, workspaceId))
      .orderBy(sql`lower(${llmProviders.name})`);
    return rows.map(shown);
  }

  /** Makes one, or changes the one of that name. The first one of a workspace is its default. */
  async set(wish: ProviderWish): Promise<Provider> {
    const { workspaceId, userId, key, ...values } = wish;
    return this.#catalog.transaction(async (tx) => {
      // One after the other, or two could both become the default.
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext('llm_providers'), ${workspaceId}::int)`);
      const all = await tx.select().from(llmProviders).where(eq(llmProviders.workspaceId, workspaceId));
      const found = all.find(({ name }) => name.toLowerCase() === wish.name.toLowerCase());
      requireRoom(all.length, found);
      requireKey(wish, found);
      const isDefault = wish.isDefault || found?.isDefault === true || all.length === 0;
      if (isDefault) await this.#noDefaultBut(tx, workspaceId, found?.id);
      const now = this.#clock.now();
      const row = { ...values, isDefault, changedAt: now };
      const [made] =
        found === undefined
          ? await tx
              .insert(llmProviders)
              .values({ ...row, workspaceId, createdBy: userId })
              .returning()
          : await tx.update(llmProviders).set(row).where(eq(llmProviders.id, found.id)).returning();
      if (key === undefined) return shown(made!);
      const sealedKey = this.#vault.seal(key, sealContext(made!));
      const [sealed] = await tx
        .update(llmProviders)
        .set({ sealedKey })
        .where(eq(llmProviders.id, made!.id))
        .returning();
      return shown(sealed!);
    });
  }

  async #noDefaultBut(tx: CatalogTx, workspaceId: number, id: number | undefined): Promise<void> {
    const others = id === undefined ? undefined : ne(llmProviders.id, id);
    await tx
      .update(llmProviders)
      .set({ isDefault: false })
      .where(and(eq(llmProviders.workspaceId, workspaceId), others));
  }

  /** Its key is gone with it. */
  async remove(workspaceId: number, name: string): Promise<Provider> {
    const [row] = await this.#catalog.db
      .delete(llmProviders)
      .where(
        and(eq(llmProviders.workspaceId, workspaceId), sql`lower(${llmProviders.name}) = lower(${name})`),
      )
      .returning();
    if (row === undefined) throw noProvider(name);
    return shown(row);
  }

  /** For the one place that calls it. */
  async key({ id }: Pick<Provider, "id">): Promise<Secret | null> {
    const [row] = await this.#catalog.db.select().from(llmProviders).where(eq(llmProviders.id, id));
    if (row === undefined || row.sealedKey === null) return null;
    return this.#vault.open(row.sealedKey, sealContext(row));
  }
}

type Row = typeof llmProviders.$inferSelect;

function requireRoom(count: number, found: Row | undefined): void {
  if (found !== undefined || count < LIMITS.llm.providers) return;
  throw new AppError("conflict", `A workspace has at most ${LIMITS.llm.providers} language models.`, {
    hint: "Remove one first.",
  });
}

/** A key goes nowhere but where it was given for. */
function requireKey({ kind, baseUrl, key }: ProviderWish, found: Row | undefined): void {
  if (key !== undefined) return;
  if (found !== undefined && found.sealedKey !== null) {
    if (found.kind === kind && found.baseUrl === baseUrl) return;
    throw new AppError("bad_request", "With another kind or address the key has to be given again.");
  }
  if (kind === "openai-compatible") return;
  throw new AppError("bad_request", `A provider of the kind ${kind} needs a key.`);
}

export function noProvider(name: string): AppError {
  return new AppError("not_found", `There is no language model called ${name}.`, {
    hint: "{tool:list_llm_providers} shows what there is.",
  });
}

function shown({ sealedKey, createdBy: _, ...row }: Row): Provider {
  return { ...row, hasKey: sealedKey !== null };
}

function sealContext({ workspaceId, id }: Pick<Row, "workspaceId" | "id">): string {
  return `llm:${workspaceId}:${id}`;
}
