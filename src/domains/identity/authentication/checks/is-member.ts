import type { Check } from "../grant.ts";

/** A token outlives its owner's membership in the table, but not in power. */
export const isMember: Check = ({ owner }) => (owner.membership === null ? "not_a_member" : null);
