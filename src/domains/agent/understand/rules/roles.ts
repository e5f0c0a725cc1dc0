import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { isSameField, metricsIn, nodesIn } from "../../query/parts.ts";
import type { Link, Schema } from "../../query/schema.ts";
import type { Ask, Cond, Hop, Key } from "../../query/semantic-query.ts";
import { phraseKey, type Word } from "../languages/words.ts";
import type { Leaf, Sense } from "../senses/fragment.ts";
import { means } from "../senses/make.ts";
import type { Combined } from "./chart.ts";
import type { Rules } from "./grammar.ts";

/** Where something begins, or where it ends. */
type End = "start" | "target";

/** What one link of several to the same dataset is for: the airport that a flight starts from, or goes to. */
interface Role {
  hop: Hop;
  end: End | undefined;
  /** Stems by which the link is called, and no other. */
  names: readonly string[];
}

interface Twins {
  from: string;
  to: string;
  roles: readonly Role[];
}

const NAMES: Readonly<Record<End, RegExp>> = {
  start: /^(origin|from$|start|pick|depart|source$|sender$|von$|ab$|abflug|abfahrt|abgang|herkunft|absend)/,
  target: /^(dest|to$|end$|ending|drop|arriv|target$|recei|recip|nach$|ziel|ankunft|empf)/,
};
const NOUNS: Readonly<Record<End, readonly string[]>> = {
  start: ["origin", "Herkunft"],
  target: ["destination", "Ziel"],
};
const PREPOSITIONS: Readonly<Record<End, RegExp>> = {
  start: /^(from|ab|aus|von|vom)$/,
  target: /^(to|into|towards|nach|zum|zur|bis)$/,
};
const VERBS: Readonly<Record<End, RegExp>> = {
  start:
    /^(start(s|ed|ing|e[nt]|ete[n]?)?|gestartet|depart(s|ed|ing|ures?)?|leav(e|es|ing)|began|begins?|beg[ai]nn(en|t)?|abgeh\w*|abging\w*|abgegangen|abflieg\w*|abflog\w*|abgeflogen|abfahr\w*|abfuhr\w*|abgefahren|off)$/,
  target:
    /^(end(s|ed|ing|e[nt]|ete[n]?)?|geendet|arriv(e|es|ed|ing|als?)|land(s|ed|ing|e[nt]|ete[n]?)?|gelandet|ankomm\w*|ankam\w*|angekommen|reach(ed|es)?)$/,
};
/** Words between a preposition and the name that it is said of. */
const BETWEEN =
  /^(the|an?|our|de[rmns]|die|das|and|or|und|oder|vs|versus|,|city|state|airport|station|stadt)$/;

/** The same query for each way to what its words speak of: one where they say which way is meant, else all of them. */
export function inRoles(
  ask: Ask,
  { words, leaves, knowledge }: { words: readonly Word[]; leaves: readonly Leaf[]; knowledge: Knowledge },
): Ask[] {
  const { schema } = knowledge;
  const [twins, ends] = [twinsOf(schema), endsOf(schema)];
  if (twins.length === 0 && ends.size === 0) return [ask];
  const said = new Said(words, leaves);
  if (said.isAgainst(ask, ends)) return [];
  return twins.reduce<Ask[]>(
    (asks, each) => asks.flatMap((one) => alongLinks(one, each, said, schema)),
    [ask],
  );
}

const known = new WeakMap<Schema, Twins[]>();

/** Links from one dataset to another of which none is preferred; what only links others is no such dataset. */
function twinsOf(schema: Schema): Twins[] {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const isPlain = ({ from, to, columns, isSoft, cost }: Link) =>
    from !== to && columns.length === 1 && isSoft !== true && cost === 1;
  const pairs = Map.groupBy([...schema.links.values()].filter(isPlain), ({ from, to }) => `${from} ${to}`);
  const twins = [...pairs.values()].flatMap((links): Twins[] => {
    const [{ from, to }] = links as [Link];
    const others = [...(schema.datasets.get(from)?.fields.keys() ?? [])].filter(
      (field) => !links.some(({ columns }) => columns[0]?.from === field),
    );
    if (links.length < 2 || others.length === 0) return [];
    const stems = links.map(({ columns }) => phraseKey(columns[0]?.from ?? "").split(" "));
    const roles = links.map((link, i): Role => {
      const field = link.columns[0]?.from ?? "";
      const names = (stems[i] as string[]).filter((stem) =>
        stems.every((each, at) => at === i || !each.includes(stem)),
      );
      const key = `_${link.columns[0]?.to ?? ""}`;
      const plain = field.endsWith(key) ? field.slice(0, -key.length) : field.replace(/_(id|key|code)$/i, "");
      const as = plain.replaceAll("_", " ");
      return { hop: { link: link.name, dir: "one", as }, end: endOf(field), names };
    });
    return [{ from, to, roles }];
  });
  known.set(schema, twins);
  return twins;
}

