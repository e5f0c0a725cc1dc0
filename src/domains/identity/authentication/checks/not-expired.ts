import type { Check } from "../grant.ts";

/** The moment of expiry itself is already too late. */
export const notExpired: Check = ({ token }, { now }) =>
  token.expiresAt === null || now.getTime() < token.expiresAt.getTime() ? null : "expired";
