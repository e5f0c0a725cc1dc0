import { createHash } from "node:crypto";
import { z } from "zod";
import { slugOf } from "../memory-keys.ts";
import { type MemoryRecord, type ReadRecord, readRecord } from "./record.ts";

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
export const graphLine = z.discriminatedUnion("type", [entity, relation]);

type GraphLine = z.infer<typeof graphLine>;

/** Lines of an observation after its first one are indented. */
const INDENT = "  ";

export function readGraphLine(line: GraphLine, at: string): ReadRecord {
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
