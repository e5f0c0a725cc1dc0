/** Numbers that a token is compared by. */
export const TOKEN_WIDTH = 128;
const TOKEN_BYTES = TOKEN_WIDTH / 8;

/** A vector as signed bytes, the longest of its numbers as 127. Only its direction is kept. */
export function packVector(vector: Float32Array): Uint8Array {
  let most = 1e-9;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round((value / most) * 127)).buffer);
}

/** The signs of a token's numbers, eight in a byte. */
export function packSigns(numbers: Float32Array, from: number, into: Uint8Array, token: number): void {
  for (let i = 0; i < TOKEN_WIDTH; i++)
    if (numbers[from + i]! > 0) into[token * TOKEN_BYTES + (i >> 3)]! |= 1 << (i & 7);
}

export function emptySigns(tokens: number): Uint8Array {
  return new Uint8Array(tokens * TOKEN_BYTES);
}

/** Shortens each vector in a row of them to length 1. */
export function toUnitLength(vectors: Float32Array, width: number): void {
  for (let from = 0; from < vectors.length; from += width) {
    let sum = 1e-12;
    for (let i = from; i < from + width; i++) sum += vectors[i]! ** 2;
    const scale = 1 / Math.sqrt(sum);
    for (let i = from; i < from + width; i++) vectors[i]! *= scale;
  }
}

/** How well signs can agree with numbers at most, on average. */
const BEST_AGREEMENT = Math.sqrt(2 / Math.PI);

/**
 * Late interaction: each token of the question is compared with all of the text, the best counts, and the mean of these
 * is what the text is worth, 0 to 1. Made once for a question, because its tables take longer than a text does.
 */
export function maxSim(query: Float32Array): (signs: Uint8Array) => number {
  const count = query.length / TOKEN_WIDTH;
  const tables = Array.from({ length: count }, (_, token) => tableOf(query, token * TOKEN_WIDTH));
  const scale = 1 / (Math.sqrt(TOKEN_WIDTH) * Math.max(1, count) * BEST_AGREEMENT);
  return (signs) => {
    if (signs.length === 0) return 0;
    let sum = 0;
    for (const table of tables) {
      let best = Number.NEGATIVE_INFINITY;
      for (let from = 0; from < signs.length; from += TOKEN_BYTES) {
        let likeness = 0;
        // Four at a time: sums that do not wait for each other.
        for (let i = 0; i < TOKEN_BYTES; i += 4)
          likeness +=
            table[(i << 8) | signs[from + i]!]! +
            table[((i + 1) << 8) | signs[from + i + 1]!]! +
            (table[((i + 2) << 8) | signs[from + i + 2]!]! + table[((i + 3) << 8) | signs[from + i + 3]!]!);
        if (likeness > best) best = likeness;
      }
      sum += best;
    }
    return Math.min(1, Math.max(0, sum * scale));
  };
}

/** For each byte of a text's token and each value of it, what its eight signs add: one bit more than a value before it. */
function tableOf(query: Float32Array, from: number): Float32Array {
  const table = new Float32Array(TOKEN_BYTES * 256);
  for (let byte = 0; byte < TOKEN_BYTES; byte++) {
    const numbers = query.subarray(from + byte * 8, from + byte * 8 + 8);
    table[byte << 8] = -numbers.reduce((sum, number) => sum + number, 0);
    for (let value = 1; value < 256; value++) {
      const lowest = 31 - Math.clz32(value & -value);
      table[(byte << 8) | value] = table[(byte << 8) | (value & (value - 1))]! + 2 * numbers[lowest]!;
    }
  }
  return table;
}
