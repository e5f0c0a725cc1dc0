import { z } from "zod";
import { isAppError } from "../../kernel/errors.ts";
import { sanitise } from "../../kernel/sanitise.ts";
import type { Caller } from "../../registry/caller.ts";
import { explainIssues } from "../../registry/explain-issues.ts";
import { type MemoryServices, timeArgument, timeOf, typeArgument } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { MEMORY_TYPES } from "./memory.tables.ts";
import type { LinkWish, MemoryWish } from "./memory.ts";

const { titleCharacters, sourceCharacters, tagCharacters, tags, idCharacters, importBatch } = LIMITS.memory;

/** The arguments of store_memory, and what only an import may say. */
const line = z.strictObject({
  title: z.string().max(titleCharacters).optional(),
  content: z.string(),
  memory_type: z.enum(MEMORY_TYPES).optional(),
  tags: z.array(z.string().min(1).max(tagCharacters)).max(tags).optional(),
  source: z.string().max(sourceCharacters).optional(),
  memory_id: z
    .string()
    .max(idCharacters)
    .regex(/^[^\s\p{C}]+$/u, { error: "memory_id must not be empty or have spaces in it" })
    .optional(),
  valid_from: timeArgument("valid_from").optional(),
  valid_to: timeArgument("valid_to").optional(),
  created_at: timeArgument("created_at").optional(),
  relations: z.array(z.strictObject({ rel_type: typeArgument, to: z.string().max(idCharacters) })).optional(),
});

interface Row {
  number: number;
  wish: MemoryWish;
  relations: readonly { rel_type: string; to: string }[];
}

export interface Imported {
  stored: number;
  /** Lines whose memory_id was there already; they are left as they are. */
  present: number;
  related: number;
  failed: { line: number; reason: string }[];
}

/** Stores what a JSON Lines file holds, in batches. The same file again stores what is missing. */
export async function importMemories(
  { memory, memories }: Pick<MemoryServices, "memory" | "memories">,
  caller: Caller,
  lines: AsyncIterable<string>,
  onProgress: (done: number) => void,
): Promise<Imported> {
  const result: Imported = { stored: 0, present: 0, related: 0, failed: [] };
  const links: { number: number; wish: LinkWish }[] = [];
  const seen = new Set<string>();
  let batch: Row[] = [];
  let number = 0;
  const flush = async (): Promise<void> => {
    const keys = batch.flatMap(({ wish }) => (wish.key === undefined ? [] : [wish.key]));
    const taken = await memories.taken(caller.workspace.id, keys);
    const fresh = batch.filter(({ wish }) => wish.key === undefined || !taken.has(wish.key));
    const stored = await memory.store(
      caller,
      fresh.map(({ wish }) => wish),
    );
    result.stored += stored.length;
    result.present += batch.length - fresh.length;
    const keyOf = new Map(fresh.map((row, i) => [row, stored[i]?.key]));
    for (const row of batch)
      for (const { rel_type: type, to } of row.relations)
        links.push({ number: row.number, wish: { from: keyOf.get(row) ?? row.wish.key ?? "", to, type } });
    batch = [];
    onProgress(number);
  };
  for await (const text of lines) {
    number += 1;
    if (text.trim() === "") continue;
    const row = readLine(text, number);
    if ("reason" in row) result.failed.push({ line: number, reason: row.reason });
    else if (row.wish.key !== undefined && seen.has(row.wish.key)) result.present += 1;
    else {
      if (row.wish.key !== undefined) seen.add(row.wish.key);
      batch.push(row);
      if (batch.length === importBatch) await flush();
    }
  }
  if (batch.length > 0) await flush();
  // Only now are all of those there that relations may name.
  for (const { number, wish } of links) {
    try {
      await memory.link(caller, wish);
      result.related += 1;
    } catch (error) {
      if (!isAppError(error)) throw error;
      result.failed.push({ line: number, reason: error.message });
    }
  }
  return result;
}

function readLine(text: string, number: number): Row | { reason: string } {
  let value: unknown;
  try {
    value = sanitise(JSON.parse(text));
  } catch {
    return { reason: "It is not JSON." };
  }
  const parsed = line.safeParse(value, { reportInput: true });
  if (!parsed.success) return { reason: explainIssues(parsed.error.issues, line) };
  const { memory_id: key, memory_type: type, relations = [], ...rest } = parsed.data;
  const { title, content, tags, source, ...times } = rest;
  if (content.trim() === "") return { reason: "content must not be empty." };
  if (Buffer.byteLength(content) > LIMITS.memory.contentBytes)
    return { reason: `content has more than ${LIMITS.memory.contentBytes} bytes.` };
  const at = (time: string | undefined) => (time === undefined ? undefined : timeOf(time));
  const [validFrom, validTo, createdAt] = [at(times.valid_from), at(times.valid_to), at(times.created_at)];
  if (validTo !== undefined && validTo < (validFrom ?? createdAt ?? new Date()))
    return { reason: "valid_to must not be before valid_from." };
  return {
    number,
    wish: { key, title, content, type, tags, source, validFrom, validTo, createdAt },
    relations,
  };
}
