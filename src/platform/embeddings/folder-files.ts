import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kernel/errors.ts";
import type { ModelFiles } from "./model-files.ts";

const NETWORKS = ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"];
const MOST_TOKENS = 512;

/** A model in a folder as sentence-transformers and Optimum write it. */
export function filesIn(folder: string): ModelFiles {
  const network = NETWORKS.map((name) => join(folder, name)).find((path) => existsSync(path));
  const tokenizer = join(folder, "tokenizer.json");
  if (network === undefined || !existsSync(tokenizer))
    throw new AppError("bad_request", `${folder} holds no model for embeddings.`, {
      hint: "KENNING_EMBEDDINGS_MODEL names a folder with model.onnx and tokenizer.json.",
    });
  const pooling = json(join(folder, "1_Pooling/config.json"));
  const { prompts = {} } = json(join(folder, "config_sentence_transformers.json")) as { prompts?: Prompts };
  const { max_seq_length: most } = json(join(folder, "sentence_bert_config.json"));
  return {
    network,
    tokenizer,
    pooling: pooling.pooling_mode_cls_token === true ? "first" : "mean",
    mostTokens: typeof most === "number" && most > 1 ? Math.min(most, MOST_TOKENS) : MOST_TOKENS,
    queryPrefix: prompts.query ?? "",
    passagePrefix: prompts.passage ?? prompts.document ?? "",
  };
}

interface Prompts {
  query?: string;
  passage?: string;
  document?: string;
}

function json(path: string): Record<string, unknown> {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}
