import type { Check } from "../grant.ts";

/**
 * A token made for a resource is good there only; one made for the server itself is good everywhere.
 * Compared exactly: the address of one endpoint is the beginning of others'.
 */
export const audienceFits: Check = ({ token }, { proof, appUrl }) =>
  token.audience === null || token.audience.includes(proof.resource) || token.audience.includes(appUrl)
    ? null
    : "wrong_audience";
