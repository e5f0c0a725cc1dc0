import { createHash } from "node:crypto";
import { z } from "zod";
import { explainIssues } from "../../../registry/explain-issues.ts";
import { timeArgument, timeOf, typeArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { MEMORY_TYPES } from "../memory.tables.ts";
import type { MemoryWish } from "../memory.ts";
import { slugOf } from "../memory-keys.ts";

const { titleCharacters, sourceCharacters, tagCharacters, tags, idCharacters, contentBytes, documentBytes } =
  LIMITS.memory;
const { reasonCharacters, formerVersions } = LIMITS.memory;

const id = z
  .string()
  .max(idCharacters)
  .regex(/^[^\s\p{C}]+$/u, { error: "memory_id must not be empty or have spaces in it" });
const reason = z.string().max(reasonCharacters).optional();

/** What a memory said before. */
const formerVersion = z.strictObject({
  memory_id: id,
  title: z.string().max(titleCharacters).optional(),
  content: z.string(),
  valid_from: timeArgument("valid_from"),
  valid_to: timeArgument("valid_to"),
  recorded_at: timeArgument("recorded_at"),
  update_reason: reason,
});

/** A memory as files hold it: the arguments of store_memory, and what only an import may say. */
export const memoryRecord = z.strictObject({
  memory_id: id.optional(),
  kind: z.enum(["memory", "document"]).optional().describe("A document is split into sections"),
  title: z.string().max(titleCharacters).optional(),
  content: z.string(),
  memory_type: z.enum(MEMORY_TYPES).optional(),
  tags: z.array(z.string().min(1).max(tagCharacters)).max(tags).optional(),
  source: z.string().max(sourceCharacters).optional(),
  valid_from: timeArgument("valid_from").optional(),
  valid_to: timeArgument("valid_to").optional(),
  created_at: timeArgument("created_at").optional(),
  recorded_at: timeArgument("recorded_at").optional(),
  update_reason: reason,
  versions: z.array(formerVersion).max(formerVersions).optional(),
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
  const parsed = memoryRecord.safeParse(value, { reportInput: true });
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
  const history = historyOf(rest);
  if (history instanceof Error) return { at, reason: history.message };
  const wish = { key, title, content, type, tags: marks, source, validFrom, validTo, createdAt, history };
  return { at, wish, isDocument: kind === "document", relations };
}

/** What a record says of former versions: each became known after the one before it. */
function historyOf({ versions = [], recorded_at, update_reason: reason }: Partial<MemoryRecord>) {
  if (versions.length === 0) return undefined;
  const time = (text: string) => timeOf(text) as Date;
  const former = versions.map(({ memory_id: key, title, content, ...one }) => ({
    key,
    title,
    content,
    validFrom: time(one.valid_from),
    validTo: time(one.valid_to),
    recordedAt: time(one.recorded_at),
    reason: one.update_reason,
  }));
  const recordedAt = recorded_at === undefined ? undefined : time(recorded_at);
  const moments = [...former.map((one) => one.recordedAt), recordedAt];
  if (moments.some((moment, i) => moment === undefined || (i > 0 && moment < (moments[i - 1] as Date))))
    return new Error("versions needs recorded_at of each and of what holds now, in their order.");
  if (former.some(({ validFrom, validTo }) => validTo < validFrom))
    return new Error("valid_to of a version must not be before its valid_from.");
  return { former, recordedAt, reason };
}

/** The same record has the same id in every run, so that an import that was stopped can begin again. */
function keyOf(record: MemoryRecord): string {
  const hash = createHash("sha256").update(JSON.stringify(record)).digest("hex").slice(0, 8);
  const prefix = record.kind === "document" ? "doc" : "memory";
  return [prefix, slugOf(record.title ?? record.content), hash].filter((part) => part !== "").join("_");
}
