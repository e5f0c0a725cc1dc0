/** The model that comes with Kenning. Another name whenever the same text gets another vector. */
export const MINILM_FINGERPRINT = "minilm-l6-v2/7bit/2";

/** A model for onnxruntime, and how its vectors are read. */
export interface ModelFiles {
  /** The .onnx file. */
  network: string;
  /** The tokenizer.json beside it. */
  tokenizer: string;
  /** The vector of a text is the mean of its tokens' vectors, or the first one. */
  pooling: "mean" | "first";
  mostTokens: number;
  /** What some models want before a question, and before a text. */
  queryPrefix: string;
  passagePrefix: string;
}
