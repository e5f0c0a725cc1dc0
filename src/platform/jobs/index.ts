export type { EnqueueOptions, JobContext, JobHandler, JobOptions, JobStatus } from "./job-options.ts";
export { Jobs } from "./jobs.ts";
export type { Progress } from "./progress.ts";
