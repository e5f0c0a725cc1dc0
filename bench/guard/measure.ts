/** Something to be timed; the number is a different one each time, for whoever wants a text of its own for each call. */
export interface Task {
  name: string;
  run(number: number): Promise<unknown>;
}

/** Calls every task once a round, in turns, so that a noisy machine slows all of them. Times in ms, by task. */
export async function takeTurns(
  tasks: readonly Task[],
  { rounds, warmup = 2 }: { rounds: number; warmup?: number },
): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(tasks.map(({ name }) => [name, []]));
  for (let round = -warmup; round < rounds; round += 1) {
    for (const { name, run } of tasks) {
      const started = performance.now();
      await run(nextNumber());
      if (round >= 0) times.get(name)?.push(performance.now() - started);
    }
  }
  return times;
}

/** Calls a second by each task with all of `runs` at once, as the median of rounds that take turns. */
export async function throughput(
  tasks: readonly { name: string; runs: readonly Task["run"][] }[],
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(tasks.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, runs } of tasks) {
      const started = performance.now();
      const counts = await Promise.all(
        runs.map(async (run) => {
          let count = 0;
          for (; performance.now() - started < ms; count += 1) await run(nextNumber());
          return count;
        }),
      );
      const total = counts.reduce((sum, count) => sum + count, 0);
      rates.get(name)?.push((total * 1_000) / (performance.now() - started));
    }
  }
  return new Map([...rates].map(([name, all]) => [name, median(all)]));
}

let last = 0;

function nextNumber(): number {
  last += 1;
  return last;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

function show(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A table in Markdown, printed while it grows. */
export class Table {
  readonly lines: string[] = [];

  constructor(title: string, head: readonly string[]) {
    this.lines.push(`**${title}**`, "", row(head), row(head.map(() => "---")));
    console.log(`\n${this.lines.join("\n")}`);
  }

  add(cells: readonly (string | number)[]): void {
    this.lines.push(row(cells.map((cell) => (typeof cell === "number" ? show(cell) : cell))));
    console.log(this.lines.at(-1));
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
