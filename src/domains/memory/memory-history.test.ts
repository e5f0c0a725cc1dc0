import fc from "fast-check";
import { expect, test } from "vitest";
import "../../../test/support/fixed-seed.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { serverOfFile } from "../../../test/support/server.ts";

/** Any order of changes, beside a model of a few lines, at any point of valid and of known time. */

const RUNS = process.env.KENNING_TEST_LONG === "1" ? 150 : 8;
const SECOND = 1_000;
const INVERSES: Readonly<Record<string, string>> = {
  REFERENCES: "REFERENCED_BY",
  DEPENDS_ON: "REQUIRED_BY",
  RELATED_TO: "RELATED_TO",
};
const TYPES = Object.keys(INVERSES);

/** A clock that goes on by a second whenever something is done. */
const clock = { ms: Math.floor(Date.now() / SECOND) * SECOND, now: () => new Date(clock.ms) };

const server = await serverOfFile({ clock });

interface Version {
  key: string;
  recorded: number;
  superseded: number | null;
  from: number;
  /** Ends as they became known. */
  ends: { at: number; to: number | null }[];
}

interface Modelled {
  versions: Version[];
  retracted: number | null;
}

interface Relation {
  from: Modelled;
  to: Modelled;
  type: string;
  created: number;
  ended: number | null;
}

class World {
  readonly memories: Modelled[] = [];
  relations: Relation[] = [];
  readonly #token: string;
  #stored = 0;

  constructor(token: string) {
    this.#token = token;
  }

