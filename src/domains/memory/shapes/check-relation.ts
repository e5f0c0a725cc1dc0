import { DataFactory, Parser, type Quad, Store, type Term } from "n3";
// @ts-expect-error It comes without types.
import { Validator as Untyped } from "shacl-engine";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import { NAMESPACE } from "./namespace.ts";

/** A memory as a shape sees it. */
interface ShapedMemory {
  id: number;
  kind: string;
  type: string;
  title: string | null;
  tags: readonly string[];
}

interface ShapedEdge {
  fromId: number;
  type: string;
  toId: number;
}

interface OwnType {
  type: string;
  inverse: string;
  from: string[];
  to: string[];
}

export type ShapesQuestion =
  | { read: string }
  | {
      turtle: string;
      nodes: readonly ShapedMemory[];
      /** Those that the two have already. */
      edges: readonly ShapedEdge[];
      edge: ShapedEdge & { inverse: string };
      /** Types that could be meant instead, with their inverses. */
      others: readonly { type: string; inverse: string }[];
    };

export interface ShapesAnswer {
  shapes: number;
  types: OwnType[];
  violations: Violation[];
  /** Types that no shape forbids between the two. */
  allowed: string[];
}

interface Violation {
  message: string;
  /** What the shape asks for, as it stands there: `class k:client`. */
  expected: string[];
  /** Which shape, and where. */
  at: string;
}

const { namedNode, literal, quad } = DataFactory;
/** The engine says null where a text has no language. */
const FACTORY = {
  ...DataFactory,
  literal: (value: string, language: string | null) => literal(value, language ?? undefined),
};
const SH = "http://www.w3.org/ns/shacl#";
const OWL_INVERSE = namedNode("http://www.w3.org/2002/07/owl#inverseOf");
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const RDF_TYPE = namedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
const TYPE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
/** What of a shape is told to those who came up against it. */
const TOLD = [
  "class",
  "in",
  "hasValue",
  "maxCount",
  "minCount",
  "pattern",
  "nodeKind",
  "datatype",
  "maxLength",
];

/** What the engine passes over, though whoever wrote it relies on it. */
const UNCHECKED = ["sparql", "js", "rule", "target", "parameter"];

/** How one shape asks for another. */
const REFERENCES = ["node", "property", "not", "and", "or", "xone", "qualifiedValueShape"];

interface Parsed {
  store: Store;
  validator: Validator;
}

/** The same rules are asked for again and again. */
const parsed = new Map<string, Parsed>();
const KEPT = 8;

/** Runs in a thread: reads the rules of a workspace, or checks one relation by them. */
export async function checkRelation(question: ShapesQuestion): Promise<ShapesAnswer> {
  if ("read" in question) {
    const { store, validator } = parse(question.read);
    await validator.validate({ dataset: probeOf(store) }).catch((error: unknown) => {
      throw invalid(error);
    });
    return { shapes: shapesIn(store), types: typesIn(store), violations: [], allowed: [] };
  }
  const rules = parse(question.turtle);
  const { nodes, edges, edge, others } = question;
  const before = dataOf(nodes, edges);
  const known = new Set((await violationsOf(rules, before)).map(({ at }) => at));
  const withEdge = (type: string, inverse: string) =>
    dataOf(nodes, [...edges, ...bothWays({ ...edge, type, inverse })]);
  const found = await violationsOf(rules, withEdge(edge.type, edge.inverse));
  const violations = found.filter(({ at }) => !known.has(at));
  const allowed: string[] = [];
  if (violations.length > 0)
    for (const { type, inverse } of others) {
      const all = await violationsOf(rules, withEdge(type, inverse));
      if (all.every(({ at }) => known.has(at))) allowed.push(type);
    }
  return { shapes: 0, types: [], violations, allowed };
}

