import type { Check } from "../grant.ts";

export const accountEnabled: Check = ({ owner }) =>
  owner.account.disabledAt === null ? null : "account_disabled";
