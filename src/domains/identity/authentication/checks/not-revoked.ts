import type { Check } from "../grant.ts";

export const notRevoked: Check = ({ token }) => (token.revokedAt === null ? null : "revoked");
