import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Identity } from "../identity/index.ts";
import type { reports } from "./automation.tables.ts";

/** Ownership of an alert or report: decides who is told its recipients and deliveries. */
export type Tended = Pick<typeof reports.$inferSelect, "ownerId" | "ownedSince" | "webhooks" | "webhooksBy">;

/** Admins, and its owner of what has happened since it is theirs: before, it was made with another's rights. */
export function looksAfter(
  { user, role }: Caller,
  { ownerId, ownedSince }: Pick<Tended, "ownerId" | "ownedSince">,
  at?: Date,
): boolean {
  if (role === "admin") return true;
  return ownerId === user.id && (at === undefined || ownedSince === null || at >= ownedSince);
}

/** Fields that change when somebody else takes over an alert or report. */
export function takenOver(
  { user }: Caller,
  { ownerId }: Pick<Tended, "ownerId">,
  settings: Partial<Pick<Tended, "webhooks">>,
  now: Date,
): Partial<Tended> & { boundBy: readonly number[] } {
  return {
    ownerId: user.id,
    boundBy: [],
    ...(ownerId !== user.id && { ownedSince: now }),
    ...(settings.webhooks !== undefined && { webhooksBy: user.id }),
  };
}

/** Nobody takes over what shows more than they may see: its state and history would be theirs. */
export function notYours(noun: "alert" | "report"): AppError {
  const instead =
    noun === "alert"
      ? "make one of your own with {tool:create_alert}."
      : "make one of your own with {tool:create_report}.";
  const what = noun === "alert" ? "This alert looks at" : "This report shows";
  return new AppError("forbidden", `${what} what you may not see, so you cannot change it.`, {
    hint: `Its owner or an admin can change it; ${instead}`,
  });
}

interface Owned {
  workspaceId: number;
  ownerId: number | null;
  boundBy: readonly number[];
}

/** The owner of an alert or report, with the rights that they have now, within those of whoever brought it back. */
export async function ownerOf(
  identity: Pick<Identity, "callerFor">,
  { workspaceId, ownerId, boundBy }: Owned,
  noun: "alert" | "report",
): Promise<Caller> {
  const gone = (who: string) =>
    new AppError("forbidden", `${who} is gone, or may no longer read datasets.`, {
      hint: `Whoever changes the ${noun} becomes its owner.`,
    });
  const member = async (userId: number, who: string) => {
    const caller = await identity.callerFor({ workspaceId, userId }).catch((error: unknown) => {
      throw isAppError(error) && error.code === "forbidden" ? gone(who) : error;
    });
    if (caller.permissions.includes("bi:read")) return caller;
    throw gone(who);
  };
  const name = `The owner of this ${noun}`;
  if (ownerId === null) throw gone(name);
  const owner = await member(ownerId, name);
  const bounds = await Promise.all(boundBy.map((id) => member(id, `Whoever brought this ${noun} back`)));
  // What it shows is seen by its recipients, in whose place the owner looks.
  return { ...owner, standsIn: { since: null }, boundBy: bounds };
}
