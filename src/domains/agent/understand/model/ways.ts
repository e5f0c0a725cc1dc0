import type { Schema } from "../../query/schema.ts";
import type { Hop } from "../../query/semantic-query.ts";

/** The cheapest ways between the datasets of a model, in either direction of their links. */
export class Ways {
  readonly #schema: Schema;
  readonly #known = new Map<string, Map<string, { cost: number; path: Hop[] }>>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  end(path: readonly Hop[]): string {
    const last = path.at(-1) as Hop;
    const link = this.#schema.links.get(last.link);
    return (last.dir === "one" ? link?.to : link?.from) ?? "";
  }

  cheapest(from: string, to: string): Hop[] | undefined {
    if (from === to) return undefined;
    const known = this.#known.get(from) ?? this.#waysFrom(from);
    this.#known.set(from, known);
    return known.get(to)?.path;
  }

  #waysFrom(from: string): Map<string, { cost: number; path: Hop[] }> {
    const ways = new Map<string, { cost: number; path: Hop[] }>([[from, { cost: 0, path: [] }]]);
    const open = [from];
    for (let place = open.shift(); place !== undefined; place = open.shift()) {
      const here = ways.get(place) as { cost: number; path: Hop[] };
      for (const link of this.#schema.links.values()) {
        if (link.from === link.to) continue;
        for (const dir of ["one", "many"] as const) {
          const [near, far] = dir === "one" ? [link.from, link.to] : [link.to, link.from];
          if (near !== place) continue;
          const cost = here.cost + link.cost * (dir === "one" ? 1 : 1.5);
          if (cost >= (ways.get(far)?.cost ?? Number.POSITIVE_INFINITY)) continue;
          ways.set(far, { cost, path: [...here.path, { link: link.name, dir }] });
          open.push(far);
        }
      }
    }
    return ways;
  }
}
