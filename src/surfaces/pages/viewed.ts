import type { Context } from "hono";
import { audited, type Identity } from "../../domains/identity/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { HttpEnv } from "../http/app.ts";

/** Shows a dashboard, or one widget of it, and writes down who looked at it; of an embed nobody knows who. */
export function viewed<T>(
  c: Context<HttpEnv>,
  { audit }: Pick<Identity, "audit">,
  { caller, dashboard }: { caller: Caller; dashboard: { id: number } | null },
  show: () => Promise<T>,
): Promise<T> {
  const { publicId, widget } = c.req.param() as { publicId?: string; widget?: string };
  const resourceType = publicId === undefined ? "dashboard" : "embed";
  const access = {
    caller,
    action: `${resourceType}.view`,
    resourceType,
    resourceId: publicId ?? String(dashboard?.id),
    address: c.get("address"),
    isAnonymous: publicId !== undefined,
    metadata: { dashboard: dashboard?.id, widget },
  };
  return audited(audit, access, show);
}
