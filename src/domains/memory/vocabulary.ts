import { and, eq, inArray, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { CatalogTx } from "../../platform/catalog/index.ts";
import { LIMITS } from "./limits.ts";
import type { By } from "./memories.store.ts";
import { type MemoryKind, memoryMentions as mentions } from "./memory.tables.ts";
import { endPair, type Pair, relate } from "./relations.store.ts";

/** What a memory can be about; it says so by a tag. */
const CLASSES = ["person", "organisation", "client", "supplier", "team", "project", "document", "decision"];

interface RelationType {
  inverse: string;
  /** Classes that its source or target may have; a memory that names no class of these may be any. */
  from?: readonly string[];
  to?: readonly string[];
  fromKind?: MemoryKind;
  toKind?: MemoryKind;
  /** It puts memories in an order, so that none can come before itself by way of others. */
  isAcyclic?: true;
}

const PARTY = ["person", "organisation", "client", "supplier", "team"];
const WHOLE = ["organisation", "client", "supplier", "team"];

/** Each type as it is said, with its inverse; the inverse is a type as well, with source and target changed over. */
const SAID: Readonly<Record<string, RelationType>> = {
  OWNS: { inverse: "OWNED_BY", from: PARTY },
  FOR_CLIENT: { inverse: "HAS_WORK", to: ["client", "organisation", "person"] },
  FROM_SUPPLIER: { inverse: "SUPPLIES", to: ["supplier", "organisation", "person"] },
  RESPONSIBLE_FOR: { inverse: "RESPONSIBILITY_OF", from: ["person", "team"] },
  DEPUTY_OF: { inverse: "DEPUTISED_BY", from: ["person"], to: ["person"] },
  REPORTS_TO: { inverse: "MANAGES", from: ["person", "team"], to: ["person"], isAcyclic: true },
  WORKS_FOR: { inverse: "EMPLOYS", from: ["person"], to: WHOLE },
  MEMBER_OF: { inverse: "HAS_MEMBER", from: PARTY, to: [...WHOLE, "project"] },
  KNOWS: { inverse: "KNOWS", from: ["person"], to: ["person"] },
  WORKS_ON: { inverse: "WORKED_ON_BY", from: ["person", "team"] },
  CONTACT_FOR: { inverse: "HAS_CONTACT", from: ["person", "team"] },
  LOCATED_IN: { inverse: "LOCATION_OF", isAcyclic: true },
  PART_OF: { inverse: "HAS_PART", isAcyclic: true },
  DEPENDS_ON: { inverse: "REQUIRED_BY" },
  CAUSES: { inverse: "CAUSED_BY" },
  PRECEDES: { inverse: "FOLLOWS", isAcyclic: true },
  DECIDED_BY: { inverse: "DECIDED", from: ["decision"], to: PARTY },
  DECIDED_IN: { inverse: "HAS_DECISION", from: ["decision"] },
  AUTHORED_BY: { inverse: "AUTHOR_OF", to: PARTY },
  ABOUT: { inverse: "SUBJECT_OF" },
  REFERENCES: { inverse: "REFERENCED_BY" },
  REFERENCES_ENTITY: { inverse: "ENTITY_REFERENCED_BY" },
  SUPPORTS: { inverse: "SUPPORTED_BY" },
  CONTRADICTS: { inverse: "CONTRADICTS" },
  SUPERSEDES: { inverse: "SUPERSEDED_BY", isAcyclic: true },
  RELATED_TO: { inverse: "RELATED_TO" },
  HAS_CHUNK: { inverse: "CHUNK_OF", fromKind: "document", toKind: "section" },
};

function reversed(type: string, { from, to, fromKind, toKind, isAcyclic }: RelationType): RelationType {
  return {
    inverse: type,
    ...(isAcyclic && { isAcyclic }),
    ...(to && { from: to }),
    ...(from && { to: from }),
    ...(toKind && { fromKind: toKind }),
    ...(fromKind && { toKind: fromKind }),
  };
}

/** The inverse of a type that is always there. */
function inverseTypeOf(type: keyof typeof SAID): string {
  return (SAID[type] as RelationType).inverse;
}

/** What a rule asks about the end of a relation. */
interface RelationEnd {
  key: string;
  kind: MemoryKind;
  tags: readonly string[];
}

/** Types of relations, each with its inverse and what it may be between. */
export class Vocabulary {
  static readonly builtIn = new Vocabulary(SAID, CLASSES);
  readonly #said: Readonly<Record<string, RelationType>>;
  readonly #classes: ReadonlySet<string>;
  readonly #types: ReadonlyMap<string, RelationType>;

  private constructor(said: Readonly<Record<string, RelationType>>, classes: readonly string[]) {
    this.#said = said;
    this.#classes = new Set(classes);
    const entries = Object.entries(said);
    this.#types = new Map([
      ...entries.map(([type, rule]): [string, RelationType] => [rule.inverse, reversed(type, rule)]),
      ...entries,
    ]);
  }

  /** With types of a workspace's own, which cannot change those that are there. */
  with(own: readonly { type: string; inverse: string; from: string[]; to: string[] }[]): Vocabulary {
    const said: Record<string, RelationType> = { ...this.#said };
    const inverses = new Map<string, string>();
    for (const { type, inverse, from, to } of own) {
      for (const [one, other] of [
        [type, inverse],
        [inverse, type],
      ] as const) {
        const known = inverses.get(one) ?? other;
        if (known !== other)
          throw new AppError("bad_request", `${one} has two inverses, ${known} and ${other}.`);
        inverses.set(one, other);
      }
      const taken = [type, inverse].find((name) => this.#types.has(name));
      if (taken !== undefined)
        throw new AppError("bad_request", `${taken} is a type that is always there; it cannot be changed.`);
      said[type] = { inverse, ...(from.length > 0 && { from }), ...(to.length > 0 && { to }) };
    }
    const classes = own.flatMap(({ from, to }) => [...from, ...to]);
    return new Vocabulary(said, [...this.#classes, ...classes]);
  }

  get types(): ReadonlyMap<string, RelationType> {
    return this.#types;
  }

  /** As they are said, without the inverses. */
  get said(): Readonly<Record<string, RelationType>> {
    return this.#said;
  }

  inverseOf(type: string): string | undefined {
    return this.#types.get(type)?.inverse;
  }

  /** The inverse of a type. Throws where there is no such type, or where it is not allowed between these two. */
  assertAllowed(type: string, from: RelationEnd, to: RelationEnd): string {
    const rule = this.#types.get(type);
    if (rule === undefined) throw unknownType(type, [...this.#types.keys()]);
    this.#assertEnd(type, "source", from, rule.from, rule.fromKind);
    this.#assertEnd(type, "target", to, rule.to, rule.toKind);
    return rule.inverse;
  }

  allowedBetween(from: RelationEnd, to: RelationEnd): { type: string; inverse: string }[] {
    const isAllowed = ([, rule]: [string, RelationType]) =>
      this.#violation(from, rule.from, rule.fromKind) === undefined &&
      this.#violation(to, rule.to, rule.toKind) === undefined;
    return [...this.#types].filter(isAllowed).map(([type, { inverse }]) => ({ type, inverse }));
  }

  #assertEnd(
    type: string,
    end: "source" | "target",
    memory: RelationEnd,
    classes: readonly string[] | undefined,
    only: MemoryKind | undefined,
  ): void {
    const violation = this.#violation(memory, classes, only);
    if (violation === undefined) return;
    const { is, allowed } = violation;
    throw new AppError("unsupported", `${type} is not allowed here: its ${end} ${memory.key} is a ${is}.`, {
      hint: `The ${end} of ${type} can be: ${allowed.join(", ")}.`,
      data: { rel_type: type, [end]: memory.key, allowed },
    });
  }

  /** What it is, and what it would have to be. */
  #violation(
    { kind, tags }: RelationEnd,
    classes: readonly string[] | undefined,
    only: MemoryKind | undefined,
  ): { is: string; allowed: readonly string[] } | undefined {
    if (only !== undefined && kind !== only) return { is: kind, allowed: [only] };
    const named = tags.map((tag) => tag.toLowerCase()).filter((tag) => this.#classes.has(tag));
    if (classes === undefined || named.length === 0 || named.some((tag) => classes.includes(tag)))
      return undefined;
    return { is: named.join(" and "), allowed: classes };
  }
}

function unknownType(type: string, types: readonly string[]): AppError {
  const allowed = types.toSorted();
  const match = nearest(type, allowed);
  const suggestion = match === undefined ? "" : `Did you mean ${match}? `;
  return new AppError("unsupported", `${type} is not a type of relation.`, {
    hint: `${suggestion}Allowed are: ${allowed.join(", ")}.`,
    data: { rel_type: type, allowed },
  });
}

interface Said {
  memoryId: number;
  key: string;
  title?: string | null | undefined;
  content: string;
  createdAt: Date;
}

const TYPE = "REFERENCES_ENTITY";
/** `[[Name]]`, `[[id|as it is shown]]`. */
const LINK = /\[\[([^[\]|\n]{1,200})(?:\|[^[\]\n]{0,200})?\]\]/g;
/** `@name`, and no e-mail address. */
const AT = /(?<![\p{L}\p{N}_.@/-])@([\p{L}\p{N}][\p{L}\p{N}_-]{0,99})/gu;

/** The names that a text mentions, as they stand there. */
function mentionsIn(text: string): string[] {
  const names = [...text.matchAll(LINK), ...text.matchAll(AT)].map(([, name = ""]) => name.trim());
  return [...new Set(names)].filter((name) => name !== "").slice(0, LIMITS.memory.mentions);
}

function folded(name: string): string {
  return name.trim().toLowerCase();
}

/**
 * Relates memories to those that their texts mention by id or title, and to those that have mentioned them before
 * they were there.
 */
export async function relateMentions(tx: CatalogTx, by: By, said: readonly Said[]): Promise<void> {
  const rows = said.flatMap(({ memoryId, content }) =>
    mentionsIn(content).map((as) => ({ memoryId, as, name: folded(as) })),
  );
  if (rows.length > 0)
    await tx
      .insert(mentions)
      .values(rows.map(({ memoryId, name }) => ({ workspaceId: by.workspaceId, memoryId, name })))
      .onConflictDoNothing();
  const own = new Map<string, number>();
  for (const { memoryId, key, title } of said) {
    own.set(folded(key), memoryId);
    if (title) own.set(folded(title), memoryId);
  }
  const found = new Map<string, number[]>();
  const add = (name: string, id: number) => found.set(name, [...(found.get(name) ?? []), id]);
  for (const { name, id } of await named(tx, by, [...new Set(rows.map(({ as }) => as))])) add(name, id);
  const pairs: Pair[] = [];
  const pair = (fromId: number, toId: number) => {
    if (fromId !== toId) pairs.push({ fromId, toId, type: TYPE, inverse: inverseTypeOf(TYPE) });
  };
  for (const { memoryId, name } of rows) for (const id of found.get(name) ?? []) pair(memoryId, id);
  for (const { name, id } of await mentioners(tx, by, [...own.keys()])) pair(id, own.get(name) as number);
  const now = said[0]?.createdAt;
  if (pairs.length > 0 && now !== undefined) await relate(tx, by, unique(pairs), now);
}

/** Ends the relations to what a memory's former text mentioned and its new one does not. */
export async function forgetMentions(
  tx: CatalogTx,
  by: By,
  { memoryId, former, content, now }: { memoryId: number; former: string; content: string; now: Date },
): Promise<void> {
  const kept = mentionsIn(content);
  const gone = mentionsIn(former).filter((name) => !kept.includes(name));
  if (gone.length === 0) return;
  await tx
    .delete(mentions)
    .where(and(eq(mentions.memoryId, memoryId), inArray(mentions.name, gone.map(folded))));
  // One memory may be mentioned by its id before and by its title now.
  const still = new Set((await named(tx, by, kept)).map(({ id }) => id));
  for (const { id: toId } of await named(tx, by, gone))
    if (!still.has(toId))
      await endPair(tx, { fromId: memoryId, toId, type: TYPE, inverse: inverseTypeOf(TYPE) }, now);
}

/** One memory may be mentioned by its id and by its title, and mention one that comes in with it. */
function unique(pairs: readonly Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [`${pair.fromId} ${pair.toId}`, pair])).values()];
}

/** The memories with these ids or titles. */
async function named(tx: CatalogTx, { workspaceId }: By, names: readonly string[]) {
  if (names.length === 0) return [];
  const list = sql`any(${sql.param(names.map(folded))}::text[])`;
  const { rows } = await tx.execute<{ name: string; id: string }>(sql`
    select lower(v.title) as name, m.id
    from memory_versions v join memories m on m.id = v.memory_id and m.retracted_at is null
    where v.workspace_id = ${workspaceId} and v.superseded_at is null and v.title is not null
      and lower(v.title) = ${list} and m.kind <> 'section'
    union
    select lower(v.key), m.id
    from memory_versions v join memories m on m.id = v.memory_id and m.retracted_at is null
    where v.workspace_id = ${workspaceId} and v.key = any(${sql.param([...names])}::text[])
    limit ${LIMITS.memory.mentions * 4}`);
  return rows.map(({ name, id }) => ({ name, id: Number(id) }));
}

/** Who has mentioned one of these names. */
async function mentioners(tx: CatalogTx, { workspaceId }: By, names: readonly string[]) {
  const { rows } = await tx.execute<{ name: string; id: string }>(sql`
    select name, memory_id as id from memory_mentions n
    join memories m on m.id = n.memory_id and m.retracted_at is null
    where n.workspace_id = ${workspaceId} and name = any(${sql.param([...names])}::text[])
    limit ${LIMITS.memory.listedRelations}`);
  return rows.map(({ name, id }) => ({ name, id: Number(id) }));
}
