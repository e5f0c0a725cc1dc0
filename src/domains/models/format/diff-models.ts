import { isDeepStrictEqual } from "node:util";
import { clip } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { Expression, SemanticModel } from "../model.ts";
import { step } from "./report.ts";

export interface Change {
  /** In the words of the file: `datasets.orders.fields.total`. */
  path: string;
  kind: "added" | "removed" | "changed";
  /** Old and new value; left out for parts that have a name. */
  before?: unknown;
  after?: unknown;
}

/** Compares two values, of which one may be missing. */
type Comparison = (before: unknown, after: unknown, path: string) => Change[];

/** A value that is looked at as a whole. */
const whole: Comparison = (before, after, path) => {
  const [was, is] = [isNothing(before), isNothing(after)];
  if ((was && is) || isDeepStrictEqual(before, after)) return [];
  if (was) return [{ path, kind: "added", after }];
  if (is) return [{ path, kind: "removed", before }];
  return [{ path, kind: "changed", before, after }];
};

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** A map, key by key. Each key has its word in the file. */
function parts(keys: Readonly<Record<string, readonly [word: string, comparison: Comparison]>>): Comparison {
  return (before, after, path) => {
    const [was, is] = [before, after] as [Record<string, unknown>?, Record<string, unknown>?];
    return Object.entries(keys).flatMap(([key, [word, comparison]]) =>
      comparison(was?.[key], is?.[key], step(path, word)),
    );
  };
}

/** A list of things with names, in whatever order. */
function named(comparison: Comparison): Comparison {
  return (before, after, path) => {
    const [was, is] = [byName(before), byName(after)];
    const added = [...is].filter(([key]) => !was.has(key));
    return [
      ...[...was].flatMap(([key, old]): Change[] => {
        const now = is.get(key);
        if (now === undefined) return [{ path: step(path, old.name), kind: "removed" }];
        return comparison(old, now, step(path, now.name));
      }),
      ...added.map(([, now]): Change => ({ path: step(path, now.name), kind: "added" })),
    ];
  };
}

function byName(items: unknown): Map<string, { name: string }> {
  return new Map(((items ?? []) as { name: string }[]).map((item) => [item.name.toLowerCase(), item]));
}

/** The SQL itself where both have one and the same dialect, otherwise dialect by dialect. */
const expression: Comparison = (before, after, path) => {
  const [was, is] = [before, after].map((one) => (one as Expression | undefined)?.dialects ?? []);
  const names = [...new Set([...(was ?? []), ...(is ?? [])].map(({ dialect }) => dialect))];
  return names.flatMap((name) => {
    const [old, now] = [was, is].map((all) => all?.find(({ dialect }) => dialect === name)?.expression);
    return whole(old, now, names.length === 1 ? path : step(path, name));
  });
};

const AI = parts({
  instructions: ["instructions", whole],
  synonyms: ["synonyms", whole],
  examples: ["examples", whole],
  more: ["more", whole],
});

const SHARED = { ai: ["ai_context", AI], extensions: ["custom_extensions", whole] } as const;

const FIELD = parts({
  name: ["name", whole],
  expression: ["expression", expression],
  label: ["label", whole],
  description: ["description", whole],
  dataType: ["datatype", whole],
  typeText: ["data_type", whole],
  isTime: ["is_time", whole],
  distinctValues: ["distinct_values", whole],
  ...SHARED,
});

const DATASET = parts({
  name: ["name", whole],
  source: ["source", whole],
  viewQuery: ["view_query", whole],
  primaryKey: ["primary_key", whole],
  uniqueKeys: ["unique_keys", whole],
  description: ["description", whole],
  fields: ["fields", named(FIELD)],
  policies: ["policies", named(whole)],
  ...SHARED,
});

const RELATIONSHIP = parts({
  name: ["name", whole],
  from: ["from", whole],
  to: ["to", whole],
  fromColumns: ["from_columns", whole],
  toColumns: ["to_columns", whole],
  ...SHARED,
});

const METRIC = parts({
  name: ["name", whole],
  expression: ["expression", expression],
  description: ["description", whole],
  dataType: ["datatype", whole],
  ...SHARED,
});

const MODEL = parts({
  name: ["name", whole],
  description: ["description", whole],
  datasets: ["datasets", named(DATASET)],
  relationships: ["relationships", named(RELATIONSHIP)],
  metrics: ["metrics", named(METRIC)],
  ...SHARED,
});

/** Diff of two models, part by part. Parts are matched by name, wherever they stand. */
export function diffModels(before: SemanticModel | null, after: SemanticModel): Change[] {
  return MODEL(before ?? undefined, after, "");
}

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

/** One line a change, for people and models. */
export function printDiff(changes: readonly Change[]): string {
  const lines = changes.slice(0, LIMITS.models.printedChanges).map(({ path, kind, before, after }) => {
    const value = kind === "changed" ? `${shown(before)} → ${shown(after)}` : shown(after ?? before);
    return `${SIGNS[kind]} ${path}${value === "" ? "" : `: ${value}`}`;
  });
  const left = changes.length - lines.length;
  return [...lines, ...(left > 0 ? [`… and ${left} more changes`] : [])].join("\n");
}

function shown(value: unknown): string {
  return value === undefined ? "" : clip(JSON.stringify(value), 120);
}
