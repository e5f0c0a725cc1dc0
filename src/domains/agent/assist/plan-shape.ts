import { z } from "zod";
import { LIMITS } from "../limits.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask } from "../query/semantic-query.ts";

/** What a language model is asked to fill in: the semantic query, and which word of the question stands for what. */
export interface ModelPlan {
  query: Ask | null;
  words: { word: string; means: string }[];
}

/** Providers bound how many names a schema may hold; beyond that, names are only checked afterwards. */
const MOST_NAMES = 800;
const MOST_PARTS = 40;

/** The shape of an answer, with the names of this model; fields that may be left out may also be null. */
export function planShape(schema: Schema): z.ZodType<unknown> {
  const fields = [...new Set([...schema.datasets.values()].flatMap((each) => [...each.fields.keys()]))];
  const datasets = [...schema.datasets.keys()];
  const [links, metrics] = [[...schema.links.keys()], [...schema.metrics.keys()]];
  const isSmall = fields.length + datasets.length + links.length + metrics.length <= MOST_NAMES;
  const oneOf = (names: readonly string[]): z.ZodType<unknown> =>
    isSmall && names.length > 0 ? z.enum(names as [string, ...string[]]) : z.string();
  const list = (item: z.ZodType<unknown>) => z.array(item).max(MOST_PARTS);
  const any = <T extends z.ZodType<unknown>>(of: () => T) => z.lazy(of);

  const ds = oneOf(datasets);
  const dir = z.enum(["max", "min"]);
  const ties = z.enum(["keep", "cut"]);
  const grain = z.enum(["day", "week", "month", "quarter", "year"]);
  const op = z.enum(["=", "<>", "<", "<=", ">", ">="]);
  const fn = z.enum(["count", "distinct", "sum", "avg", "median", "min", "max", "only"]);
  const path = list(z.object({ link: oneOf(links), dir: z.enum(["one", "many"]) })).meta({ id: "Path" });
  const key = z
    .object({
      ds,
      field: oneOf(fields),
      path: path.nullish(),
      bucket: grain.nullish(),
      fiscal: z.boolean().nullish(),
    })
    .meta({ id: "Key" });
  const window = z
    .object({ from: z.string().nullable(), to: z.string().nullable(), on: key.nullish() })
    .meta({ id: "Window" });
  const rel = any(() => Rel);
  const cond = any(() => Cond);
  const num = any(() => Num);
  const scope = any(() => Scope);
  const top = { by: z.union([num, key]), dir, n: z.int(), per: list(key).nullish(), ties };

  const Rel: z.ZodType<unknown> = z
    .union([
      z.object({ k: z.literal("all"), ds }),
      z.object({ k: z.literal("where"), in: rel, if: cond }),
      z.object({ k: z.literal("via"), from: rel, path }),
      z.object({ k: z.literal("top"), in: rel, ...top }),
      z.object({ k: z.literal("set"), op: z.enum(["union", "intersect", "minus"]), a: rel, b: rel }),
    ])
    .meta({ id: "Rel" });
  const literal = z.union([z.string(), z.number(), z.boolean()]);
  const count = z.object({ op, n: z.int() });
  const Cond: z.ZodType<unknown> = z
    .union([
      z.object({ k: z.enum(["and", "or"]), of: list(cond) }),
      z.object({ k: z.literal("not"), of: cond }),
      z.object({ k: z.literal("is"), key, values: list(literal), match: z.enum(["equal", "contains"]) }),
      z.object({ k: z.literal("null"), key }),
      z.object({ k: z.literal("during"), win: window }),
      z.object({ k: z.literal("cmp"), a: z.union([num, key]), op, b: z.union([num, key]) }),
      z.object({ k: z.literal("link"), at: ds, path, to: rel, count: count.nullish() }),
    ])
    .meta({ id: "Cond" });
  const Scope: z.ZodType<unknown> = z
    .object({ if: cond.nullish(), win: window.nullish(), whole: z.boolean().nullish() })
    .meta({ id: "Scope" });
  const Num: z.ZodType<unknown> = z
    .union([
      z.object({ k: z.literal("lit"), v: z.number() }),
      z.object({ k: z.literal("field"), key }),
      z.object({ k: z.literal("metric"), name: oneOf(metrics), scope: scope.nullish() }),
      z.object({
        k: z.literal("agg"),
        fn,
        of: key.nullish(),
        in: rel.nullish(),
        path: path.nullish(),
        scope: scope.nullish(),
      }),
      z.object({ k: z.literal("each"), fn, of: num, per: list(key), scope: scope.nullish() }),
      z.object({ k: z.literal("calc"), op: z.enum(["+", "-", "*", "/", "growth"]), a: num, b: num }),
      z.object({ k: z.literal("lag"), of: num, n: z.int(), grain }),
      z.object({ k: z.literal("running"), of: num }),
    ])
    .meta({ id: "Num" });
  const order = list(z.object({ by: z.union([num, key]), dir: z.enum(["asc", "desc"]) })).nullish();
  const listed = z.object({ k: z.literal("list"), rel, show: list(key), order, limit: z.int().nullish() });
  const table = z.object({
    k: z.literal("table"),
    by: list(key),
    cols: list(num),
    scope: scope.nullish(),
    having: cond.nullish(),
    top: z.object({ ...top, by: num }).nullish(),
    order,
    fill: z.boolean().nullish(),
  });
  return z.object({
    query: z.union([listed, table, z.null()]),
    words: z.array(z.object({ word: z.string(), means: z.string() })).max(100),
  });
}

/** Words of JSON Schema that providers take in strict mode. */
const KEPT = new Set("type properties items anyOf enum $ref $defs additionalProperties".split(" "));

/** The same for a provider: every field is required, and may be null instead. */
export function planSchema(shape: z.ZodType<unknown>): Record<string, unknown> {
  return strict(z.toJSONSchema(shape)) as Record<string, unknown>;
}

function strict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strict);
  if (typeof node !== "object" || node === null) return node;
  const { const: only, ...rest } = node as Record<string, unknown>;
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name === "properties" || name === "$defs") {
      const entries = Object.entries(value as object).map(([each, inner]) => [each, strict(inner)]);
      kept[name] = Object.fromEntries(entries);
    } else if (KEPT.has(name)) kept[name] = name === "enum" ? value : strict(value);
  }
  if (only !== undefined) kept.enum = [only];
  if (kept.properties !== undefined) kept.required = Object.keys(kept.properties as object);
  return kept;
}

/** A plan out of the text of a model's answer; undefined where there is none in it. */
export function readPlan(text: string, shape: z.ZodType<unknown>): ModelPlan | undefined {
  if (text.length > LIMITS.agent.planCharacters) return undefined;
  const json = jsonIn(text);
  if (json === undefined || depthOf(json) > DEEPEST) return undefined;
  const parsed = shape.safeParse(json);
  return parsed.success ? (withoutNulls(parsed.data) as ModelPlan) : undefined;
}

const DEEPEST = 60;

/** Models like to put JSON into a fence. */
function jsonIn(text: string): unknown {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start === -1 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}

function depthOf(json: unknown, depth = 0): number {
  if (typeof json !== "object" || json === null || depth > DEEPEST) return depth;
  return Math.max(depth, ...Object.values(json).map((each) => depthOf(each, depth + 1)));
}

/** Null stands for what is left out, except for an open end of a period and for no query at all. */
function withoutNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNulls);
  if (typeof node !== "object" || node === null) return node;
  const kept = Object.entries(node).filter(
    ([name, value]) => value !== null || ["from", "to", "query"].includes(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutNulls(value)]));
}
