import type { ValuesOf } from "../../platform/settings/index.ts";
import type { Engines, OpenSlice, SliceSpec } from "../../registry/slice.ts";
import type { AgentServices } from "../agent/index.ts";
import type { AGENT_SETTINGS } from "../agent/settings.ts";
import {
  DATASET_CHANGED,
  type DataServices,
  datasetChanged,
  QUERY_RUN_ENDED,
  queryRunEnded,
} from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import { AlertChecks } from "./alert-checks.ts";
import { alertKind } from "./alert-kind.ts";
import { AlertsStore } from "./alerts.store.ts";
import { Alerts } from "./alerts.ts";
import type { AutomationServices } from "./define.ts";
import { createAlert } from "./tools/create-alert.tool.ts";
import { listAlerts } from "./tools/list-alerts.tool.ts";
import { listDeliveries } from "./tools/list-deliveries.tool.ts";
import { retryDelivery } from "./tools/retry-delivery.tool.ts";
import { testAlert } from "./tools/test-alert.tool.ts";
import { updateAlert } from "./tools/update-alert.tool.ts";

export type { AutomationServices } from "./define.ts";

interface Before {
  identity: Pick<Identity, "callerFor">;
  data: Pick<DataServices, "data" | "queries" | "queriesStore" | "runs">;
  agent: Pick<AgentServices, "preferences">;
}

type Settings = ValuesOf<typeof AGENT_SETTINGS>;

/** What happens in other slices that alerts look at. */
export const WATCHED_EVENTS: readonly string[] = [DATASET_CHANGED, QUERY_RUN_ENDED];

/** The dataset that an event is about, if it is one that alerts look at. */
export async function datasetOfEvent(
  { queriesStore }: Pick<DataServices, "queriesStore">,
  topic: string,
  payload: unknown,
): Promise<number | null> {
  if (topic === DATASET_CHANGED) return datasetChanged.parse(payload).datasetId;
  const { workspaceId, queryId } = queryRunEnded.parse(payload);
  return (await queriesStore.find(workspaceId, queryId))?.datasetId ?? null;
}

function openAutomation(
  { catalog, schedules, deliveries, jobs, registry, appUrl, clock, log }: Engines,
  { identity, data, agent: { preferences } }: Before,
  { agent: { timeZone } }: Settings,
): OpenSlice<AutomationServices> {
  const alertsStore = new AlertsStore(catalog, schedules, clock);
  const evaluation = { ...data, clock };
  const alerts = new Alerts({ ...evaluation, store: alertsStore, preferences, timeZone });
  const alertChecks = new AlertChecks({
    ...evaluation,
    catalog,
    store: alertsStore,
    jobs,
    schedules,
    deliveries,
    identity,
    appUrl,
    log,
  });
  const services = { alerts, alertsStore, alertChecks, deliveries, schedules, assets: registry.assets };
  return { services, sweep: () => alertsStore.sweep() };
}

export const automationSlice: SliceSpec<"automation", AutomationServices, Before, Settings> = {
  name: "automation",
  open: openAutomation,
  tools: [createAlert, listAlerts, updateAlert, testAlert, listDeliveries, retryDelivery],
  assetKinds: [alertKind],
};
