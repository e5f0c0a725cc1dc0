import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Identity } from "../identity/index.ts";

interface Owned {
  workspaceId: number;
  ownerId: number | null;
}

/** The owner of an alert or report, with the rights that they have now. */
export async function ownerOf(
  identity: Pick<Identity, "callerFor">,
  { workspaceId, ownerId }: Owned,
  noun: "alert" | "report",
): Promise<Caller> {
  const gone = new AppError(
    "forbidden",
    `The owner of this ${noun} is gone, or may no longer read datasets.`,
    { hint: `Whoever changes the ${noun} becomes its owner.` },
  );
  if (ownerId === null) throw gone;
  const caller = await identity.callerFor({ workspaceId, userId: ownerId }).catch((error: unknown) => {
    throw isAppError(error) && error.code === "forbidden" ? gone : error;
  });
  if (caller.permissions.includes("bi:read")) return caller;
  throw gone;
}
