import type { Check } from "../grant.ts";
import { accountEnabled } from "./account-enabled.ts";
import { audienceFits } from "./audience-fits.ts";
import { isMember } from "./is-member.ts";
import { kindFitsSurface } from "./kind-fits-surface.ts";
import { notExpired } from "./not-expired.ts";
import { notRevoked } from "./not-revoked.ts";
import { workspaceFits } from "./workspace-fits.ts";

/** Everything a token that we know must pass, in this order. */
export const CHECKS: readonly Check[] = [
  notRevoked,
  notExpired,
  accountEnabled,
  isMember,
  kindFitsSurface,
  audienceFits,
  workspaceFits,
];
