import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../registry/caller.ts";
import { dashboards } from "./bi.tables.ts";
import type { DashboardAccess } from "./shapes.ts";

/** The part of a dashboard that decides who may do what with it. */
export interface Guarded {
  workspaceId: number;
  createdBy: number | null;
  access: DashboardAccess;
}

/** The one check of who may see or change a dashboard and its widgets; a widget without a dashboard is everybody's. */
export function may(
  caller: Caller,
  { workspaceId, createdBy, access }: Guarded,
  verb: "read" | "write",
): boolean {
  if (workspaceId !== caller.workspace.id || !caller.permissions.includes(`bi:${verb}`)) return false;
  if (createdBy === caller.user.id || caller.role === "admin") return true;
  const { shared, groups = [] } = access;
  if (groups.length > 0 && !groups.some((id) => caller.groups.includes(id))) return false;
  return shared === "edit" || (shared === "view" && verb === "read");
}

/** Who may say who else sees and changes it: otherwise somebody it is shared with could lock out the others. */
export function mayShare({ user, role }: Caller, { createdBy }: Pick<Guarded, "createdBy">): boolean {
  return createdBy === user.id || role === "admin";
}

/** The same as `may(…, "read")`, for lists. */
export function visibleTo({ workspace, user, role, groups }: Caller): SQL | undefined {
  const own = and(eq(dashboards.workspaceId, workspace.id), isNull(dashboards.deletedAt));
  if (role === "admin") return own;
  const ofGroups = sql`coalesce(${dashboards.access}->'groups', '[]'::jsonb)`;
  const mine = sql`${JSON.stringify(groups)}::jsonb`;
  const inGroup = sql`(${ofGroups} = '[]'::jsonb OR EXISTS (SELECT 1 FROM jsonb_array_elements(${ofGroups}) g WHERE ${mine} @> g))`;
  const shared = and(sql`${dashboards.access}->>'shared' <> 'private'`, inGroup);
  return and(own, or(eq(dashboards.createdBy, user.id), shared));
}
