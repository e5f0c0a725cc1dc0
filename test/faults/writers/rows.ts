import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect } from "vitest";
import type { ToolResult } from "../../support/rpc.ts";
import { tempEntries } from "../../support/temp-entries.ts";
import type { KilledServer, Writer } from "../killed-server.ts";

const PUSHERS = 4;
const PUSHED_ROWS = 200;
const IMPORTED_ROWS = 5_000;

type Outcome = "acknowledged" | "refused" | "unanswered";

/** All requests so far of one sort, by the number that each of their rows carries. */
type Attempts = Map<number, Outcome>;

interface Found {
  request: number;
  rows: number;
  total: number;
}

/**
 * Rows: what was acknowledged is there exactly once, what was refused is not there, and a request that was never
 * answered was done as a whole or not at all.
 */
export class RowsWriter implements Writer {
  readonly #server: KilledServer;
  readonly #pushes: Attempts = new Map();
  readonly #imports: Attempts = new Map();
  /** Of the requests that were refused: why. */
  readonly #refusals = new Map<string, number>();
  #lastNumber = 0;
  /** Files and folders that killed servers left behind. */
  #leftBehind = 0;

  constructor(server: KilledServer) {
    this.#server = server;
  }

  get unanswered(): number {
    return count(this.#pushes, "unanswered") + count(this.#imports, "unanswered");
  }

  write(stop: AbortSignal): Promise<unknown> {
    const push = (number: number) => {
      const rows = Array.from({ length: PUSHED_ROWS }, (_, n) => ({ request: number, n: n + 1 }));
      return this.#server.call("push_data", { dataset_name: "Pushes", rows });
    };
    const take = (number: number) => {
      const lines = Array.from({ length: IMPORTED_ROWS }, (_, n) => `${number},${n + 1},text ${n % 97}`);
      const content = `request,n,note\n${lines.join("\n")}\n`;
      return this.#server.call("import_file", { dataset_name: "Imports", content });
    };
    const pushers = Array.from({ length: PUSHERS }, () => this.#ask(this.#pushes, push, stop));
    return Promise.all([...pushers, this.#ask(this.#imports, take, stop)]);
  }

  async autopsy(): Promise<void> {
    this.#leftBehind += (await this.#strayFiles()).length;
  }

  async verify(): Promise<void> {
    await this.#verifyPushes();
    await this.#verifyImports();
    // A server sweeps while it answers already.
    await expect.poll(() => this.#strayFiles(), { timeout: 60_000 }).toEqual([]);
  }

  report(): string {
    const line = (attempts: Attempts) =>
      `${count(attempts, "acknowledged")} kept, ${count(attempts, "refused")} not`;
    const refusals = JSON.stringify([...this.#refusals]);
    return `pushes ${line(this.#pushes)}; imports ${line(this.#imports)} ${refusals}; ${this.#leftBehind} files and folders were left behind, and swept`;
  }

  /** Asks without pause, each time with a new number. */
  async #ask(attempts: Attempts, ask: (number: number) => Promise<ToolResult>, stop: AbortSignal) {
    while (!stop.aborted) {
      this.#lastNumber += 1;
      const number = this.#lastNumber;
      attempts.set(number, "unanswered");
      try {
        const { isError, content } = await ask(number);
        attempts.set(number, isError ? "refused" : "acknowledged");
        const reason = content[0]?.text ?? "";
        if (isError) this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
      } catch {
        return;
      }
    }
  }

  /** How many rows there are of each request, and the sum of what they are numbered with. */
  async #found(dataset: string): Promise<Found[]> {
    const { datasets } = await this.#server.resultOf<{ datasets: { id: number; rows: number }[] }>(
      "list_datasets",
      { query: dataset },
    );
    if (datasets[0] === undefined) return [];
    const { rows } = await this.#server.resultOf<{ rows: Found[] }>("get_data", {
      dataset_id: datasets[0].id,
      c9ql: "select request, count(*) as rows, sum(n) as total group by request",
      limit: 10_000,
    });
    // What the catalog says is what the files hold.
    expect(rows.reduce((sum, group) => sum + group.rows, 0)).toBe(datasets[0].rows);
    return rows;
  }

  async #verifyPushes(): Promise<void> {
    const groups = (await this.#found("Pushes")).toSorted((a, b) => a.request - b.request);
    const there = new Set(groups.map(({ request }) => request));
    settle(this.#pushes, (number) => there.has(number));
    const kept = keptOf(this.#pushes).toSorted((a, b) => a - b);
    expect(groups).toEqual(kept.map((number) => whole(number, PUSHED_ROWS)));
  }

  /** Each import replaces the one before, so exactly one is there: the last that was kept. */
  async #verifyImports(): Promise<void> {
    const groups = await this.#found("Imports");
    settle(this.#imports, (number) => number === groups[0]?.request);
    const last = keptOf(this.#imports).slice(-1);
    expect(groups).toEqual(last.map((number) => whole(number, IMPORTED_ROWS)));
  }

  /** Files and folders that belong to no dataset and to no living server. */
  async #strayFiles(): Promise<string[]> {
    const { database, kenning, isRunning } = this.#server;
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query<{ blob_key: string }>("SELECT blob_key FROM dataset_parts");
    await client.end();
    const known = new Set(rows.map(({ blob_key }) => blob_key));
    // A server that is killed early has not made all of them yet.
    const place = (name: string) => join(kenning.dataFolder, name);
    const parts = (existsSync(place("blobs/parts")) ? readdirSync(place("blobs/parts")) : []).map(
      (name) => `parts/${name}`,
    );
    expect([...known].filter((key) => !parts.includes(key))).toEqual([]);
    const folders = ["blobs/.tmp", "imports", "engine"].filter((name) => existsSync(place(name)));
    // The server that runs now has one folder in each; in `engine` its processes are at work, elsewhere nobody is.
    // A server that is killed while it makes its folder leaves an empty draft, which goes after an hour.
    const named = (name: string) => readdirSync(place(name)).filter((owner) => !owner.endsWith(".new"));
    const owners = folders.flatMap((name) => named(name).slice(isRunning ? 1 : 0));
    const atRest = folders.filter((name) => name !== "engine" || !isRunning);
    return [
      ...parts.filter((key) => !known.has(key)),
      ...owners,
      ...atRest.flatMap((name) => tempEntries(place(name))),
    ];
  }
}

/** Settled for good: what was found to be kept once must stay, and what is not there must not come back. */
function settle(attempts: Attempts, isThere: (number: number) => boolean): void {
  for (const [number, outcome] of attempts)
    if (outcome === "unanswered") attempts.set(number, isThere(number) ? "acknowledged" : "refused");
}

function keptOf(attempts: Attempts): number[] {
  return [...attempts].filter(([, outcome]) => outcome === "acknowledged").map(([number]) => number);
}

function count(attempts: Attempts, outcome: Outcome): number {
  return [...attempts.values()].filter((each) => each === outcome).length;
}

function whole(request: number, rows: number): Found {
  return { request, rows, total: (rows * (rows + 1)) / 2 };
}
