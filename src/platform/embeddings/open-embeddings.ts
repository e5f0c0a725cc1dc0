import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { AppError } from "../../kernel/errors.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { Embeddings } from "./embeddings.ts";
import { EndpointModel } from "./endpoint-model.ts";
import { ThreadModel } from "./thread-model.ts";

export interface EmbeddingsOptions {
  /** Where the bundled model is kept in the form that it runs in, and which model was used last. */
  folder: string;
  log: Pick<Logger, "error" | "warn">;
  /** A folder of the operator's, or the name of a model behind `url`. */
  model?: string | null;
  url?: string | null;
  key?: string | null;
}

/** Which model all texts have vectors of, as it is remembered between starts. */
interface Served {
  fingerprint: string;
  model: string | null;
  url: string | null;
}

/** The model that is set, and beside it the former one for as long as texts have only its vectors. */
export async function openEmbeddings(options: EmbeddingsOptions): Promise<Embeddings> {
  const { folder, model: name = null, url = null } = options;
  const model = await openModel(options);
  const served = readServed(folder);
  const isSame = served === undefined || served.fingerprint === model.fingerprint;
  const former = isSame ? undefined : await openFormer(options, served);
  const onSwitched = () => writeServed(folder, { fingerprint: model.fingerprint, model: name, url });
  return new Embeddings({ model, former, onSwitched });
}

/** The model behind an endpoint, in a folder of the operator's, or the bundled one. */
async function openModel(options: EmbeddingsOptions): Promise<EmbeddingModel> {
  const { folder, log, model = null, url = null, key = null } = options;
  if (url !== null) {
    if (model === null)
      throw new AppError("bad_request", "KENNING_EMBEDDINGS_URL is set, and no model is named.", {
        hint: "Set KENNING_EMBEDDINGS_MODEL to the name that the endpoint knows it by.",
      });
    return new EndpointModel({ url, model, key });
  }
  return model === null ? ThreadModel.bundled(folder, log) : await ThreadModel.inFolder(model, log);
}

async function openFormer(options: EmbeddingsOptions, served: Served): Promise<EmbeddingModel | undefined> {
  // The key is for the endpoint that is set now, and nobody else's.
  const key = served.url === options.url ? (options.key ?? null) : null;
  try {
    const former = await openModel({ ...options, ...served, key });
    return former.fingerprint === served.fingerprint ? former : undefined;
  } catch (err) {
    options.log.warn({ err }, "the former model for embeddings is gone: words alone are searched meanwhile");
    return undefined;
  }
}

function readServed(folder: string): Served | undefined {
  try {
    const served = JSON.parse(readFileSync(servedPath(folder), "utf8"));
    return typeof served?.fingerprint === "string" ? served : undefined;
  } catch {
    return undefined;
  }
}

function writeServed(folder: string, served: Served): void {
  if (readServed(folder)?.fingerprint === served.fingerprint) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const half = `${servedPath(folder)}.${process.pid}.half`;
  writeFileSync(half, JSON.stringify(served), { mode: 0o600 });
  renameSync(half, servedPath(folder));
}

function servedPath(folder: string): string {
  return join(folder, "served.json");
}
