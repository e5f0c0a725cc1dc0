import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { MemoryKind } from "./memory.tables.ts";

/** What a memory can be about; it says so by a tag. */
const CLASSES = ["person", "organisation", "client", "supplier", "team", "project", "document", "decision"];

export interface RelationType {
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
export function inverseTypeOf(type: keyof typeof SAID): string {
  return (SAID[type] as RelationType).inverse;
}

/** What a rule asks about the end of a relation. */
export interface RelationEnd {
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
