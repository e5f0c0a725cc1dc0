import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/nearest.ts";
import type { MemoryKind } from "./memory.tables.ts";

/** What a memory can be about; it says so by a tag. */
const CLASSES = ["person", "organisation", "client", "supplier", "team", "project", "document", "decision"];

interface RelationType {
  inverse: string;
  /** Classes that its source or target may have; a memory that names no class of these may be any. */
  from?: readonly string[];
  to?: readonly string[];
  fromKind?: MemoryKind;
  toKind?: MemoryKind;
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
  REPORTS_TO: { inverse: "MANAGES", from: ["person", "team"], to: ["person"] },
  WORKS_FOR: { inverse: "EMPLOYS", from: ["person"], to: WHOLE },
  MEMBER_OF: { inverse: "HAS_MEMBER", from: PARTY, to: [...WHOLE, "project"] },
  KNOWS: { inverse: "KNOWS", from: ["person"], to: ["person"] },
  WORKS_ON: { inverse: "WORKED_ON_BY", from: ["person", "team"] },
  CONTACT_FOR: { inverse: "HAS_CONTACT", from: ["person", "team"] },
  LOCATED_IN: { inverse: "LOCATION_OF" },
  PART_OF: { inverse: "HAS_PART" },
  DEPENDS_ON: { inverse: "REQUIRED_BY" },
  CAUSES: { inverse: "CAUSED_BY" },
  PRECEDES: { inverse: "FOLLOWS" },
  DECIDED_BY: { inverse: "DECIDED", from: ["decision"], to: PARTY },
  DECIDED_IN: { inverse: "HAS_DECISION", from: ["decision"] },
  AUTHORED_BY: { inverse: "AUTHOR_OF", to: PARTY },
  ABOUT: { inverse: "SUBJECT_OF" },
  REFERENCES: { inverse: "REFERENCED_BY" },
  REFERENCES_ENTITY: { inverse: "ENTITY_REFERENCED_BY" },
  SUPPORTS: { inverse: "SUPPORTED_BY" },
  CONTRADICTS: { inverse: "CONTRADICTS" },
  SUPERSEDES: { inverse: "SUPERSEDED_BY" },
  RELATED_TO: { inverse: "RELATED_TO" },
  HAS_CHUNK: { inverse: "CHUNK_OF", fromKind: "document", toKind: "section" },
};

const TYPES: Readonly<Record<string, RelationType>> = {
  ...Object.fromEntries(Object.entries(SAID).map(([type, rule]) => [rule.inverse, reversed(type, rule)])),
  ...SAID,
};

function reversed(type: string, { from, to, fromKind, toKind }: RelationType): RelationType {
  return {
    inverse: type,
    ...(to && { from: to }),
    ...(from && { to: from }),
    ...(toKind && { fromKind: toKind }),
    ...(fromKind && { toKind: fromKind }),
  };
}

/** What a rule asks about the end of a relation. */
export interface RelationEnd {
  key: string;
  kind: MemoryKind;
  tags: readonly string[];
}

/** The inverse of a type. Throws where there is no such type, or where it is not allowed between these two. */
export function inverseOf(type: string, from: RelationEnd, to: RelationEnd): string {
  const rule = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (rule === undefined) throw unknownType(type);
  assertEnd(type, "source", from, rule.from, rule.fromKind);
  assertEnd(type, "target", to, rule.to, rule.toKind);
  return rule.inverse;
}

function assertEnd(
  type: string,
  end: "source" | "target",
  { key, kind, tags }: RelationEnd,
  classes: readonly string[] | undefined,
  only: MemoryKind | undefined,
): void {
  const violation = (is: string, allowed: readonly string[]) =>
    new AppError("unsupported", `${type} is not allowed here: its ${end} ${key} is a ${is}.`, {
      hint: `The ${end} of ${type} can be: ${allowed.join(", ")}.`,
      data: { rel_type: type, [end]: key, allowed },
    });
  if (only !== undefined && kind !== only) throw violation(kind, [only]);
  const named = tags.map((tag) => tag.toLowerCase()).filter((tag) => CLASSES.includes(tag));
  if (classes === undefined || named.length === 0 || named.some((tag) => classes.includes(tag))) return;
  throw violation(named.join(" and "), classes);
}

function unknownType(type: string): AppError {
  const allowed = Object.keys(TYPES).toSorted();
  const match = nearest(type, allowed);
  const suggestion = match === undefined ? "" : `Did you mean ${match}? `;
  return new AppError("unsupported", `${type} is not a type of relation.`, {
    hint: `${suggestion}Allowed are: ${allowed.join(", ")}.`,
    data: { rel_type: type, allowed },
  });
}