function parse(turtle: string): Parsed {
  const kept = parsed.get(turtle);
  if (kept !== undefined) return kept;
  let quads: Quad[];
  try {
    quads = new Parser({ format: "text/turtle" }).parse(turtle);
  } catch (error) {
    throw invalid(error);
  }
  const store = new Store(quads);
  const unchecked = UNCHECKED.find((name) => store.countQuads(null, namedNode(SH + name), null, null) > 0);
  if (unchecked !== undefined) throw invalid(new Error(`sh:${unchecked} cannot be checked here.`));
  const circle = circleIn(store);
  if (circle !== undefined)
    throw invalid(new Error(`${shortOf(circle)} refers to itself, by way of others.`));
  const made = { store, validator: validatorOf(store) };
  parsed.set(turtle, made);
  for (const oldest of parsed.keys()) if (parsed.size > KEPT) parsed.delete(oldest);
  return made;
}

/** A shape that cannot be checked without checking itself; the standard leaves open what that means. */
function circleIn(store: Store): Term | undefined {
  const refersTo = (shape: Term) =>
    REFERENCES.flatMap((name) => store.getObjects(shape as never, namedNode(SH + name), null)).flatMap(
      (term) => [term, ...listFrom(store, term)],
    );
  const done = new Set<string>();
  const above = new Set<string>();
  const enter = (shape: Term): Term | undefined => {
    if (above.has(shape.value)) return shape;
    if (done.has(shape.value)) return undefined;
    done.add(shape.value);
    above.add(shape.value);
    for (const other of refersTo(shape)) {
      const found = enter(other);
      if (found !== undefined) return found;
    }
    above.delete(shape.value);
    return undefined;
  };
  for (const subject of store.getSubjects(null, null, null)) {
    const found = enter(subject);
    if (found !== undefined) return found;
  }
  return undefined;
}

function validatorOf(store: Store): Validator {
  try {
    return new Validator(store, { factory: FACTORY });
  } catch (error) {
    throw invalid(error);
  }
}

function invalid(error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError("bad_request", `The rules are not valid SHACL in Turtle: ${reason.slice(0, 300)}`, {
    hint: `Begin with @prefix k: <${NAMESPACE}> and @prefix sh: <${SH}>.`,
  });
}

async function violationsOf({ store, validator }: Parsed, dataset: Store): Promise<Violation[]> {
  const report = await validator.validate({ dataset }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      "unsupported",
      `The rules of the workspace cannot be checked: ${reason.slice(0, 300)}`,
      {
        hint: "An admin can change them with {tool:set_relation_rules}.",
        cause,
      },
    );
  });
  const bad = report.results.filter(({ severity }) => severity?.value === `${SH}Violation`);
  return bad.map((result) => {
    const expected = expectedBy(store, result.shape.ptr.term);
    const [own] = result.message ?? [];
    const text = typeof own === "string" ? own : own?.value;
    const subject = shortOf(result.path?.[0]?.predicates?.[0] ?? result.shape.ptr.term);
    return {
      message: text ?? `${subject} is not as its shape asks: ${expected.join(", ")}.`,
      expected,
      at: `${result.shape.ptr.term.value} ${result.focusNode.term.value}`,
    };
  });
}

function expectedBy(store: Store, shape: Term): string[] {
  return TOLD.flatMap((name) =>
    store.getObjects(shape as never, namedNode(SH + name), null).flatMap((value) => {
      const values = name === "in" ? listFrom(store, value) : [value];
      return values.length === 0 ? [] : [`${name} ${values.map(shortOf).join(", ")}`];
    }),
  );
}

function listFrom(store: Store, head: Term): Term[] {
  const items: Term[] = [];
  const rdf = (name: string) => namedNode(`http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`);
  for (let at: Term | undefined = head; at !== undefined && items.length < LIMITS.memory.ownTypes; ) {
    const [first] = store.getObjects(at as never, rdf("first"), null);
    if (first === undefined) break;
    items.push(first);
    [at] = store.getObjects(at as never, rdf("rest"), null);
  }
  return items;
}

function shortOf({ value }: Term): string {
  return value.startsWith(NAMESPACE) ? `k:${value.slice(NAMESPACE.length)}` : value;
}

