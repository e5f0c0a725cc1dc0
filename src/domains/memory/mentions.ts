import { and, eq, inArray, sql } from "drizzle-orm";
import type { CatalogTx } from "../../platform/catalog/index.ts";
import { LIMITS } from "./limits.ts";
import type { By } from "./memories.store.ts";
import { memoryMentions as mentions } from "./memory.tables.ts";
import { endPair, type Pair, relate } from "./relations.store.ts";
import { inverseTypeOf } from "./vocabulary.ts";

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
