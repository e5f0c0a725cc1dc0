import { AppError } from "../../../kernel/errors.ts";
import { findMetric, isDate, isSameName, keyNamed, keysNamed, kindOfKey, qualified } from "../query/names.ts";
import type { Schema, SchemaField } from "../query/schema.ts";
import type { Grain, Key } from "../query/semantic-query.ts";

/** `orders.order_date:month`, and `airports.city via flight_origin` where several relationships lead there. */
const KEY = /^(.*?)(?:\s*:\s*([a-z_]+))?(?:\s+via\s+(.+?))?$/is;

const BUCKETS: readonly Grain[] = ["day", "week", "month", "quarter", "year"];
const GRAINS: ReadonlyMap<string, Partial<Key>> = new Map<string, Partial<Key>>([
  ...BUCKETS.map((bucket) => [bucket, { bucket }] as const),
  ["fiscal_quarter", { bucket: "quarter", fiscal: true }],
  ["fiscal_year", { bucket: "year", fiscal: true }],
  ["weekday", { part: "weekday" }],
  ["hour", { part: "hour" }],
]);

/** A field that the model has for this caller, with what is said of it behind its name. */
export function keyOf(schema: Schema, text: string): Key {
  const whole = text.trim();
  // A name may have such signs itself.
  if (keysNamed(schema, whole).length > 0) return keyNamed(schema, whole);
  const [, name = "", grain, via] = KEY.exec(whole) ?? [];
  const metric = findMetric(schema, name);
  if (metric !== undefined && keysNamed(schema, name).length === 0)
    throw new AppError("bad_request", `${metric} is a metric, and no field.`, {
      hint: "Metrics stand in metrics, in order, and in where as conditions on groups.",
    });
  const key = alongWay(schema, name) ?? keyNamed(schema, name, waysLike(schema, name));
  return {
    ...key,
    ...(grain !== undefined && grained(schema, key, grain)),
    ...(via && viaOf(schema, key, via)),
  };
}

/** What days between dates are, what a part of a date is, and else what its field is. */
export function kindOf(schema: Schema, key: Key): SchemaField["kind"] {
  if (key.since !== undefined) return "number";
  if (key.part !== undefined) return key.part === "hour" ? "number" : "text";
  return kindOfKey(schema, key);
}

function grained(schema: Schema, key: Key, said: string): Partial<Key> {
  const found = GRAINS.get(said.toLowerCase());
  const known = [...GRAINS.keys()].join(", ");
  if (found === undefined)
    throw new AppError("bad_request", `There is no grain ${said}.`, { hint: `Take one of ${known}.` });
  if (isDate(schema, key)) return found;
  throw new AppError("bad_request", `${qualified(key)} is no date, so it has no ${said}.`);
}

function viaOf({ links }: Schema, { ds }: Key, said: string): Pick<Key, "path"> {
  const leading = [...links.values()].filter(({ to, isSoft }) => to === ds && isSoft !== true);
  const link = leading.find(({ name }) => isSameName(name, said))?.name;
  if (link !== undefined) return { path: [{ link, dir: "one", as: link.replaceAll("_", " ") }] };
  const names = leading.map(({ name }) => name).join(", ");
  throw new AppError("bad_request", `No relationship ${said} leads to ${ds}.`, {
    hint: names === "" ? "None does." : `Those that do: ${names}.`,
  });
}

/** `store_in_region.region_name`: a field of where that relationship leads. */
function alongWay(schema: Schema, text: string): Key | undefined {
  const [way = "", field = "", ...more] = text.split(".");
  const { to = "" } = [...schema.links.values()].find(({ name }) => isSameName(name, way)) ?? {};
  const [key] = more.length === 0 ? keysNamed(schema, `${to}.${field}`) : [];
  return key && !schema.datasets.has(way) ? { ...key, ...viaOf(schema, key, way) } : undefined;
}

/** `manager.name` and `employees.region_name` say a way: `employees.name via manager`. */
function waysLike({ datasets, links }: Schema, text: string): string[] {
  const [way = "", ...rest] = text.toLowerCase().split(".");
  const field = rest.at(-1) ?? "";
  // Half of a dataset's name is no way.
  if ([...datasets.keys()].some((ds) => !isSameName(ds, way) && ds.toLowerCase().startsWith(way))) return [];
  return [...links.values()].flatMap(({ name, from, to, isSoft }) => {
    const found = [...(datasets.get(to)?.fields.keys() ?? [])].find((each) => isSameName(each, field));
    const isSaid = isSameName(from, way) || name.toLowerCase().includes(way);
    return isSoft === true || found === undefined || !isSaid || way === ""
      ? []
      : [`${to}.${found} via ${name}`];
  });
}
