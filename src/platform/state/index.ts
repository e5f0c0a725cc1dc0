export { createMemoryState } from "./memory-state.ts";
export { createRateLimits, type RateLimit, type RateSubject } from "./rate-limits.ts";
export { createRedisState } from "./redis-state.ts";
export type {
  KeyValueState,
  RateLimiter,
  RateRule,
  SharedState,
} from "./shared-state.ts";
