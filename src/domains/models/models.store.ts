import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { type Catalog, type CatalogTx, Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type Draft, type DraftInfo, readDraft, readDraftInfo } from "./authoring.ts";
import { LIMITS } from "./limits.ts";
import type { Problem, SemanticModel } from "./model.ts";
import { tellOfModel } from "./model-events.ts";
import { modelSettings, semanticModels, semanticModelVersions } from "./models.tables.ts";

const MOST_DOCUMENTS = 200;

const MOST_CHARACTERS = 32 * 1024 * 1024;

/**
 * The last documents of published models that were read. A version is never changed, so its document is good for as
 * long as the catalog says that this version is the published one. Frozen, because all calls share them.
 */
class KeptDocuments {
  readonly #cache = new Map<string, { document: SemanticModel; characters: number }>();
  #characters = 0;

  get(modelId: number, version: number): SemanticModel | undefined {
    const key = keyOf(modelId, version);
    const kept = this.#cache.get(key);
    if (kept === undefined) return undefined;
    this.#cache.delete(key);
    this.#cache.set(key, kept);
    return kept.document;
  }

  keep(modelId: number, version: number, document: SemanticModel): SemanticModel {
    const key = keyOf(modelId, version);
    const characters = JSON.stringify(document).length;
    this.#drop(key);
    this.#cache.set(key, { document: freeze(document), characters });
    this.#characters += characters;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= MOST_DOCUMENTS && this.#characters <= MOST_CHARACTERS) break;
      this.#drop(oldest);
    }
    return document;
  }

  #drop(key: string): void {
    this.#characters -= this.#cache.get(key)?.characters ?? 0;
    this.#cache.delete(key);
  }
}

/** A model in the catalog, without what its versions say. */
export type ModelRecord = Omit<typeof semanticModels.$inferSelect, "draft"> & { hasDraft: boolean };

export interface PublishedModel {
  record: ModelRecord;
  version: number;
  document: SemanticModel;
  /** Nobody has written or published it. */
  isInferred?: true;
  /** Ids of the datasets that alone may be read, where not all of its own may. */
  only?: ReadonlySet<number>;
}

export interface VersionInfo {
  version: number;
  publishedAt: Date;
  publishedBy: number | null;
  /** How many. */
  warnings: number;
  isPublished: boolean;
}

/** What is to become the published version of a model. */
export interface Publication {
  document: SemanticModel;
  warnings: readonly Problem[];
  /** The model that it was checked for; without one, whichever has its name, or a new one. */
  modelId?: number;
}

export interface SavedDraft extends ModelRecord {
  draft: DraftInfo | null;
  /** The draft that was there before. */
  replaced: DraftInfo | null;
}

/** Throws if a document may not take the place of the one that is published now. */
export type MayReplace = (published: SemanticModel, next: SemanticModel) => void;

/** A published model in a list. */
export interface ModelSummary {
  uuid: string;
  name: string;
  description: string | null;
  version: number;
}

const DEFAULT_ITEMS_PER_PAGE = 50;
const NO_DRAFT = { draft: null, draftedBy: null, draftedAt: null };

const { draft: _, ...columns } = getTableColumns(semanticModels);
const record = { ...columns, hasDraft: sql<boolean>`${semanticModels.draft} IS NOT NULL` };

/** Semantic models, their drafts and their versions. */
export class ModelsStore extends Store {
  readonly #documents = new KeptDocuments();

