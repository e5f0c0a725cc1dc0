import type { Logger } from "pino";
import { AppError } from "../../kernel/errors.ts";
import { Embeddings } from "./embeddings.ts";
import { EndpointModel } from "./endpoint-model.ts";
import { ThreadModel } from "./thread-model.ts";

export interface EmbeddingsOptions {
  /** Where the bundled model is kept in the form that it runs in. */
  folder: string;
  log: Pick<Logger, "error">;
  /** A folder of the operator's, or the name of a model behind `url`. */
  model?: string | null;
  url?: string | null;
  key?: string | null;
}

/** The model behind an endpoint, in a folder of the operator's, or the bundled one. */
export async function openEmbeddings(options: EmbeddingsOptions): Promise<Embeddings> {
  const { folder, log, model = null, url = null, key = null } = options;
  if (url !== null) {
    if (model === null)
      throw new AppError("bad_request", "KENNING_EMBEDDINGS_URL is set, and no model is named.", {
        hint: "Set KENNING_EMBEDDINGS_MODEL to the name that the endpoint knows it by.",
      });
    return new Embeddings(new EndpointModel({ url, model, key }));
  }
  if (model !== null) return new Embeddings(await ThreadModel.inFolder(model, log));
  return new Embeddings(ThreadModel.bundled(folder, log));
}
