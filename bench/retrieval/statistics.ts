/** Numbers that look random and are the same in each run. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Mean and the interval in which 95 of 100 resampled means lie. */
function bootstrap(values: readonly number[], rounds = 2_000): { mean: number; low: number; high: number } {
  const random = randomFrom(12_345);
  const means = Array.from({ length: rounds }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, low: means[Math.floor(rounds * 0.025)]!, high: means[Math.floor(rounds * 0.975)]! };
}

export function interval(values: readonly number[]): string {
  const { mean, low, high } = bootstrap(values);
  const short = (value: number) => value.toFixed(3).replace(/^0/, "");
  return `${short(mean)} (${short(low)}–${short(high)})`;
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
