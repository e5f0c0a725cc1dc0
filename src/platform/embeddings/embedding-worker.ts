/** Runs in a thread of its own: a network takes milliseconds to seconds, and onnxruntime holds its thread meanwhile. */
import { readFileSync, rmSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { Tokenizer } from "@huggingface/tokenizers";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { answerCalls } from "../workers/index.ts";
import type { EmbeddingCalls } from "./embedding-model.ts";
import { LIMITS } from "./limits.ts";
import { minilmFiles } from "./minilm/minilm-model.ts";
import { emptySigns, packSigns, packVector, TOKEN_WIDTH, toUnitLength } from "./packing.ts";
import type { ThreadData } from "./thread-model.ts";

/** Tokens that stand for letters or digits, alone or as the rest of a word. */
const WORDLIKE = /^(?:##|▁)?[\p{L}\p{N}]/u;

const data = workerData as ThreadData;
const files = "files" in data ? data.files : minilmFiles(data.folder);
const tokenizer = readTokenizer();
const session = await openSession().catch((error) => {
  if ("files" in data) throw error;
  // A disk may have lost part of what was written down; it can be written again.
  rmSync(files.network, { force: true });
  minilmFiles(data.folder);
  return openSession();
});

interface Tokens {
  ids: number[];
  /** Which of them say something. */
  wordlike: number[];
}

/** The last vectors of a text's tokens: all of them, and the shorter ones where the model has them. */
interface Vectors {
  hidden: Float32Array;
  width: number;
  tokens: Float32Array | undefined;
}

answerCalls<EmbeddingCalls>({
  async passages({ texts }) {
    const tokenised = texts.map((text) => tokensOf(files.passagePrefix + text));
    const vectors = await run(tokenised);
    return vectors.map((made, i) => {
      const { tokens } = made;
      const { wordlike, ids } = tokenised[i]!;
      const vector = packVector(pooled(made, ids.length));
      if (tokens === undefined) return { vector };
      const signs = emptySigns(wordlike.length);
      for (const [nth, place] of wordlike.entries()) packSigns(tokens, place * TOKEN_WIDTH, signs, nth);
      return { vector, tokens: signs };
    });
  },
  async query({ text }) {
    const tokenised = tokensOf(files.queryPrefix + text);
    const [made] = (await run([tokenised])) as [Vectors];
    const { tokens } = made;
    const vector = pooled(made, tokenised.ids.length);
    if (tokens === undefined) return { vector };
    const { wordlike } = tokenised;
    const kept = new Float32Array(wordlike.length * TOKEN_WIDTH);
    for (const [nth, place] of wordlike.entries())
      kept.set(tokens.subarray(place * TOKEN_WIDTH, (place + 1) * TOKEN_WIDTH), nth * TOKEN_WIDTH);
    toUnitLength(kept, TOKEN_WIDTH);
    return { vector, tokens: kept };
  },
});

function openSession(): Promise<InferenceSession> {
  const intraOpNumThreads = LIMITS.embeddings.cores;
  return InferenceSession.create(files.network, { intraOpNumThreads, graphOptimizationLevel: "all" });
}

function readTokenizer(): Tokenizer {
  const rules = JSON.parse(readFileSync(files.tokenizer, "utf8"));
  // Cut and filled up here, by the model's own measure: the file's is that of its examples.
  return new Tokenizer({ ...rules, truncation: null, padding: null }, {});
}

function tokensOf(text: string): Tokens {
  const { ids, tokens } = tokenizer.encode(text.slice(0, LIMITS.embeddings.characters));
  const isCut = ids.length > files.mostTokens;
  const kept: number[] = isCut ? [...ids.slice(0, files.mostTokens - 1), ids.at(-1)!] : ids;
  const wordlike = kept.flatMap((_, place) => (WORDLIKE.test(tokens[place]!) ? place : []));
  return { ids: kept, wordlike };
}

async function run(batch: readonly Tokens[]): Promise<Vectors[]> {
  const length = Math.max(...batch.map(({ ids }) => ids.length));
  const ids = new BigInt64Array(batch.length * length);
  const mask = new BigInt64Array(batch.length * length);
  for (const [row, { ids: own }] of batch.entries())
    for (const [place, id] of own.entries()) {
      ids[row * length + place] = BigInt(id);
      mask[row * length + place] = 1n;
    }
  const shape = [batch.length, length];
  const inputs: Record<string, Tensor> = {
    input_ids: new Tensor("int64", ids, shape),
    attention_mask: new Tensor("int64", mask, shape),
    token_type_ids: new Tensor("int64", new BigInt64Array(ids.length), shape),
  };
  const wanted = session.inputNames.map((name) => [name, inputs[name]!]);
  const outputs = await session.run(Object.fromEntries(wanted));
  const hidden = outputs.last_hidden_state ?? outputs.token_embeddings ?? outputs[session.outputNames[0]!]!;
  const width = hidden.dims[2]!;
  const tokens = outputs.token_vectors?.data as Float32Array | undefined;
  return batch.map((_, row) => ({
    hidden: (hidden.data as Float32Array).subarray(row * length * width, (row + 1) * length * width),
    width,
    tokens: tokens?.subarray(row * length * TOKEN_WIDTH, (row + 1) * length * TOKEN_WIDTH),
  }));
}

/** The vector of a text, of length 1. */
function pooled({ hidden, width }: Vectors, count: number): Float32Array {
  const vector = new Float32Array(width);
  const tokens = files.pooling === "first" ? 1 : count;
  for (let token = 0; token < tokens; token++)
    for (let i = 0; i < width; i++) vector[i]! += hidden[token * width + i]!;
  toUnitLength(vector, width);
  return vector;
}