/** What one of several links is called: what is at its other end, and its role beside a field of that. */
export function roleWords(
  schema: Schema,
  { link }: Hop,
  texts: readonly string[],
): { text: string; sense: Sense }[] {
  for (const { to, roles } of twinsOf(schema)) {
    const role = roles.find(({ hop }) => hop.link === link);
    if (role === undefined) continue;
    const field = schema.datasets.get(to)?.nameField ?? null;
    const key = field === null ? undefined : { ds: to, field, path: [role.hop] };
    const nouns = [...texts, ...(role.end === undefined ? [] : NOUNS[role.end])];
    return [
      ...(key === undefined ? [] : nouns.map((text) => ({ text, sense: { t: "field" as const, key } }))),
      ...[...role.names, ...(role.end === undefined ? [] : NOUNS[role.end])].map((text) => ({
        text,
        sense: { t: "op" as const, op: "role", arg: JSON.stringify({ ds: to, hop: role.hop }) },
      })),
    ];
  }
  return [];
}

/** A field of what is at the end of a link, by the name of the link: "pickup city". */
function through(arg: string | undefined, key: Key): Combined[] {
  const { ds, hop } = JSON.parse(arg ?? "{}") as { ds?: string; hop?: Hop };
  const isTheirs = key.ds === ds && key.path === undefined && hop !== undefined;
  return isTheirs ? means({ t: "field", key: { ...key, path: [hop] } }, -0.2) : [];
}

/** Rules for the names of links: what is said by them of fields and values. */
export const ROLE_RULES: Rules = {
  "op field": (_grammar, { op, arg }, { key }) => (op === "role" ? through(arg, key) : []),
  "field op": (_grammar, { key }, { op, arg }) => (op === "role" ? through(arg, key) : []),
  // "of origin"
  "op op": (_grammar, { op }, right) => (op === "prep" && right.op === "role" ? means(right) : []),
};

function endOf(field: string): End | undefined {
  const parts = field.toLowerCase().split("_");
  const ends = (["start", "target"] as const).filter((end) => parts.some((part) => NAMES[end].test(part)));
  return ends.length === 1 ? ends[0] : undefined;
}

const knownEnds = new WeakMap<Schema, ReadonlyMap<string, End>>();

/** Texts for where something begins, beside others for where it ends. */
function endsOf(schema: Schema): ReadonlyMap<string, End> {
  const found = knownEnds.get(schema);
  if (found !== undefined) return found;
  const ends = new Map<string, End>();
  for (const { name: ds, fields } of schema.datasets.values()) {
    const own = [...fields.values()].flatMap(({ name, kind }) => {
      const end = kind === "text" ? endOf(name) : undefined;
      return end === undefined ? [] : [{ name, end }];
    });
    if (new Set(own.map(({ end }) => end)).size === 2)
      for (const { name, end } of own) ends.set(`${ds}.${name}`, end);
  }
  knownEnds.set(schema, ends);
  return ends;
}

/** What the words around names and fields say of their role. */
class Said {
  readonly #words: readonly Word[];
  readonly #leaves: readonly Leaf[];

  constructor(words: readonly Word[], leaves: readonly Leaf[]) {
    this.#words = words;
    this.#leaves = leaves;
  }

  /** Whether a value is looked for in the one of two columns that is for the other end: "to Dallas" in an origin. */
  isAgainst(ask: Ask, ends: ReadonlyMap<string, End>): boolean {
    return conditionsOf(ask).some((cond) => {
      const own = ends.get(`${cond.key.ds}.${cond.key.field}`);
      const end = own === undefined ? undefined : this.#endOf(cond);
      return end !== undefined && end !== own;
    });
  }

