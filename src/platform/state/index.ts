export { createMemoryState, type MemoryStateOptions } from "./memory-state.ts";
export { createRateLimits, type RateLimit, type RateLimits, type RateSubject } from "./rate-limits.ts";
export { createRedisState } from "./redis-state.ts";
export type {
  KeyValueState,
  LockOptions,
  RateLimiter,
  RateRule,
  RateVerdict,
  SharedState,
  StateRecord,
} from "./shared-state.ts";
