import type { Logger } from "pino";
import { z } from "zod";
import { messageOf } from "../../kernel/errors.ts";
import type { Jobs } from "../../platform/jobs/index.ts";
import type { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import { LIMITS } from "./limits.ts";

const JOB = "dataset.compact";
/** Datasets that one sweep finds; the next one finds the others. */
const SWEPT_DATASETS = 100;
/** Datasets whose pushes are counted; beyond that the sweep finds them. */
const COUNTED_DATASETS = 10_000;

const jobData = z.strictObject({ workspaceId: z.int(), datasetId: z.int() });

/** Puts small parts together in the background: whoever pushes does not wait for it. */
export class Compaction {
  readonly #parts: { datasets: DatasetsStore; jobs: Jobs; log: Logger };
  /** Pushes in this process since the last time. */
  readonly #pushes = new Map<number, number>();

  constructor(parts: { datasets: DatasetsStore; jobs: Jobs; log: Logger }) {
    this.#parts = parts;
  }

  begin(data: Data): void {
    const { datasets, jobs } = this.#parts;
    jobs.define(
      JOB,
      jobData,
      async ({ workspaceId, datasetId }, { signal }) => {
        // Each time one part takes the place of many, so this ends.
        for (let isMerged = true; isMerged; ) {
          const dataset = await datasets.find(workspaceId, datasetId);
          isMerged = dataset !== undefined && (await data.compact(dataset, signal));
        }
      },
      { concurrency: LIMITS.data.compactions, onStop: "abort" },
    );
  }

  /** A push: enough of them are reason to look. */
  note({ id, workspaceId }: Dataset): void {
    const pushes = (this.#pushes.get(id) ?? 0) + 1;
    if (pushes < LIMITS.data.smallParts) {
      if (this.#pushes.size >= COUNTED_DATASETS) this.#pushes.clear();
      this.#pushes.set(id, pushes);
      return;
    }
    this.#pushes.delete(id);
    this.#enqueue(workspaceId, id).catch((error: unknown) =>
      this.#parts.log.warn({ dataset: id, reason: messageOf(error) }, "small parts wait for the next sweep"),
    );
  }

  /** Catches up on pushes of other processes, or of this one before its restart. */
  async sweep(): Promise<void> {
    const scattered = await this.#parts.datasets.scattered(SWEPT_DATASETS);
    for (const { id, workspaceId } of scattered) await this.#enqueue(workspaceId, id);
  }

  async #enqueue(workspaceId: number, datasetId: number): Promise<void> {
    const options = { singletonKey: String(datasetId), group: String(workspaceId) };
    await this.#parts.jobs.enqueue(JOB, { workspaceId, datasetId }, options);
  }
}
