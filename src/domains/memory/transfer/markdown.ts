import { parse, stringify } from "yaml";
import { messageOf } from "../../../kernel/errors.ts";
import { sanitise } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { MemoryRecord } from "./record.ts";
import { type ReadRecord, readRecord } from "./record.ts";

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
