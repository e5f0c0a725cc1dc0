import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../../registry/caller.ts";
import type { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import { LIMITS } from "./limits.ts";

const VALUES_PER_COLUMN = 8;
const VALUE_CHARACTERS = 40;
const SAMPLED_AT_ONCE = 4;

/**
 * Some texts of each dataset, by which a search finds it. They are in an index that all share, so that only datasets
 * without any policy have some. Read once a version, in the background where that takes long.
 */
export class SampleValues {
  readonly #data: Pick<Data, "read">;
  /** By dataset; the one that was read last comes last. */
  readonly #kept = new Map<number, { version: number; values: string }>();
  readonly #filling = new Map<number, Promise<void>>();

  constructor(data: Pick<Data, "read">) {
    this.#data = data;
  }

  of({ id, version, policies }: Dataset): string {
    const kept = this.#kept.get(id);
    return policies.length === 0 && kept?.version === version ? kept.values : "";
  }

  /** Reads those that are missing, and waits for them a little. */
  async fill(caller: Caller, datasets: readonly Dataset[]): Promise<void> {
    const missing = datasets.filter(
      ({ id, version, policies }) => policies.length === 0 && this.#kept.get(id)?.version !== version,
    );
    if (missing.length === 0) return;
    const workspaceId = caller.workspace.id;
    const filling =
      this.#filling.get(workspaceId) ??
      this.#read(caller, missing).finally(() => this.#filling.delete(workspaceId));
    this.#filling.set(workspaceId, filling);
    await Promise.race([filling, sleep(LIMITS.data.sampleWaitMs, undefined, { ref: false })]);
  }

  async #read(caller: Caller, datasets: readonly Dataset[]): Promise<void> {
    const queue = [...datasets];
    const work = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await this.#sample(caller, next);
    };
    await Promise.all(Array.from({ length: SAMPLED_AT_ONCE }, work));
  }

  /** What cannot be read has no values; its name and columns are found all the same. */
  async #sample(caller: Caller, dataset: Dataset): Promise<void> {
    const { id, version } = dataset;
    const signal = AbortSignal.timeout(LIMITS.data.sampleMs);
    const page = await this.#data
      .read(caller, dataset, { limit: LIMITS.data.sampleRows, signal })
      .catch(() => undefined);
    this.#kept.delete(id);
    this.#kept.set(id, { version, values: page === undefined ? "" : textsOf(page.rows) });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > LIMITS.data.sampledDatasets && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** The most frequent texts of each column. */
function textsOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = new Map<string, Map<string, number>>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== "string" || value.length > VALUE_CHARACTERS || !/\p{L}{2}/u.test(value)) continue;
      const counts = columns.get(name) ?? new Map<string, number>();
      columns.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  const values = [...columns.values()].flatMap((counts) =>
    [...counts].sort((a, b) => b[1] - a[1]).slice(0, VALUES_PER_COLUMN),
  );
  return [...new Set(values.map(([value]) => value))].join(" ").slice(0, LIMITS.data.sampleCharacters);
}
