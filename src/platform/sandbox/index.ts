export { type Account, accountOf } from "./accounts.ts";
export { guiltOf, hasDied } from "./call-errors.ts";
export { incidentError, isEngineBug } from "./incident.ts";
export { ProcessPool } from "./process-pool.ts";
export { createSandbox } from "./sandbox.ts";
export type { CallOptions, Sandbox, SandboxOptions, SandboxWalls } from "./sandbox-options.ts";
export type { SandboxLog } from "./sandbox-process.ts";
export { serve, type WorkerContext } from "./worker-channel.ts";
