const ROUNDS = 3_000;
const STEP = 1;
/** Keeps weights small where little speaks for them. */
const PENALTY = 1e-4;

export function logistic(weights: readonly number[], vector: readonly number[]): number {
  let sum = 0;
  for (const [i, value] of vector.entries()) sum += weights[i]! * value;
  return 1 / (1 + Math.exp(-sum));
}

/** Weights of a logistic model, by plain descent: there are few numbers and few cases. */
export function fitLogistic(vectors: readonly number[][], labels: readonly boolean[]): number[] {
  const weights = vectors[0]!.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = weights.map((weight) => PENALTY * weight);
    for (const [n, vector] of vectors.entries()) {
      const error = (logistic(weights, vector) - (labels[n] ? 1 : 0)) / vectors.length;
      for (const [i, value] of vector.entries()) slope[i]! += error * value;
    }
    for (const [i, value] of slope.entries()) weights[i]! -= STEP * value;
  }
  return weights;
}