  async call<T>(tool: string, args: object): Promise<T | undefined> {
    const { result } = await callTool(server, this.#token, tool, args as Record<string, unknown>);
    return result?.isError === true ? undefined : (result?.structuredContent as T);
  }

  pick(n: number): Modelled | undefined {
    return this.memories[n % Math.max(1, this.memories.length)];
  }

  async store(from: number, length: number | null): Promise<void> {
    const validFrom = clock.ms + from * SECOND;
    const validTo = length === null ? null : validFrom + length * SECOND;
    const stored = await this.call<{ memory_id: string }>("store_memory", {
      title: `Number ${++this.#stored} of ${this.#token.slice(-6)}`,
      content: `fact ${this.#stored}`,
      valid_from: iso(validFrom),
      ...(validTo !== null && { valid_to: iso(validTo) }),
    });
    const version = {
      recorded: clock.ms,
      superseded: null,
      from: validFrom,
      ends: [{ at: clock.ms, to: validTo }],
    };
    this.memories.push({ retracted: null, versions: [{ key: stored!.memory_id, ...version }] });
  }

  async update(n: number): Promise<void> {
    const memory = this.pick(n);
    const old = memory?.versions.at(-1);
    if (memory === undefined || old === undefined) return;
    const args = {
      target_id: old.key,
      new_title: `Update ${++this.#stored}`,
      new_content: `fact ${this.#stored}`,
    };
    const updated = await this.call<{ new_memory_id: string }>("update_fact", args);
    expect(updated === undefined).toBe(memory.retracted !== null);
    if (updated === undefined) return;
    const until = Math.max(old.from, clock.ms);
    const known = old.ends.at(-1)!.to;
    old.ends.push({ at: clock.ms, to: known !== null && known < until ? known : until });
    old.superseded = clock.ms;
    memory.versions.push({
      key: updated.new_memory_id,
      recorded: clock.ms,
      superseded: null,
      from: clock.ms,
      ends: [{ at: clock.ms, to: null }],
    });
  }

  async end(n: number, afterSeconds: number | null): Promise<void> {
    const memory = this.pick(n);
    const open = memory?.versions.at(-1);
    if (memory === undefined || open === undefined) return;
    const to = afterSeconds === null ? null : open.from + afterSeconds * SECOND;
    const args = { memory_id: open.key, action: "expire", valid_to: to === null ? null : iso(to) };
    const changed = await this.call("change_memory", args);
    expect(changed === undefined).toBe(memory.retracted !== null);
    if (changed !== undefined) open.ends.push({ at: clock.ms, to });
  }

  async retract(n: number): Promise<void> {
    const memory = this.pick(n);
    if (memory === undefined) return;
    expect(await this.call("retract_memory", { memory_id: memory.versions[0]!.key })).toBeDefined();
    if (memory.retracted !== null) return;
    memory.retracted = clock.ms;
    for (const relation of this.relations)
      if (relation.ended === null && (relation.from === memory || relation.to === memory))
        relation.ended = clock.ms;
  }

  async relate(a: number, b: number, type: string, isOn: boolean): Promise<void> {
    const [from, to] = [this.pick(a), this.pick(b)];
    if (from === undefined || to === undefined || from === to) return;
    const args = { from_id: from.versions[0]!.key, to_id: to.versions.at(-1)!.key, rel_type: type };
    const isThere = from.retracted === null && to.retracted === null;
    const isSame = (one: Relation) =>
      one.ended === null &&
      one.type === type &&
      ((one.from === from && one.to === to) ||
        // It is its own inverse.
        (type === "RELATED_TO" && one.from === to && one.to === from));
    const known = this.relations.find(isSame);
    const done = await this.call(isOn ? "link_memories" : "unlink_memories", args);
    expect(done !== undefined).toBe(isThere && (isOn || known !== undefined));
    if (done === undefined) return;
    if (isOn && known === undefined) this.relations.push({ from, to, type, created: clock.ms, ended: null });
    if (!isOn && known !== undefined) known.ended = clock.ms;
  }

  /** What held at `asOf` as far as was known at `knownAt`. */
  held(asOf: number, knownAt: number): string[] {
    const isKnown = ({ retracted }: Modelled) => retracted === null || retracted > knownAt;
    const holds = ({ recorded, from, ends }: Version) => {
      if (recorded > knownAt || from > asOf) return false;
      const end = ends.findLast(({ at }) => at <= knownAt)?.to ?? null;
      return end === null || end > asOf;
    };
    return this.memories
      .filter(isKnown)
      .flatMap(({ versions }) => versions.filter(holds))
      .map(({ key }) => key)
      .sort();
  }

  async check(asOf: number, knownAt: number): Promise<void> {
    const ask = { query: "fact", k: 25, as_of: iso(asOf), known_at: iso(knownAt) };
    const found = await this.call<{ hits: { memory_id: string }[] }>("recall_at_time", ask);
    expect(found!.hits.map(({ memory_id }) => memory_id).sort()).toEqual(this.held(asOf, knownAt));
    const memory = this.pick(knownAt % 7);
    if (memory === undefined) return;
    const [first] = memory.versions;
    const listed = await this.call<{
      outgoing: { rel_type: string; to: string }[];
      incoming: { rel_type: string; from: string }[];
    }>("list_relations", { memory_id: first!.key, known_at: iso(knownAt) });
    const isKnown = first!.recorded <= knownAt && (memory.retracted === null || memory.retracted > knownAt);
    expect(listed === undefined).toBe(!isKnown);
    if (listed === undefined) return;
    const keyAt = ({ versions }: Modelled) => versions.findLast(({ recorded }) => recorded <= knownAt)!.key;
    const open = this.relations.filter(
      ({ created, ended }) => created <= knownAt && (ended === null || ended > knownAt),
    );
    const from = open.filter((one) => one.from === memory).map(({ type, to }) => ({ type, key: keyAt(to) }));
    const to = open.filter((one) => one.to === memory).map(({ type, from }) => ({ type, key: keyAt(from) }));
    const said = (all: typeof from) => all.map(({ type, key }) => `${type} ${key}`);
    const inverse = (all: typeof from) => all.map(({ type, key }) => `${INVERSES[type]} ${key}`);
    const [out, into] = [
      [...said(from), ...inverse(to)],
      [...said(to), ...inverse(from)],
    ];
    const isSaid = ({ rel_type }: { rel_type: string }) => !rel_type.startsWith("SUPERSEDE");
    expect(
      listed.outgoing
        .filter(isSaid)
        .map(({ rel_type, to }) => `${rel_type} ${to}`)
        .sort(),
    ).toEqual(out.sort());
    expect(
      listed.incoming
        .filter(isSaid)
        .map(({ rel_type, from }) => `${rel_type} ${from}`)
        .sort(),
    ).toEqual(into.sort());
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

const n = fc.nat(8);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      from: fc.integer({ min: -5, max: 5 }),
      length: fc.option(fc.nat(12)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("update" as const), n }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const), n, after: fc.option(fc.nat(15)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("retract" as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("relate" as const),
      a: n,
      b: n,
      type: fc.constantFrom(...TYPES),
      isOn: fc.boolean(),
    }),
  },
);

test("any order of changes is what a simple model says, at any time", async () => {
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 4, maxLength: 18 }),
    fc.array(fc.tuple(fc.integer({ min: -8, max: 30 }), fc.integer({ min: -3, max: 20 })), {
      minLength: 3,
      maxLength: 4,
    }),
    async (steps, times) => {
      const slug = `history-${++runs}`;
      await server.app.identity.workspaces.create({ slug });
      const world = new World(await server.token({ workspace: slug }));
      const began = clock.ms;
      for (const one of steps) {
        clock.ms += SECOND;
        if (one.do === "store") await world.store(one.from, one.length);
        else if (one.do === "update") await world.update(one.n);
        else if (one.do === "end") await world.end(one.n, one.after);
        else if (one.do === "retract") await world.retract(one.n);
        else await world.relate(one.a, one.b, one.type, one.isOn);
      }
      for (const [valid, known] of times) await world.check(began + valid * SECOND, began + known * SECOND);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
}, 600_000);
