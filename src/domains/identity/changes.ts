import type { IdentityChange } from "./authentication/change-listener.ts";

/** Called after a change of ours is committed, so that this process sees it before the database tells it. */
export type TellChange = (change: IdentityChange) => void;
