export { type AddressPolicy, createAddressPolicy } from "./address-policy.ts";
export type { Resolve, ResolvedAddress } from "./guarded-connector.ts";
export {
  createGuardedFetch,
  type Download,
  type FetchedAnswer,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "./guarded-fetch.ts";
