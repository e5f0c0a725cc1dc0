import { createHash } from "node:crypto";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { isAppError, messageOf } from "../../kernel/errors.ts";
import { sanitise } from "../../kernel/text.ts";
import { explainIssues } from "../../registry/explain-issues.ts";
import { timeArgument, timeOf, typeArgument } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { MEMORY_TYPES } from "./memory.tables.ts";
import type { MemoryWish } from "./memory.ts";
import { slugOf } from "./memory-keys.ts";

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
const memoryRecord = z.strictObject({
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

interface Related {
  rel_type: string;
  to: string;
}

function readRecord(value: unknown, at: string): ReadRecord {
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

/** One memory a line; entities and relations of `@modelcontextprotocol/server-memory` as well. */
export async function* readJsonLines(lines: AsyncIterable<string>): AsyncGenerator<ReadRecord> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === "") continue;
    const at = `line ${number}`;
    let value: unknown;
    try {
      value = sanitise(JSON.parse(number === 1 ? text.replace(/^\uFEFF/, "") : text));
    } catch (error) {
      yield { at, reason: isAppError(error) ? error.message : "It is not JSON." };
      continue;
    }
    const graph = graphLine.safeParse(value);
    yield graph.success ? readGraphLine(graph.data, at) : readRecord(value, at);
  }
}

const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)(?:\r?\n)?/;
const LINK = /^\[\[([^[\]|]+)(?:\|[^[\]]*)?\]\]$/;
/** Fields that are taken as they stand; notes of other programs have more. */
const KNOWN = [
  "kind",
  "memory_type",
  "source",
  "valid_from",
  "valid_to",
  "created_at",
  "recorded_at",
  "update_reason",
  "versions",
];
const HEADING = /^#{1,6}[ \t]+(.+?)[ \t#]*$/m;

/** A note with front matter. What has no id there has the name of its file for one. */
export function readMarkdown(path: string, text: string): ReadRecord {
  const [front = "", yaml = ""] = FRONT_MATTER.exec(text) ?? [];
  const content = text.slice(front.length).replace(/\n$/, "");
  let said: unknown;
  try {
    said = parse(yaml, { maxAliasCount: 0 }) ?? {};
  } catch (error) {
    return { at: path, reason: `Its front matter is no YAML: ${messageOf(error).split("\n")[0]}` };
  }
  if (typeof said !== "object" || Array.isArray(said))
    return { at: path, reason: "Its front matter has no fields." };
  const { memory_id, title, tags, relations, ...others } = said as Record<string, unknown>;
  const name = path.replace(/\.(?:md|markdown)$/i, "");
  return readRecord(
    sanitise({
      ...defined({ title, tags }),
      ...defined(Object.fromEntries(KNOWN.map((field) => [field, others[field]]))),
      memory_id: memory_id ?? name.replace(/[\s\p{C}]+/gu, "_").slice(-LIMITS.memory.idCharacters),
      // A note of ours says whether it has a title; others have their heading or their name.
      ...(memory_id === undefined && {
        title: title ?? HEADING.exec(content)?.[1] ?? name.split("/").at(-1),
      }),
      content: content.trim() === "" ? String(title ?? name) : content,
      ...(typeof tags === "string" && { tags: tags.split(/[,\s]+/).filter(Boolean) }),
      ...(relations !== undefined && relations !== null && { relations: readRelations(relations) }),
    }),
    path,
  );
}

/** `FOR_CLIENT: ["[[memory_mueller]]"]`: a list of links for each type. */
function readRelations(relations: unknown): unknown {
  if (typeof relations !== "object" || Array.isArray(relations)) return relations;
  return Object.entries(relations as object).flatMap(([rel_type, targets]) =>
    [targets].flat().map((target) => ({ rel_type, to: LINK.exec(String(target))?.[1]?.trim() ?? target })),
  );
}

export function writeMarkdown({ content, relations = [], ...fields }: MemoryRecord): string {
  const byType = Map.groupBy(relations, ({ rel_type }) => rel_type);
  const links = [...byType].map(([type, all]) => [type, all.map(({ to }) => `[[${to}]]`)]);
  const front = { ...defined(fields), ...(links.length > 0 && { relations: Object.fromEntries(links) }) };
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n${content}\n`;
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** A name for its file that every system takes; the id itself stands inside. */
export function markdownName(key: string, taken: Set<string>): string {
  const plain =
    key
      .replace(/[^\p{L}\p{N}_.-]+/gu, "-")
      .slice(0, 120)
      .replace(/^\.+/, "_") || "memory";
  let name = plain;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${plain}-${n}`;
  taken.add(name.toLowerCase());
  return `${name}.md`;
}

/** The lines of the file that `@modelcontextprotocol/server-memory` keeps. */
const entity = z.object({
  type: z.literal("entity"),
  name: z.string().min(1),
  entityType: z.string(),
  observations: z.array(z.string()),
});
const relation = z.object({
  type: z.literal("relation"),
  from: z.string().min(1),
  to: z.string().min(1),
  relationType: z.string().min(1),
});
const graphLine = z.discriminatedUnion("type", [entity, relation]);

type GraphLine = z.infer<typeof graphLine>;

/** Lines of an observation after its first one are indented. */
const INDENT = "  ";

function readGraphLine(line: GraphLine, at: string): ReadRecord {
  if (line.type === "relation") {
    const relations = [{ rel_type: typeOf(line.relationType), to: entityKey(line.to) }];
    return { at, from: entityKey(line.from), relations };
  }
  const { name, entityType, observations } = line;
  const lines = observations.map((each) => each.trim().replaceAll("\n", `\n${INDENT}`)).filter(Boolean);
  return readRecord(
    {
      memory_id: entityKey(name),
      title: name,
      content: lines.join("\n") || name,
      ...(entityType.trim() !== "" && { tags: [entityType.trim()] }),
    },
    at,
  );
}

/** A memory as an entity and its relations, each on a line. */
export function writeGraphLines(record: MemoryRecord, nameOf: (key: string) => string): GraphLine[] {
  const {
    memory_id = "",
    title = memory_id,
    content,
    tags = [],
    memory_type = "semantic",
    relations = [],
  } = record;
  const observations =
    content === title ? [] : content.split(/\n(?! {2})/).map((each) => each.replaceAll(`\n${INDENT}`, "\n"));
  return [
    { type: "entity", name: title, entityType: tags[0] ?? memory_type, observations },
    ...relations.map(({ rel_type, to }) => ({
      type: "relation" as const,
      from: title,
      to: nameOf(to),
      relationType: rel_type.toLowerCase(),
    })),
  ];
}

/** Relations name entities, so that the id must follow from the name. */
function entityKey(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return ["memory", slugOf(name), hash].filter((part) => part !== "").join("_");
}

/** "works at", "worksAt" and "works_at" are WORKS_AT. */
function typeOf(text: string): string {
  const words = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1_$2").toUpperCase();
  return (
    words
      .match(/[A-Z0-9]+/g)
      ?.join("_")
      .replace(/^(?=\d)/, "N_") ?? "RELATED_TO"
  );
}
