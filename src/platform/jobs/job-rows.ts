import type { Catalog } from "../catalog/index.ts";

/** What is asked of the rows of jobs that pg-boss has no call for. */

/** One try of a job, as whoever works on it sees it. */
export interface JobTry {
  id: string;
  name: string;
  data: unknown;
  /** 0 for the first try. */
  retryCount: number;
  retryLimit: number;
  groupId?: string | null | undefined;
  /** Aborts when it takes too long. */
  signal: AbortSignal;
}

interface JobRow {
  id: string;
  state: string;
  retryCount: number;
}

export async function jobRows(
  catalog: Catalog,
  names: readonly string[],
  ids: readonly string[],
): Promise<Map<string, JobRow>> {
  const { rows } = await catalog.pool.query<JobRow>(
    'SELECT id, state, retry_count AS "retryCount" FROM pgboss.job WHERE name = ANY($1) AND id = ANY($2::uuid[])',
    [names, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Takes this one job if it waits and is due; what a worker does with the next one of its queue. */
export async function claimJob(
  catalog: Catalog,
  name: string,
  id: string,
): Promise<Omit<JobTry, "signal"> | undefined> {
  const { rows } = await catalog.pool.query<Omit<JobTry, "signal">>(
    `UPDATE pgboss.job SET state = 'active', started_on = now(), heartbeat_on = now(),
       retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END
     WHERE name = $1 AND id = $2::uuid AND state < 'active' AND start_after <= now()
     RETURNING id, name, data, retry_count AS "retryCount", retry_limit AS "retryLimit"`,
    [name, id],
  );
  return rows[0];
}

/** How long a job that was given back waits: until whoever had it has let go of it for certain. */
const HANDED_BACK_SECONDS = 2;

/** Gives a job back as if it had never begun, so that the try does not count. False when it is no longer ours. */
export async function handBackJob(
  catalog: Catalog,
  { name, id, retryCount }: Pick<JobTry, "name" | "id" | "retryCount">,
): Promise<boolean> {
  const { rowCount } = await catalog.pool.query(
    `UPDATE pgboss.job SET state = 'created', started_on = NULL, heartbeat_on = NULL,
       start_after = now() + $4 * interval '1s'
     WHERE name = $1 AND id = $2::uuid AND state = 'active' AND retry_count = $3`,
    [name, id, retryCount, HANDED_BACK_SECONDS],
  );
  return (rowCount ?? 0) > 0;
}
