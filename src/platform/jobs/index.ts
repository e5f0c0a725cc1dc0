export type { JobContext, JobStatus } from "./job-options.ts";
export { Jobs } from "./jobs.ts";
