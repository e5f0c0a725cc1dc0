import { createHash } from "node:crypto";
import { z } from "zod";
import { sanitise } from "../../../kernel/sanitise.ts";
import { explainIssues } from "../../../registry/explain-issues.ts";
import { timeArgument, timeOf, typeArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { MEMORY_TYPES } from "../memory.tables.ts";
import type { MemoryWish } from "../memory.ts";
import { slugOf } from "../memory-keys.ts";

const { titleCharacters, sourceCharacters, tagCharacters, tags, idCharacters, contentBytes, documentBytes } =
  LIMITS.memory;

/** A memory as files hold it: the arguments of store_memory, and what only an import may say. */
export const memoryRecord = z.strictObject({
  memory_id: z
    .string()
    .max(idCharacters)
    .regex(/^[^\s\p{C}]+$/u, { error: "memory_id must not be empty or have spaces in it" })
    .optional(),
  kind: z.enum(["memory", "document"]).optional().describe("A document is split into sections"),
  title: z.string().max(titleCharacters).optional(),
  content: z.string(),
  memory_type: z.enum(MEMORY_TYPES).optional(),
  tags: z.array(z.string().min(1).max(tagCharacters)).max(tags).optional(),
  source: z.string().max(sourceCharacters).optional(),
  valid_from: timeArgument("valid_from").optional(),
  valid_to: timeArgument("valid_to").optional(),
  created_at: timeArgument("created_at").optional(),
  relations: z.array(z.strictObject({ rel_type: typeArgument, to: z.string().max(idCharacters) })).optional(),
});

export type MemoryRecord = z.infer<typeof memoryRecord>;

/** What a file says at one place, or why it cannot be taken. */
export type ReadRecord = { at: string } & (
  | { wish: MemoryWish & { key: string }; isDocument: boolean; relations: readonly Related[] }
  | { from: string; relations: readonly Related[] }
  | { reason: string }
);

export interface Related {
  rel_type: string;
  to: string;
}

export function readRecord(value: unknown, at: string): ReadRecord {
  const parsed = memoryRecord.safeParse(sanitise(value), { reportInput: true });
  if (!parsed.success) return { at, reason: explainIssues(parsed.error.issues, memoryRecord) };
  const { memory_id, kind = "memory", memory_type: type, relations = [], ...rest } = parsed.data;
  const { title, content, tags: marks, source, ...times } = rest;
  if (content.trim() === "") return { at, reason: "content must not be empty." };
  const most = kind === "document" ? documentBytes : contentBytes;
  if (Buffer.byteLength(content) > most) return { at, reason: `content has more than ${most} bytes.` };
  const time = (text: string | undefined) => (text === undefined ? undefined : timeOf(text));
  const [validFrom, validTo, createdAt] = [
    time(times.valid_from),
    time(times.valid_to),
    time(times.created_at),
  ];
  if (validTo !== undefined && validTo < (validFrom ?? createdAt ?? new Date()))
    return { at, reason: "valid_to must not be before valid_from." };
  const key = memory_id ?? keyOf(parsed.data);
  const wish = { key, title, content, type, tags: marks, source, validFrom, validTo, createdAt };
  return { at, wish, isDocument: kind === "document", relations };
}

/** The same record has the same id in every run, so that an import that was stopped can begin again. */
function keyOf(record: MemoryRecord): string {
  const hash = createHash("sha256").update(JSON.stringify(record)).digest("hex").slice(0, 8);
  const prefix = record.kind === "document" ? "doc" : "memory";
  return [prefix, slugOf(record.title ?? record.content), hash].filter((part) => part !== "").join("_");
}