function dataOf(nodes: readonly ShapedMemory[], edges: readonly ShapedEdge[]): Store {
  const k = (name: string) => namedNode(NAMESPACE + encodeURIComponent(name));
  const node = (id: number) => namedNode(`${NAMESPACE}memory-${id}`);
  const store = new Store();
  for (const { id, kind, type, title, tags } of nodes) {
    for (const tag of tags) {
      store.add(quad(node(id), RDF_TYPE, k(tag.toLowerCase())));
      store.add(quad(node(id), k("tag"), literal(tag)));
    }
    store.add(quad(node(id), k("kind"), literal(kind)));
    store.add(quad(node(id), k("memory_type"), literal(type)));
    if (title !== null) store.add(quad(node(id), k("title"), literal(title)));
  }
  for (const { fromId, type, toId } of edges) store.add(quad(node(fromId), k(type), node(toId)));
  return store;
}

/** A memory that is all that the rules are about, so that what cannot be checked is found when they are set. */
function probeOf(rules: Store): Store {
  const store = new Store();
  const node = namedNode(`${NAMESPACE}memory-0`);
  const named = (name: string) =>
    rules.getObjects(null, namedNode(SH + name), null).filter(({ termType }) => termType === "NamedNode");
  for (const type of named("targetClass")) store.add(quad(node, RDF_TYPE, type as never));
  for (const name of ["targetSubjectsOf", "targetObjectsOf", "path"])
    for (const predicate of named(name)) store.add(quad(node, predicate as never, node));
  return store;
}

function bothWays({ fromId, type, inverse, toId }: ShapedEdge & { inverse: string }): ShapedEdge[] {
  return [
    { fromId, type, toId },
    { fromId: toId, type: inverse, toId: fromId },
  ];
}

function shapesIn(store: Store): number {
  const targets = ["targetClass", "targetNode", "targetObjectsOf", "targetSubjectsOf"];
  const found = targets.flatMap((name) => store.getSubjects(namedNode(SH + name), null, null));
  return new Set(found.map(({ value }) => value)).size;
}

/** `k:SPONSORS owl:inverseOf k:SPONSORED_BY ; rdfs:domain k:organisation ; rdfs:range k:project .` */
function typesIn(store: Store): OwnType[] {
  const types = store.getQuads(null, OWL_INVERSE, null, null).map(({ subject, object }) => {
    const names = (property: string) =>
      store.getObjects(subject, namedNode(RDFS + property), null).map((value) => nameOf(value));
    return { type: nameOf(subject), inverse: nameOf(object), from: names("domain"), to: names("range") };
  });
  for (const { type, inverse } of types)
    for (const name of [type, inverse])
      if (!TYPE.test(name))
        throw new AppError("bad_request", `${name} is no type of relation: write it as k:UPPER_SNAKE_CASE.`);
  if (types.length > LIMITS.memory.ownTypes)
    throw new AppError("too_large", `Rules can add ${LIMITS.memory.ownTypes} types of relations.`);
  return types;
}

function nameOf({ value }: Term): string {
  if (value.startsWith(NAMESPACE) && !/%(?![0-7][\da-f])/i.test(value))
    return decodeURIComponent(value.slice(NAMESPACE.length));
  throw new AppError("bad_request", `${value.slice(0, 200)} is not in the namespace ${NAMESPACE}.`, {
    hint: `Write @prefix k: <${NAMESPACE}> . and names such as k:SPONSORS or k:client.`,
  });
}

interface Result {
  message?: readonly (Term | string)[];
  path?: readonly { predicates?: readonly Term[] }[];
  focusNode: { term: Term };
  severity?: Term;
  shape: { ptr: { term: Term } };
}

/** As far as it is used here. */
interface Validator {
  validate(data: { dataset: Store }): Promise<{ results: readonly Result[] }>;
}

const Validator = Untyped as new (shapes: Store, options: { factory: unknown }) => Validator;
