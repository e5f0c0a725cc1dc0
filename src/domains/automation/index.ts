import type { ValuesOf } from "../../platform/settings/index.ts";
import type { Engines, OpenSlice, SliceSpec } from "../../registry/slice.ts";
import type { AgentServices } from "../agent/index.ts";
import type { AGENT_SETTINGS } from "../agent/settings.ts";
import type { BiServices } from "../bi/index.ts";
import {
  DATASET_CHANGED,
  type DataServices,
  datasetChanged,
  QUERY_RUN_ENDED,
  queryRunEnded,
} from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import { AlertChecks } from "./alert-checks.ts";
import { AlertsStore } from "./alerts.store.ts";
import { Alerts } from "./alerts.ts";
import type { AutomationServices } from "./define.ts";
import { DeliveryFailures } from "./delivery-failures.ts";
import { alertKind, reportKind } from "./kinds.ts";
import { sweepEndpoints } from "./recipients.ts";
import { ReportRuns } from "./reports/report-runs.ts";
import { ReportsStore } from "./reports/reports.store.ts";
import { Reports } from "./reports/reports.ts";
import { createAlert } from "./tools/create-alert.tool.ts";
import { createReport } from "./tools/create-report.tool.ts";
import { listAlerts } from "./tools/list-alerts.tool.ts";
import { listChannels } from "./tools/list-channels.tool.ts";
import { listDeliveries } from "./tools/list-deliveries.tool.ts";
import { listReports } from "./tools/list-reports.tool.ts";
import { removeChannel } from "./tools/remove-channel.tool.ts";
import { retryDelivery } from "./tools/retry-delivery.tool.ts";
import { setChannel } from "./tools/set-channel.tool.ts";
import { testAlert } from "./tools/test-alert.tool.ts";
import { updateAlert } from "./tools/update-alert.tool.ts";
import { updateReport } from "./tools/update-report.tool.ts";

export type { AutomationServices } from "./define.ts";

interface Before {
  identity: Pick<Identity, "callerFor" | "users" | "workspaces">;
  data: Pick<DataServices, "data" | "queries" | "queriesStore" | "runs">;
  agent: Pick<AgentServices, "preferences">;
  bi: Pick<BiServices, "boards" | "exports" | "insights" | "modelSources">;
}

type Settings = ValuesOf<typeof AGENT_SETTINGS>;

/** Events of other slices that alerts react to. */
export const WATCHED_EVENTS: readonly string[] = [DATASET_CHANGED, QUERY_RUN_ENDED];

/** The dataset that an event is about, if it is one that alerts look at. */
async function datasetOfEvent(
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
  { identity, data, agent: { preferences }, bi: { boards, exports, insights, modelSources } }: Before,
  { agent: { timeZone } }: Settings,
): OpenSlice<AutomationServices> {
  const alertsStore = new AlertsStore(catalog, schedules, clock);
  const evaluation = { ...data, clock };
  const alerts = new Alerts({ ...evaluation, store: alertsStore, deliveries, preferences, timeZone });
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
  const { assets } = registry;
  const reportsStore = new ReportsStore(catalog, schedules, clock);
  const reports = new Reports({
    ...{ boards, modelSources, deliveries, preferences, timeZone, clock },
    store: reportsStore,
    data: data.data,
  });
  const deliveryFailures = new DeliveryFailures({
    catalog,
    deliveries,
    identity,
    data,
    alertsStore,
    reportsStore,
    appUrl,
  });
  const reportRuns = new ReportRuns({
    catalog,
    store: reportsStore,
    jobs,
    schedules,
    deliveries,
    identity,
    boards,
    exports,
    insights,
    deliveryFailures,
    assets,
    appUrl,
    clock,
    log,
  });
  const react = async (topic: string, payload: unknown): Promise<void> => {
    const datasetId = await datasetOfEvent(data, topic, payload);
    if (datasetId !== null) await alertChecks.react(datasetId);
    if (topic === QUERY_RUN_ENDED) await deliveryFailures.runEnded(queryRunEnded.parse(payload));
  };
  const services = {
    react,
    alerts,
    alertsStore,
    alertChecks,
    reports,
    reportsStore,
    reportRuns,
    deliveries,
    schedules,
    assets,
  };
  const sweep = async () => {
    await alertsStore.sweep();
    await reportsStore.sweep();
    await sweepEndpoints(catalog);
  };
  return { services, sweep };
}

export const automationSlice: SliceSpec<"automation", AutomationServices, Before, Settings> = {
  name: "automation",
  open: openAutomation,
  tools: [
    createAlert,
    listAlerts,
    updateAlert,
    testAlert,
    createReport,
    updateReport,
    listReports,
    listDeliveries,
    retryDelivery,
    setChannel,
    listChannels,
    removeChannel,
  ],
  assetKinds: [alertKind, reportKind],
};
