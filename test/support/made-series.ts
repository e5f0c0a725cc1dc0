/** Series with noise of a known kind, for tests and benchmarks: the same seed gives the same numbers. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Standard deviation 1; each value is like the one before it by `phi`. */
export function noise(random: () => number, length: number, phi: number): number[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let last = normal();
  return Array.from({ length }, () => {
    last = phi * last + Math.sqrt(1 - phi * phi) * normal();
    return last;
  });
}
