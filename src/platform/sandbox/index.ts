export { type Account, accountOf } from "./accounts.ts";
export { hasDied } from "./call-errors.ts";
export { incidentError } from "./incident.ts";
export { createSandbox } from "./sandbox.ts";
export type { CallOptions, Sandbox, SandboxOptions, SandboxWalls } from "./sandbox-options.ts";
export type { SandboxLog } from "./sandbox-process.ts";
export { serve, type WorkerContext } from "./worker-channel.ts";
