import { extname, join } from "node:path";
import { eq } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { WorkerPool } from "../../../platform/workers/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { LIMITS } from "../limits.ts";
import { accounts, memoryShapes as shapes } from "../memory.tables.ts";
import type { End, RelationsStore } from "../relations.store.ts";
import { Vocabulary } from "../vocabulary.ts";
import type { ShapesAnswer, ShapesQuestion } from "./check-relation.ts";

/** What a workspace allows. */
export interface WorkspaceRules {
  vocabulary: Vocabulary;
  stored: StoredShapes | undefined;
  shapes: number;
  /** Those that it has added to the vocabulary. */
  ownTypes: string[];
}

interface Read {
  turtle: string;
  vocabulary: Vocabulary;
  shapes: number;
  ownTypes: string[];
}

const MODULE = join(import.meta.dirname, `shapes-worker${extname(import.meta.filename)}`);
/** Workspaces whose rules are kept as they were read. */
const KEPT = 200;

/** Which relations there may be: the vocabulary, and what the workspace says in SHACL. */
export class RelationRules {
  readonly #store: ShapesStore;
  readonly #relations: RelationsStore;
  readonly #clock: Clock;
  readonly #read = new Map<number, Read>();
  /** A pattern or path of somebody's shape may take for ever. */
  readonly #pool = new WorkerPool<ShapesQuestion, ShapesAnswer>({
    noun: "relation",
    nouns: "relations",
    work: { doing: "Checking", done: "checked", did: "checked" },
    hint: "Make the rules of the workspace simpler; an admin sets them.",
    module: MODULE,
    workers: 2,
    waiting: 64,
    memoryMb: 256,
    timeoutMs: LIMITS.memory.shapesMs,
  });

  constructor(store: ShapesStore, relations: RelationsStore, clock: Clock) {
    this.#store = store;
    this.#relations = relations;
    this.#clock = clock;
  }

  async of(workspaceId: number): Promise<WorkspaceRules> {
    const stored = await this.#store.get(workspaceId);
    if (stored === undefined) return { vocabulary: Vocabulary.builtIn, stored, shapes: 0, ownTypes: [] };
    let read = this.#read.get(workspaceId);
    if (read?.turtle !== stored.turtle) {
      read = await this.#understand(workspaceId, stored.turtle);
      this.#read.set(workspaceId, read);
      for (const oldest of this.#read.keys()) if (this.#read.size > KEPT) this.#read.delete(oldest);
    }
    const { vocabulary, shapes, ownTypes } = read;
    return { vocabulary, stored, shapes, ownTypes };
  }

  /** Refuses what cannot be read, and keeps what was there. */
  async set(caller: Caller, turtle: string): Promise<WorkspaceRules> {
    const size = Buffer.byteLength(turtle);
    if (size > LIMITS.memory.shapesBytes)
      throw new AppError(
        "too_large",
        `Rules can have ${LIMITS.memory.shapesBytes} bytes; these have ${size}.`,
      );
    await this.#understand(caller.workspace.id, turtle);
    await this.#store.set(caller.workspace.id, caller.user.id, turtle, this.#clock.now());
    return this.of(caller.workspace.id);
  }

  async remove(caller: Caller): Promise<boolean> {
    return this.#store.remove(caller.workspace.id);
  }

  /** The inverse of the type. Throws where a relation of this type is not allowed between the two. */
  async assertAllowed(
    { vocabulary, stored, shapes }: WorkspaceRules,
    { workspace }: Caller,
    type: string,
    from: End,
    to: End,
  ): Promise<string> {
    const inverse = vocabulary.assertAllowed(type, from, to);
    if (stored === undefined || shapes === 0) return inverse;
    const edges = await this.#relations.edgesOf([from.id, to.id], LIMITS.memory.listedRelations);
    const { violations, allowed } = await this.#pool.ask(String(workspace.id), undefined, () => ({
      value: {
        turtle: stored.turtle,
        nodes: [from, to].map(({ id, kind, type: memoryType, title, tags }) => {
          return { id, kind, type: memoryType, title, tags };
        }),
        edges,
        edge: { fromId: from.id, type, toId: to.id, inverse },
        others: vocabulary.allowedBetween(from, to).filter((other) => other.type !== type),
      },
    }));
    const [first] = violations;
    if (first === undefined) return inverse;
    const others =
      allowed.length > 0 ? `Allowed between these two are: ${allowed.join(", ")}.` : "No type is.";
    throw new AppError("unsupported", first.message, {
      hint: `A rule of this workspace forbids ${type} here. ${others}`,
      data: {
        rel_type: type,
        violations: violations.map(({ message, expected }) => ({ message, expected })),
        allowed,
      },
    });
  }

  async #understand(workspaceId: number, turtle: string): Promise<Read> {
    const read = await this.#pool.ask(String(workspaceId), undefined, () => ({ value: { read: turtle } }));
    const { types, shapes } = read;
    const ownTypes = types.map(({ type }) => type);
    return { turtle, vocabulary: Vocabulary.builtIn.with(types), shapes, ownTypes };
  }
}

interface StoredShapes {
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
