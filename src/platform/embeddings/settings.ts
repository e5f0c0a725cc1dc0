import { type SettingTree, secret, serviceUrl, text } from "../settings/index.ts";

export const EMBEDDING_SETTINGS = {
  embeddings: {
    model: text(
      "KENNING_EMBEDDINGS_MODEL",
      "The model that turns texts into vectors, instead of the bundled one, which knows English: a folder with `model.onnx` and `tokenizer.json`, or with `KENNING_EMBEDDINGS_URL` the name of a model there. Texts are embedded anew after a change.",
    ),
    url: serviceUrl(
      "KENNING_EMBEDDINGS_URL",
      ["http", "https"],
      "An endpoint for embeddings that speaks as OpenAI's does, such as `http://localhost:11434/v1`: Ollama, vLLM, Text Embeddings Inference. The texts of documents and memories are sent there.",
    ),
    key: secret("KENNING_EMBEDDINGS_KEY", 1, "The key for that endpoint."),
  },
} as const satisfies SettingTree;
