export {
  type EnqueueOptions,
  type JobContext,
  type JobHandler,
  type JobOptions,
  type JobStatus,
  Jobs,
} from "./jobs.ts";
export type { Progress } from "./progress.ts";