  /** The role of a value: by its preposition, by the name of the role before it, or by the verb of the question. */
  ofValue(cond: Is, roles: readonly Role[]): Role | "unsaid" | "none" {
    const before = this.#leavesOf(cond).flatMap(({ start }) =>
      this.#words.slice(Math.max(0, start - 2), start).map(({ stem }) => stem),
    );
    const named = roles.filter(({ names }) => names.some((name) => before.includes(name)));
    const end = this.#endOf(cond, named.length === 0);
    if (end === "both") return "none";
    return roles.find((role) => end !== undefined && role.end === end) ?? named[0] ?? "unsaid";
  }

  /** What was said of one of its values is said of all; "between" two places is from either to the other. */
  #endOf(cond: Is, hasVerb = true): End | "both" | undefined {
    const leaves = this.#leavesOf(cond);
    const ends = new Set(leaves.flatMap(({ start }) => this.#before(start) ?? []));
    if (ends.size > 1) return "both";
    const [end] = ends;
    if (end !== undefined || !hasVerb) return end;
    return this.#verb();
  }

  /** "which city do most rides start in" */
  ofVerb(roles: readonly Role[]): Role | undefined {
    const end = this.#verb();
    return end === undefined ? undefined : roles.find((role) => role.end === end);
  }

  #verb(): End | undefined {
    const verbs = (["start", "target"] as const).filter((end) =>
      this.#words.some(({ norm }) => VERBS[end].test(norm)),
    );
    return verbs.length === 1 ? verbs[0] : undefined;
  }

  #before(start: number): End | "both" | undefined {
    for (let i = start - 1; i >= 0; i -= 1) {
      const norm = this.#words[i]?.norm ?? "";
      if (PREPOSITIONS.start.test(norm)) return "start";
      if (PREPOSITIONS.target.test(norm)) return "target";
      if (/^(between|zwischen)$/.test(norm)) return "both";
      const isName = this.#leaves.some(
        ({ sense, start: from, end }) =>
          from <= i && i < end && (sense.t === "cond" || (sense.t === "rel" && sense.form === "name")),
      );
      if (!isName && !BETWEEN.test(norm)) return undefined;
    }
    return undefined;
  }

  #leavesOf({ key, values }: Is): Leaf[] {
    return this.#leaves.filter(({ sense }) =>
      conditionsOf(sense).some(
        (cond) => isSameField(cond.key, key) && cond.values.some((value) => values.includes(value)),
      ),
    );
  }
}

type Is = Extract<Cond, { k: "is" }>;

/** The conditions on values anywhere in a query or meaning. */
function conditionsOf(part: unknown): Is[] {
  return nodesIn(part).filter(({ k }) => k === "is") as unknown as Is[];
}

/** The query with each way along one of several links named: as said, or by each of them in turn. */
function alongLinks(ask: Ask, { from, to, roles }: Twins, said: Said, schema: Schema): Ask[] {
  const formulas = metricsIn(ask).map((name) => schema.metrics.get(name)?.formula);
  if (!nodesIn([ask, formulas]).some(({ ds }) => ds === from)) return [ask];
  const links = new Set(roles.map(({ hop }) => hop.link));
  const values = new Map<string, Role>();
  let isOpen = false;
  let isNothing = false;
  const roleOf = (role: Role | "unsaid" | "none" | undefined, other: Role): Role => {
    if (role === "none") isNothing = true;
    else if (role === undefined || role === "unsaid") isOpen = true;
    else return role;
    return other;
  };
  const walk = <T>(node: T, other: Role): T => {
    if (Array.isArray(node)) return node.map((each) => walk(each, other)) as T;
    if (typeof node !== "object" || node === null) return node;
    const link = node as unknown as Extract<Cond, { k: "link" }>;
    // What something is linked to is reached by the link; inside of it, rows are those of the other dataset.
    const isLink =
      link.k === "link" &&
      ((link.path.length === 0 && link.at === to) ||
        (link.path.length === 1 && links.has(link.path[0]?.link ?? "")));
    if (isLink) {
      const [first] = conditionsOf(link.to);
      const role = roleOf(first === undefined ? undefined : said.ofValue(first, roles), other);
      return { ...link, at: from, path: [role.hop] } as T;
    }
    const is = node as unknown as Is;
    if (is.k === "is" && is.key.ds === to && is.key.path === undefined) {
      const role = roleOf(said.ofValue(is, roles), other);
      // What is compared is told apart as it was said; rows of one city are told apart by the other end.
      if (is.values.length > 1) values.set(is.key.field, role);
      return { ...is, key: { ...is.key, path: [role.hop] } } as T;
    }
    const key = node as unknown as Key;
    if (key.ds === to && typeof key.field === "string" && key.path === undefined) {
      return { ...key, path: [roleOf(values.get(key.field) ?? said.ofVerb(roles), other).hop] } as T;
    }
    return Object.fromEntries(Object.entries(node).map(([part, value]) => [part, walk(value, other)])) as T;
  };
  // Conditions first: what is compared is told apart by them.
  const along = (other: Role): Ask => {
    if (ask.k === "list") return walk(ask, other);
    const { scope, cols, ...rest } = ask;
    const made = walk({ scope, cols }, other);
    return { ...walk(rest, other), ...made, ...(scope === undefined ? {} : { scope: made.scope }) } as Ask;
  };
  const [first, ...others] = roles as [Role, ...Role[]];
  const made = along(first);
  if (isNothing) return [];
  return isOpen ? [made, ...others.map(along)] : [made];
}