  async list(workspaceId: number): Promise<ModelRecord[]> {
    return this.catalog.db
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
    const rows = await this.catalog.db
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

  /** The same without their documents, of which there may be megabytes. */
  async summaries(workspaceId: number): Promise<ModelSummary[]> {
    const { document, version } = semanticModelVersions;
    return this.catalog.db
      .select({
        uuid: semanticModels.uuid,
        name: sql<string>`${document}->>'name'`,
        description: sql<string | null>`${document}->>'description'`,
        version,
      })
      .from(semanticModels)
      .innerJoin(semanticModelVersions, this.#currentVersion())
      .where(this.#own(workspaceId))
      .orderBy(asc(sql`lower(${semanticModels.name})`));
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
    const found = await this.#find(and(this.#own(workspaceId), wanted));
    const version = found?.publishedVersion ?? null;
    if (found === undefined || version === null) return undefined;
    const document = this.#documents.get(found.id, version) ?? (await this.#readDocument(found.id, version));
    return document && { record: found, version, document };
  }

  async #readDocument(id: number, version: number): Promise<SemanticModel | undefined> {
    const document = await this.version(id, version);
    return document && this.#documents.keep(id, version, document);
  }

  async draft(id: number): Promise<Draft | null> {
    return readDraft(this.catalog.db, id);
  }

  async draftInfo(id: number): Promise<DraftInfo | null> {
    return readDraftInfo(this.catalog.db, id);
  }

  async version(id: number, version: number): Promise<SemanticModel | undefined> {
    const [row] = await this.catalog.db
      .select({ document: semanticModelVersions.document })
      .from(semanticModelVersions)
      .where(and(eq(semanticModelVersions.modelId, id), eq(semanticModelVersions.version, version)));
    return row?.document;
  }

  /** Who published a version, null when there is no such account any more, and when. */
  async publishing(id: number, version: number): Promise<{ by: number | null; at: Date } | undefined> {
    const [row] = await this.catalog.db
      .select({ by: semanticModelVersions.publishedBy, at: semanticModelVersions.publishedAt })
      .from(semanticModelVersions)
      .where(and(eq(semanticModelVersions.modelId, id), eq(semanticModelVersions.version, version)));
    return row;
  }

  async versions(record: ModelRecord): Promise<VersionInfo[]> {
    const { version, publishedAt, publishedBy } = semanticModelVersions;
    const warnings = sql<number>`jsonb_array_length(${semanticModelVersions.warnings})`;
    const rows = await this.catalog.db
      .select({ version, publishedAt, publishedBy, warnings })
      .from(semanticModelVersions)
      .where(eq(semanticModelVersions.modelId, record.id))
      .orderBy(desc(version));
    return rows.map((row) => ({ ...row, isPublished: row.version === record.publishedVersion }));
  }

  /** Keeps drafts, of new models or of those that there are: all or none. What is published stays as it is. */
  async saveDrafts(
    workspaceId: number,
    userId: number,
    documents: readonly SemanticModel[],
  ): Promise<SavedDraft[]> {
    return this.catalog.transaction(async (tx) => {
      await this.#lockNames(tx, workspaceId, documents);
      const saved: SavedDraft[] = [];
      for (const document of documents) {
        const id = await this.#lockOrMake(tx, workspaceId, userId, document.name);
        const replaced = await readDraftInfo(tx, id);
        // Its time is what a draft is known by, so a clock that stands still must not give it twice.
        const draftedAt = new Date(
          Math.max(this.clock.now().getTime(), (replaced?.savedAt.getTime() ?? 0) + 1),
        );
        await tx
          .update(semanticModels)
          .set({ name: document.name, draft: document, draftedBy: userId, draftedAt })
          .where(eq(semanticModels.id, id));
        saved.push({ ...(await this.#require(tx, id)), draft: await readDraftInfo(tx, id), replaced });
      }
      return saved;
    });
  }

  /** Makes documents the published versions, each under the next number: all or none. */
  async publishAll(
    workspaceId: number,
    userId: number,
    publications: readonly Publication[],
    mayReplace: MayReplace,
  ): Promise<ModelRecord[]> {
    return this.catalog.transaction(async (tx) => {
      const documents = publications.map(({ document }) => document);
      await this.#lockNames(tx, workspaceId, documents);
      const records: ModelRecord[] = [];
      for (const publication of publications) {
        const { document, modelId } = publication;
        const id =
          modelId === undefined
            ? await this.#lockOrMake(tx, workspaceId, userId, document.name)
            : await this.#lock(tx, workspaceId, modelId, document.name);
        records.push(await this.#publish(tx, id, userId, publication, mayReplace));
      }
      return records;
    });
  }

  async #publish(
    tx: CatalogTx,
    id: number,
    userId: number,
    { document, warnings }: Publication,
    mayReplace: MayReplace,
  ): Promise<ModelRecord> {
    const { name: formerName } = await this.#require(tx, id);
    const published = await this.#publishedIn(tx, id);
    if (published !== undefined) mayReplace(published, document);
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
      publishedAt: this.clock.now(),
    });
    const oldest = version - LIMITS.models.versions;
    await tx
      .delete(semanticModelVersions)
      .where(and(eq(semanticModelVersions.modelId, id), lte(semanticModelVersions.version, oldest)));
    await tx
      .update(semanticModels)
      .set({ name: document.name, publishedVersion: version })
      .where(eq(semanticModels.id, id));
    // A draft is used up when it is what has been published, and not when somebody saved another one meanwhile.
    const isThis = sql`${semanticModels.draft} = ${JSON.stringify(document)}::jsonb`;
    await tx
      .update(semanticModels)
      .set(NO_DRAFT)
      .where(and(eq(semanticModels.id, id), isThis));
    const changed = await this.#require(tx, id);
    await tellOfModel(tx, changed, formerName);
    return changed;
  }

  /** Throws what `mayRemove` throws about the version that is published, if one is. */
  async remove(
    workspaceId: number,
    id: number,
    mayRemove: (published: SemanticModel) => void,
  ): Promise<boolean> {
    return this.catalog.transaction(async (tx) => {
      const own = and(this.#own(workspaceId), eq(semanticModels.id, id));
      await tx.select({ id: semanticModels.id }).from(semanticModels).where(own).for("update");
      const published = await this.#publishedIn(tx, id);
      if (published !== undefined) mayRemove(published);
      const rows = await tx
        .update(semanticModels)
        .set({ deletedAt: this.clock.now() })
        .where(own)
        .returning(record);
      for (const row of rows) await tellOfModel(tx, row);
      return rows.length > 0;
    });
  }

  /** Throws a draft away; with that of a model that was never published the model itself is deleted. */
  async discardDraft(workspaceId: number, id: number): Promise<boolean> {
    return this.catalog.transaction(async (tx) => {
      const [row] = await tx
        .select({ publishedVersion: semanticModels.publishedVersion })
        .from(semanticModels)
        .where(and(this.#own(workspaceId), eq(semanticModels.id, id), isNotNull(semanticModels.draft)))
        .for("update");
      if (row === undefined) return false;
      const change = row.publishedVersion === null ? { deletedAt: this.clock.now() } : NO_DRAFT;
      await tx.update(semanticModels).set(change).where(eq(semanticModels.id, id));
      return true;
    });
  }

  deleted(workspaceId: number, id: number): Promise<DeletedModel | undefined> {
    return readDeleted(this.catalog.db, workspaceId, id);
  }

  /** Brings a deleted model back, unless its name has been taken. Throws what `mayRestore` throws. */
  async restore(workspaceId: number, id: number, mayRestore: MayRestore): Promise<boolean> {
    return this.catalog.transaction(async (tx) => {
      const row = await readDeleted(tx, workspaceId, id);
      if (row === undefined) return false;
      mayRestore(row);
      await this.#lockNames(tx, workspaceId, [row]);
      const [taken] = await tx
        .select({ id: semanticModels.id })
        .from(semanticModels)
        .where(and(this.#own(workspaceId), this.#named(row.name)));
      if (taken !== undefined) {
        throw new AppError("conflict", `There is another semantic model called ${row.name} by now.`, {
          hint: "Delete that one first.",
        });
      }
      await this.#assertRoom(tx, workspaceId);
      await tx.update(semanticModels).set({ deletedAt: null }).where(eq(semanticModels.id, id));
      await tellOfModel(tx, row);
      return true;
    });
  }

  async itemsPerPage(workspaceId: number): Promise<number> {
    const [row] = await this.catalog.db
      .select({ itemsPerPage: modelSettings.itemsPerPage })
      .from(modelSettings)
      .where(eq(modelSettings.workspaceId, workspaceId));
    return row?.itemsPerPage ?? DEFAULT_ITEMS_PER_PAGE;
  }

  async setItemsPerPage(workspaceId: number, itemsPerPage: number): Promise<void> {
    await this.catalog.db
      .insert(modelSettings)
      .values({ workspaceId, itemsPerPage })
      .onConflictDoUpdate({ target: modelSettings.workspaceId, set: { itemsPerPage } });
  }

  async #find(condition: ReturnType<typeof and>): Promise<ModelRecord | undefined> {
    const [row] = await this.catalog.db.select(record).from(semanticModels).where(condition);
    return row;
  }

  async #publishedIn(tx: CatalogTx, id: number): Promise<SemanticModel | undefined> {
    const [row] = await tx
      .select({ document: semanticModelVersions.document })
      .from(semanticModels)
      .innerJoin(semanticModelVersions, this.#currentVersion())
      .where(eq(semanticModels.id, id));
    return row?.document;
  }

  async #require(tx: CatalogTx, id: number): Promise<ModelRecord> {
    const [row] = await tx.select(record).from(semanticModels).where(eq(semanticModels.id, id));
    return row as ModelRecord;
  }

  /** The model of that name, locked; its name must be locked already. */
  async #lockOrMake(tx: CatalogTx, workspaceId: number, userId: number, name: string): Promise<number> {
    const [row] = await tx
      .select({ id: semanticModels.id })
      .from(semanticModels)
      .where(and(this.#own(workspaceId), this.#named(name)))
      .for("update");
    if (row !== undefined) return row.id;
    await this.#assertRoom(tx, workspaceId);
    const [made] = await tx
      .insert(semanticModels)
      .values({ workspaceId, name, createdBy: userId, createdAt: this.clock.now() })
      .returning({ id: semanticModels.id });
    return (made as { id: number }).id;
  }

  /** A model that was there when the work began, locked. */
  async #lock(tx: CatalogTx, workspaceId: number, id: number, name: string): Promise<number> {
    const [row] = await tx
      .select({ id: semanticModels.id })
      .from(semanticModels)
      .where(and(this.#own(workspaceId), eq(semanticModels.id, id)))
      .for("update");
    if (row !== undefined) return row.id;
    throw new AppError("not_found", `The semantic model ${name} has been deleted meanwhile.`, {
      hint: "{tool:restore_asset} brings it back.",
    });
  }

  /** Two who write the same name wait for each other; all names at once and in order, so that they never do for ever. */
  async #lockNames(tx: CatalogTx, workspaceId: number, models: readonly { name: string }[]): Promise<void> {
    const names = new Set(models.map(({ name }) => name.toLowerCase()));
    for (const name of [...names].sort()) await lock(tx, `model:${workspaceId}:${name}`);
  }

  /** Whoever makes models in a workspace takes turns, so that their number is right. */
  async #assertRoom(tx: CatalogTx, workspaceId: number): Promise<void> {
    await lock(tx, `models:${workspaceId}`);
    const { modelsPerWorkspace } = LIMITS.models;
    if ((await tx.$count(semanticModels, this.#own(workspaceId))) < modelsPerWorkspace) return;
    throw new AppError("plan_limit", `This workspace has ${modelsPerWorkspace} semantic models already.`, {
      hint: "Delete one that is no longer needed.",
    });
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

async function lock(tx: CatalogTx, key: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
}

function keyOf(modelId: number, version: number): string {
  return `${modelId}:${version}`;
}

/** With everything in it; a document comes out of JSON and is as deep as its format allows. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

interface DeletedModel {
  workspaceId: number;
  uuid: string;
  name: string;
  /** What was published of it, and would be again; null when nothing was. */
  document: SemanticModel | null;
}

/** Throws if a model may not be brought back. */
type MayRestore = (deleted: DeletedModel) => void;

/** A model that was deleted and can be brought back. */
async function readDeleted(
  db: Pick<CatalogTx, "select">,
  workspaceId: number,
  id: number,
): Promise<DeletedModel | undefined> {
  const { uuid, name, publishedVersion } = semanticModels;
  const { document, modelId, version } = semanticModelVersions;
  const [row] = await db
    .select({ workspaceId: semanticModels.workspaceId, uuid, name, document })
    .from(semanticModels)
    .leftJoin(semanticModelVersions, and(eq(modelId, semanticModels.id), eq(version, publishedVersion)))
    .where(
      and(
        eq(semanticModels.workspaceId, workspaceId),
        eq(semanticModels.id, id),
        isNotNull(semanticModels.deletedAt),
      ),
    );
  return row;
}

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
