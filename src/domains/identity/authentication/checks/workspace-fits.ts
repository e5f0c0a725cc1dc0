import type { Check } from "../grant.ts";

/** Compared with the token's own workspace and never looked up: an unknown slug and a foreign one are the same. */
export const workspaceFits: Check = ({ owner }, { proof }) =>
  proof.workspaceSlug === undefined || proof.workspaceSlug === owner.workspace.slug
    ? null
    : "wrong_workspace";
