import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Identity } from "../identity/index.ts";

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
