export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

/** A title, and a table of which the first row is the header. */
export function print(title: string, rows: readonly (readonly string[])[]): void {
  const [header = [], ...body] = rows;
  const lines = [header, header.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`);
  console.log(`\n### ${title}\n\n${lines.join("\n")}`);
}

/** Runs the contestants in turns, so that a noisy machine slows all of them, and once before to warm up. */
export async function inTurns<T>(rounds: number, contestants: readonly (() => Promise<T>)[]): Promise<T[][]> {
  const results: T[][] = contestants.map(() => []);
  for (const contestant of contestants) await contestant();
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) results[index]?.push(await contestant());
  }
  return results;
}
