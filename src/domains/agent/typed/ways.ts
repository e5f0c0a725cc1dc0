import { AppError } from "../../../kernel/errors.ts";
import { homesIn, linkOf, toOnePath } from "../compile/paths.ts";
import { qualified } from "../query/names.ts";
import { datasetIn, nodesIn } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Key, Rel } from "../query/semantic-query.ts";

/** A relationship that was said has to be on the way of every number: the compiler takes another one where it is not. */
export function requireWays(ask: Ask, schema: Schema): void {
  const keys = nodesIn(ask).filter((node) => "field" in node && "path" in node) as unknown as Key[];
  for (const home of homesOf(ask, schema)) for (const key of keys) requireWay(schema, home, key);
}

function requireWay(schema: Schema, home: string, key: Key): void {
  const [first] = key.path ?? [];
  const leads = (from: string) => toOnePath(schema, home, from) !== undefined;
  if (first === undefined || leads(linkOf(schema, first.link).from) || !leads(key.ds)) return;
  const ways = [...schema.links.values()].filter(
    ({ from, to, isSoft }) => to === key.ds && isSoft !== true && leads(from),
  );
  const names = ways.map(({ name }) => name).join(", ");
  throw new AppError("bad_request", `${first.link} does not lead from ${home} to ${qualified(key)}.`, {
    hint: names === "" ? "No relationship does: leave via out." : `Those that do: ${names}.`,
  });
}

/** The datasets whose rows are listed, or make up the numbers. */
export function homesOf(ask: Ask, schema: Schema): Set<string> {
  if (ask.k === "list") return new Set([datasetIn(ask.rel)].flatMap((ds) => ds ?? []));
  const homes = nodesIn(ask).flatMap(({ k, in: rel, name }) => {
    if (k === "agg") return datasetIn(rel as Rel) ?? [];
    const { formula } = (k === "metric" && schema.metrics.get(name as string)) || {};
    return (formula?.aggregates ?? []).flatMap((each) => homesIn(schema, each).slice(0, 1));
  });
  return new Set(homes);
}
