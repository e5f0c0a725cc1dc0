import { readFileSync } from "node:fs";

export interface Tensor {
  shape: readonly number[];
  values: Float32Array;
}

/** The weights in a file of safetensors, as floats. */
export function readSafetensors(path: string): Map<string, Tensor> {
  const bytes = readFileSync(path);
  const headBytes = Number(bytes.readBigUInt64LE(0));
  const head = JSON.parse(bytes.toString("utf8", 8, 8 + headBytes)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(head)) {
    if (dtype !== "F16") continue;
    const data = bytes.subarray(8 + headBytes + offsets[0], 8 + headBytes + offsets[1]);
    tensors.set(name, { shape, values: fromHalf(data) });
  }
  return tensors;
}

function fromHalf(data: Uint8Array): Float32Array {
  // A copy of its own begins where two bytes may be read at once.
  return Float32Array.from(new Float16Array(new Uint8Array(data).buffer));
}
