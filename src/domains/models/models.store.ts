import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import type { Problem, SemanticModel } from "./model.ts";
import { modelSettings, semanticModels, semanticModelVersions } from "./models.tables.ts";

/** A model in the catalog, without what its versions say. */
export type ModelRecord = Omit<typeof semanticModels.$inferSelect, "draft"> & { hasDraft: boolean };

export interface PublishedModel {
  record: ModelRecord;
  version: number;
  document: SemanticModel;
}

export interface VersionInfo {
  version: number;
  publishedAt: Date;
  publishedBy: number | null;
  warnings: readonly Problem[];
  isPublished: boolean;
}

export const DEFAULT_ITEMS_PER_PAGE = 50;

const { draft: _, ...columns } = getTableColumns(semanticModels);
const record = { ...columns, hasDraft: sql<boolean>`${semanticModels.draft} IS NOT NULL` };

/** Semantic models, their drafts and their versions. */
export class ModelsStore {
  readonly #catalog: Catalog;
  readonly #clock: Clock;

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  async list(workspaceId: number): Promise<ModelRecord[]> {
    return this.#catalog.db
      .select(record)
      .from(semanticModels)
      .where(this.#own(workspaceId))
      .orderBy(asc(sql`lower(${semanticModels.name})`));
  }

  async findByName(workspaceId: number, name: string): Promise<ModelRecord | undefined> {
    return this.#find(and(this.#own(workspaceId), this.#named(name)));
  }

  async findById(workspaceId: number, id: number): Promise<ModelRecord | undefined> {
    return this.#find(and(this.#own(workspaceId), eq(semanticModels.id, id)));
  }

  /** Every published model of a workspace as it stands, by name. */
  async published(workspaceId: number): Promise<PublishedModel[]> {
    const rows = await this.#catalog.db
      .select({ record, document: semanticModelVersions.document })
      .from(semanticModels)
      .innerJoin(semanticModelVersions, this.#currentVersion())
      .where(this.#own(workspaceId))
      .orderBy(asc(sql`lower(${semanticModels.name})`));
    return rows.map(({ record, document }) => ({
      record,
      document,
      version: record.publishedVersion as number,
    }));
  }

  async publishedBy(
    workspaceId: number,
    key: { name: string } | { uuid: string } | { id: number },
  ): Promise<PublishedModel | undefined> {
    const wanted =
      "name" in key
        ? this.#named(key.name)
        : "uuid" in key
          ? eq(semanticModels.uuid, key.uuid)
          : eq(semanticModels.id, key.id);
    const [row] = await this.#catalog.db
      .select({ record, document: semanticModelVersions.document })
      .from(semanticModels)
      .innerJoin(semanticModelVersions, this.#currentVersion())
      .where(and(this.#own(workspaceId), wanted));
    return row && { ...row, version: row.record.publishedVersion as number };
  }

  async draft(id: number): Promise<SemanticModel | null> {
    const [row] = await this.#catalog.db
      .select({ draft: semanticModels.draft })
      .from(semanticModels)
      .where(eq(semanticModels.id, id));
    return row?.draft ?? null;
  }

  async version(id: number, version: number): Promise<SemanticModel | undefined> {
    const [row] = await this.#catalog.db
      .select({ document: semanticModelVersions.document })
      .from(semanticModelVersions)
      .where(and(eq(semanticModelVersions.modelId, id), eq(semanticModelVersions.version, version)));
    return row?.document;
  }

  async versions(record: ModelRecord): Promise<VersionInfo[]> {
    const rows = await this.#catalog.db
      .select()
      .from(semanticModelVersions)
      .where(eq(semanticModelVersions.modelId, record.id))
      .orderBy(desc(semanticModelVersions.version));
    return rows.map(({ version, publishedAt, publishedBy, warnings }) => ({
      version,
      publishedAt,
      publishedBy,
      warnings,
      isPublished: version === record.publishedVersion,
    }));
  }

  /** Keeps a draft, of a new model or of one that there is. What is published stays as it is. */
  async saveDraft(workspaceId: number, userId: number, document: SemanticModel): Promise<ModelRecord> {
    return this.#catalog.transaction(async (tx) => {
      const id = await this.#lockOrMake(tx, workspaceId, userId, document.name);
      await tx
        .update(semanticModels)
        .set({ name: document.name, draft: document, draftedBy: userId, draftedAt: this.#clock.now() })
        .where(eq(semanticModels.id, id));
      return this.#require(tx, id);
    });
  }

  /** Makes a document the published version, under the next number. The draft is used up by that. */
  async publish(
    workspaceId: number,
    userId: number,
    document: SemanticModel,
    warnings: readonly Problem[],
  ): Promise<ModelRecord> {
    return this.#catalog.transaction(async (tx) => {
      const id = await this.#lockOrMake(tx, workspaceId, userId, document.name);
      const [last] = await tx
        .select({ version: sql<number>`coalesce(max(${semanticModelVersions.version}), 0)::int` })
        .from(semanticModelVersions)
        .where(eq(semanticModelVersions.modelId, id));
      const version = (last?.version ?? 0) + 1;
      await tx.insert(semanticModelVersions).values({
        modelId: id,
        version,
        document,
        warnings: [...warnings],
        publishedBy: userId,
        publishedAt: this.#clock.now(),
      });
      const oldest = version - LIMITS.models.versions;
      await tx
        .delete(semanticModelVersions)
        .where(and(eq(semanticModelVersions.modelId, id), lte(semanticModelVersions.version, oldest)));
      await tx
        .update(semanticModels)
        .set({
          name: document.name,
          publishedVersion: version,
          draft: null,
          draftedBy: null,
          draftedAt: null,
        })
        .where(eq(semanticModels.id, id));
      return this.#require(tx, id);
    });
  }

  async remove(workspaceId: number, id: number): Promise<boolean> {
    const rows = await this.#catalog.db
      .update(semanticModels)
      .set({ deletedAt: this.#clock.now() })
      .where(and(this.#own(workspaceId), eq(semanticModels.id, id)))
      .returning({ id: semanticModels.id });
    return rows.length > 0;
  }

  /** Brings a deleted model back, unless its name has been taken. False when there is none, or not for `mayUse`. */
  async restore(workspaceId: number, id: number, mayUse: (name: string) => boolean): Promise<boolean> {
    return this.#catalog.transaction(async (tx) => {
      const deleted = and(
        eq(semanticModels.workspaceId, workspaceId),
        eq(semanticModels.id, id),
        isNotNull(semanticModels.deletedAt),
      );
      const [row] = await tx.select(record).from(semanticModels).where(deleted);
      if (row === undefined || !mayUse(row.name)) return false;
      await this.#lockName(tx, workspaceId, row.name);
      const [taken] = await tx
        .select({ id: semanticModels.id })
        .from(semanticModels)
        .where(and(this.#own(workspaceId), this.#named(row.name)));
      if (taken !== undefined) {
        throw new AppError("conflict", `There is another semantic model called ${row.name} by now.`);
      }
      await tx.update(semanticModels).set({ deletedAt: null }).where(eq(semanticModels.id, id));
      return true;
    });
  }

  async itemsPerPage(workspaceId: number): Promise<number> {
    const [row] = await this.#catalog.db
      .select({ itemsPerPage: modelSettings.itemsPerPage })
      .from(modelSettings)
      .where(eq(modelSettings.workspaceId, workspaceId));
    return row?.itemsPerPage ?? DEFAULT_ITEMS_PER_PAGE;
  }

  async setItemsPerPage(workspaceId: number, itemsPerPage: number): Promise<void> {
    await this.#catalog.db
      .insert(modelSettings)
      .values({ workspaceId, itemsPerPage })
      .onConflictDoUpdate({ target: modelSettings.workspaceId, set: { itemsPerPage } });
  }

  async #find(condition: ReturnType<typeof and>): Promise<ModelRecord | undefined> {
    const [row] = await this.#catalog.db.select(record).from(semanticModels).where(condition);
    return row;
  }

  async #require(tx: CatalogTx, id: number): Promise<ModelRecord> {
    const [row] = await tx.select(record).from(semanticModels).where(eq(semanticModels.id, id));
    return row as ModelRecord;
  }

  async #lockOrMake(tx: CatalogTx, workspaceId: number, userId: number, name: string): Promise<number> {
    await this.#lockName(tx, workspaceId, name);
    const [row] = await tx
      .select({ id: semanticModels.id })
      .from(semanticModels)
      .where(and(this.#own(workspaceId), this.#named(name)))
      .for("update");
    if (row !== undefined) return row.id;
    const [made] = await tx
      .insert(semanticModels)
      .values({ workspaceId, name, createdBy: userId, createdAt: this.#clock.now() })
      .returning({ id: semanticModels.id });
    return (made as { id: number }).id;
  }

  /** Two who write the same name wait for each other. */
  async #lockName(tx: CatalogTx, workspaceId: number, name: string): Promise<void> {
    const key = `model:${workspaceId}:${name.toLowerCase()}`;
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
  }

  #own(workspaceId: number) {
    return and(eq(semanticModels.workspaceId, workspaceId), isNull(semanticModels.deletedAt));
  }

  #named(name: string) {
    return sql`lower(${semanticModels.name}) = lower(${name})`;
  }

  #currentVersion() {
    return and(
      eq(semanticModelVersions.modelId, semanticModels.id),
      eq(semanticModelVersions.version, semanticModels.publishedVersion),
    );
  }
}
