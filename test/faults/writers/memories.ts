import pg from "pg";
import { expect } from "vitest";
import type { KilledServer, Writer } from "../killed-server.ts";

const WRITERS = 3;

/**
 * Memories: what was acknowledged is there and can be recalled, versions follow each other without a gap, and no
 * relation is there by half.
 */
export class MemoriesWriter implements Writer {
  readonly #server: KilledServer;
  /** What the server has said yes to. */
  readonly #contents = new Map<string, string>();
  readonly #links = new Set<string>();
  #last = 0;

  constructor(server: KilledServer) {
    this.#server = server;
  }

  get links(): number {
    return this.#links.size;
  }

  write(stop: AbortSignal): Promise<unknown> {
    return Promise.all(Array.from({ length: WRITERS }, () => this.#writeOn(stop).catch(() => undefined)));
  }

  async verify(): Promise<void> {
    const client = new pg.Client(this.#server.database.url);
    await client.connect();
    try {
      await this.#verifyCatalog(client);
    } finally {
      await client.end();
    }
    for (const [key, word] of [...this.#contents].slice(-6)) {
      const ask = { query: word, k: 3, hops: 0, superseded: true };
      const { hits } = await this.#server.resultOf<{ hits: { memory_id: string }[] }>("recall", ask);
      expect(hits.map(({ memory_id }) => memory_id)).toContain(key);
    }
  }

  report(): string {
    return `${this.#contents.size} versions and ${this.#links.size} relations of memories were kept`;
  }

  /** Stores, updates and links without pause; fails when the server is gone. */
  async #writeOn(stop: AbortSignal): Promise<void> {
    let former: string | undefined;
    while (!stop.aborted) {
      const word = `kestrel${++this.#last}`;
      const ask = <T>(name: string, args: object) => this.#server.resultOf<T>(name, args);
      const { memory_id } = await ask<{ memory_id: string }>("store_memory", {
        content: `The ${word} nests.`,
      });
      this.#contents.set(memory_id, word);
      const update = { target_id: memory_id, new_title: word, new_content: `The ${word} has left.` };
      const { new_memory_id } = await ask<{ new_memory_id: string }>("update_fact", update);
      this.#contents.set(new_memory_id, word);
      if (former !== undefined) {
        await ask("link_memories", { from_id: new_memory_id, to_id: former, rel_type: "DEPENDS_ON" });
        this.#links.add(`${new_memory_id} ${former}`);
      }
      former = new_memory_id;
    }
  }

  async #verifyCatalog(client: pg.Client): Promise<void> {
    const said = await client.query<{ key: string }>("select key from memory_versions");
    const keys = new Set(said.rows.map(({ key }) => key));
    expect([...this.#contents.keys()].filter((key) => !keys.has(key))).toEqual([]);
    const gaps = await client.query(`
      select memory_id from memory_versions group by memory_id
      having count(*) <> max(version) or count(*) filter (where superseded_at is null) <> 1`);
    expect(gaps.rows).toEqual([]);
    const halves = await client.query(`
      select one.id from memory_relations one where not exists (
        select from memory_relations other where other.from_id = one.to_id and other.to_id = one.from_id
          and other.is_inverse <> one.is_inverse and (other.ended_at is null) = (one.ended_at is null))`);
    expect(halves.rows).toEqual([]);
    const links = await client.query<{ link: string }>(`
      select a.key || ' ' || b.key as link from memory_relations r
      join memory_versions a on a.memory_id = r.from_id join memory_versions b on b.memory_id = r.to_id
      where r.type = 'DEPENDS_ON' and a.superseded_at is null and b.superseded_at is null`);
    const there = new Set(links.rows.map(({ link }) => link));
    expect([...this.#links].filter((link) => !there.has(link))).toEqual([]);
  }
}
