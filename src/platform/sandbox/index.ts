export { type OsUser, type OsUserKind, osUserOf } from "./os-users.ts";
export { createSandbox } from "./sandbox.ts";
export { crashAttribution, incidentError, isEngineBug, isProcessLost } from "./sandbox-errors.ts";
export type { CallOptions, Sandbox, SandboxOptions, SandboxWalls } from "./sandbox-options.ts";
export type { SandboxLog } from "./sandbox-process.ts";
export { serve, type WorkerContext } from "./worker-channel.ts";
