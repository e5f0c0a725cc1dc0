import type { AssetKind } from "../../registry/asset-kind.ts";
import { type AutomationServices, alertsOf } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { looksAfter } from "./owner.ts";

type Parts = Pick<AutomationServices, "alerts" | "alertsStore" | "schedules">;

/** Alerts, as tools that span slices see them. */
export function alertKind({ alerts, alertsStore, schedules }: Parts): AssetKind {
  return {
    name: "alert",
    idsFrom: "list_alerts",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await alertsStore.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const alert = await alerts.require(caller, id);
      const [[shown], events, sees, seesAll] = await Promise.all([
        alertsOf({ alerts, schedules }, caller, [alert]),
        alertsStore.events(id, LIMITS.alerts.listed),
        alerts.sees(caller, alert),
        alerts.seesAll(caller, alert),
      ]);
      const history = events.map(({ at, happening, rows, summary }) => {
        const isTold = seesAll || (sees && looksAfter(caller, alert, at));
        return {
          at: at.toISOString(),
          happening,
          rows: isTold ? rows : null,
          summary: isTold ? summary : null,
        };
      });
      return { ...shown, id, name: alert.name, condition: sees ? alert.condition : null, history };
    },

    async delete(caller, id) {
      await alerts.assertMayChange(caller, await alerts.require(caller, id));
      await alertsStore.remove(caller.workspace.id, id);
    },
    restore: (caller, id) => alertsStore.restore(caller, id, (alert) => alerts.sees(caller, alert)),
    search: (workspaceId) => alertsStore.searchTexts(workspaceId),
  };
}
