import { randomBytes } from "node:crypto";
import { extname, join } from "node:path";
import { AppError } from "../../../kernel/errors.ts";
import { WorkerPool } from "../../../platform/workers/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { Data } from "../../data/index.ts";
import type { ChunksStore } from "../chunks.store.ts";
import type { DocumentsStore, FoundDocument } from "../documents.store.ts";
import type { Knowledge } from "../knowledge.ts";
import { LIMITS } from "../limits.ts";
import { type Field, parseFields } from "./field.ts";
import type { FindRequest, FoundValue } from "./find-values.ts";

export interface Extraction {
  fields: string;
  prompt?: string | undefined;
  documentIds?: readonly number[] | undefined;
  /** 1 to 20: how much of each document is looked through. */
  depth: number;
  datasetName?: string | undefined;
}

export interface ExtractionParts {
  knowledge: Knowledge;
  documents: DocumentsStore;
  chunks: ChunksStore;
  data: Pick<Data, "push">;
}

const MODULE = join(import.meta.dirname, `extraction-worker${extname(import.meta.filename)}`);
const COLUMN_TYPES = { number: true, money: true, percent: true } as Readonly<Record<string, true>>;

/** Rows of what documents say in their labels, forms and tables. */
export class Extractions {
  readonly #parts: ExtractionParts;
  readonly #pool = new WorkerPool<FindRequest, FoundValue[]>({
    noun: "document",
    nouns: "documents",
    hint: "Ask for fewer fields, or a smaller depth.",
    module: MODULE,
    workers: 2,
    waiting: 16,
    memoryMb: 512,
    timeoutMs: LIMITS.knowledge.extractionMs,
  });

  constructor(parts: ExtractionParts) {
    this.#parts = parts;
  }

  async extract(caller: Caller, wish: Extraction, signal: AbortSignal) {
    const fields = parseFields(wish.fields, wish.prompt ?? "");
    const documents = await this.#documents(caller, wish.documentIds);
    const found: { document: FoundDocument; values: FoundValue[] }[] = [];
    for (const document of documents) {
      signal.throwIfAborted();
      const places = await this.#parts.chunks.placesOf(
        document.id,
        wish.depth * LIMITS.knowledge.passagesPerDepth,
      );
      const value = { fields, places, name: document.name, prompt: wish.prompt ?? "" };
      const values = await this.#pool.ask(String(caller.workspace.id), signal, () => ({ value }));
      found.push({ document, values });
    }
    const name = wish.datasetName?.trim() || madeUpName();
    const rows = found.map(({ document, values }) => rowOf(document, fields, values));
    const dataset = await this.#parts.data.push(caller, name, rows, signal);
    const empty = found.filter(({ values }) => values.every(({ value }) => value === null)).length;
    return {
      dataset_id: dataset.id,
      dataset_name: dataset.name,
      columns: dataset.columns.map(({ name: column, type }) => ({ name: column, type })),
      rows: rows.length,
      documents: found.slice(0, LIMITS.knowledge.shownExtractions).map(({ document, values }) => ({
        document_id: document.id,
        document: document.name,
        values,
      })),
      notes: empty === 0 ? [] : [`In ${empty} of ${rows.length} documents none of the fields was found.`],
    };
  }

  async #documents(caller: Caller, ids: readonly number[] | undefined): Promise<FoundDocument[]> {
    const { knowledge, documents } = this.#parts;
    if (ids !== undefined && ids.length > 0)
      return Promise.all([...new Set(ids)].map((id) => knowledge.requireDocument(caller, id)));
    const most = LIMITS.knowledge.extractedDocuments;
    const { total, items } = await documents.list(caller, { limit: most, offset: 0 });
    if (total > most)
      throw new AppError("too_large", `There are more than ${most} documents.`, { hint: "Say which ones." });
    if (total === 0) throw new AppError("not_found", "There are no documents.");
    return items;
  }
}

/** With some letters of its own: rows that are pushed to a name that is there are added to its dataset. */
function madeUpName(): string {
  const now = new Date().toISOString().slice(0, 19).replace("T", " ");
  return `Extracted ${now} ${randomBytes(3).toString("hex")}`;
}

/** A column without any value is text; numbers that are missing stay missing. */
function rowOf(
  { id, name }: FoundDocument,
  fields: readonly Field[],
  values: readonly FoundValue[],
): Record<string, string | number | null> {
  const row: Record<string, string | number | null> = { document_id: id, document: name };
  for (const [i, field] of fields.entries()) {
    const value = values[i]?.value ?? null;
    row[field.name] = COLUMN_TYPES[field.type] === true || value === null ? value : String(value);
  }
  return row;
}
