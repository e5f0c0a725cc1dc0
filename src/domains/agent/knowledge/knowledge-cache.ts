import { createHash } from "node:crypto";
import { AsyncLruCache } from "../../../kernel/async-lru-cache.ts";
import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError } from "../../../kernel/errors.ts";
import { timeLimit } from "../../../kernel/time.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { ModelsServices, PublishedModel } from "../../models/index.ts";
import { LIMITS } from "../limits.ts";
import type { DataPeriod } from "../query/schema.ts";
import type { FieldValues, Knowledge } from "./build-knowledge.ts";
import type { KnowledgeThreads } from "./knowledge-threads.ts";
import { type FieldProfile, readProfiles } from "./read-profiles.ts";
import { readPeriods, readValues, unlessTooMuch } from "./read-values.ts";

/** Datasets whose values are read at once. */
const AT_ONCE = 4;
/** How often it is tried to read values that do not change meanwhile. */
const TRIES = 3;

type Models = ModelsServices["models"];
type SeenRows = Awaited<ReturnType<Models["seeRows"]>>;

/** What was found in the rows themselves. */
interface Looked {
  values: FieldValues[];
  periods: DataPeriod[];
  /** Only where nobody has said what the names mean: of an author's model, the author knows more than they tell. */
  profiles: FieldProfile[];
}

/**
 * What is known about models, for each that sees something else of them. Values are read with the rights of whoever
 * asks and kept under a key that names exactly the rows and columns behind them, so nobody is given values of rows
 * that are hidden from them, and changed rows are read again.
 */
export class KnowledgeCache {
  readonly #models: Models;
  readonly #threads: KnowledgeThreads;
  readonly #known = new AsyncLruCache(LIMITS.agent.keptModels);
  readonly #values = new AsyncLruCache(LIMITS.agent.keptDatasets);

  constructor(models: Models, threads: KnowledgeThreads) {
    this.#models = models;
    this.#threads = threads;
  }

  async get(caller: Caller, published: PublishedModel): Promise<Knowledge> {
    const workspace = String(caller.workspace.id);
    for (let tries = 1; ; tries += 1) {
      const seen = await this.#models.seeRows(caller, published);
      try {
        return await this.#known.get(modelKey(seen), async () => {
          const { values, periods, profiles } = await this.#read(caller, published, seen);
          const { model, refreshedAt, live } = seen;
          const { schema, definitions } = await this.#threads.build({ model, values }, workspace);
          const known = { model, schema: { ...schema, periods }, definitions, values, refreshedAt, live };
          return profiles.length === 0 ? known : { ...known, profiles };
        });
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile) || tries === TRIES) throw error;
      }
    }
  }

  async #read(caller: Caller, published: PublishedModel, { model, rows, live }: SeenRows): Promise<Looked> {
    // Others may wait for the same values, so they are read to the end whether this caller goes away or not.
    const signal = timeLimit(LIMITS.agent.totalMs, "Reading the values");
    const ms = LIMITS.agent.queryMs;
    const isInferred = model.isInferred === true;
    const all = await mapBounded(model.datasets, AT_ONCE, (dataset) => {
      const key = rows.get(dataset.name) ?? "";
      const fields = dataset.fields.map(({ name }) => name);
      return this.#values.get(JSON.stringify([model.id, dataset.name, fields, key]), async () => {
        const query = (sql: string, most: number) =>
          this.#models.query(caller, published, { sql, signal, rows: most, ms });
        // Whoever asks of a live table should not make its database read all of it for its words.
        const isLive = live.has(dataset.name);
        const sampled = (sql: string, most: number) =>
          this.#models.query(caller, published, { sql, signal, rows: most, ms, isSampled: isLive });
        const looked = {
          values: await readValues(dataset, sampled),
          periods: await readPeriods(dataset, query),
          profiles: isInferred
            ? await readProfiles(dataset, (sql, most) => sampled(sql, most).catch(unlessTooMuch))
            : [],
        };
        const again = await this.#models.seeRows(caller, published);
        if (again.rows.get(dataset.name) !== key) throw new ChangedMeanwhile();
        return looked;
      });
    });
    const values = all.flatMap((looked) => looked.values);
    return {
      values: within(values, LIMITS.agent.values),
      periods: all.flatMap(({ periods }) => periods),
      profiles: all.flatMap(({ profiles }) => profiles),
    };
  }
}

/** What was read under one key may belong to another by now, and must not be kept under it. */
class ChangedMeanwhile extends AppError {
  constructor() {
    super("unavailable", "The data changed again and again while they were looked at.", {
      hint: "Ask again in a moment.",
    });
  }
}

/** The rows say which columns there are, and the version what is said of them; fields may be hidden by name. */
function modelKey({ model, rows }: SeenRows): string {
  const fields = model.datasets.map(({ fields }) => fields.map(({ name }) => name));
  const seen = [model.id, model.version, [...rows], fields];
  return createHash("sha256").update(JSON.stringify(seen)).digest("base64url");
}

/** As many values as there is room for. */
function within(fields: readonly FieldValues[], most: number): FieldValues[] {
  let room = most;
  return fields.map((field) => {
    const values = field.values.slice(0, room);
    room -= values.length;
    return { ...field, values, isCut: field.isCut || values.length < field.values.length };
  });
}
