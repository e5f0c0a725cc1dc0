export type { Resolve, ResolvedAddress } from "./guarded-connector.ts";
export {
  createGuardedFetch,
  type Download,
  type FetchedAnswer,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "./guarded-fetch.ts";
export { type AddressPolicy, createAddressPolicy } from "./url-policy.ts";
