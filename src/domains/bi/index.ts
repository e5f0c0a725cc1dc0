import { join } from "node:path";
import { AppError } from "../../kernel/errors.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { AgentServices } from "../agent/index.ts";
import { countRows, type DataServices, rowQuery } from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import type { ModelsServices } from "../models/index.ts";
import { BoardsStore } from "./boards.store.ts";
import { Boards } from "./boards.ts";
import type { BiServices } from "./define.ts";
import { EffectiveViewers } from "./effective-viewers.ts";
import { Embeds, EmbedsStore } from "./embeds.ts";
import { Documents } from "./export/documents.ts";
import { AuditedExports } from "./export/exports.ts";
import { ExportLinks } from "./export/links.ts";
import { InsightFinder } from "./insights/insights.ts";
import { dashboardKind, widgetKind } from "./kinds.ts";
import { ModelSources } from "./query/model-source.ts";
import { planOf } from "./query/plan.ts";
import { NO_FILTERS, Sources } from "./query/source.ts";
import type { Filter, WidgetSpec } from "./shapes.ts";
import { createDashboard } from "./tools/create-dashboard.tool.ts";
import { createWidget } from "./tools/create-widget.tool.ts";
import { exportDashboard } from "./tools/export-dashboard.tool.ts";
import { findWidget } from "./tools/find-widget.tool.ts";
import { getEmbedUrl } from "./tools/get-embed-url.tool.ts";
import { getInsights } from "./tools/get-insights.tool.ts";
import { layoutDashboard } from "./tools/layout-dashboard.tool.ts";
import { listDashboardFilters } from "./tools/list-dashboard-filters.tool.ts";
import { listDashboards } from "./tools/list-dashboards.tool.ts";
import { listEmbeds } from "./tools/list-embeds.tool.ts";
import { previewWidget } from "./tools/preview-widget.tool.ts";
import { revokeEmbed } from "./tools/revoke-embed.tool.ts";
import { updateDashboard } from "./tools/update-dashboard.tool.ts";
import { updateWidget } from "./tools/update-widget.tool.ts";
import { Views } from "./views.ts";

export type { Dashboard, Widget } from "./boards.store.ts";
export type { BiServices } from "./define.ts";
export { ticketWish } from "./embeds.ts";
export { untitled } from "./export/exports.ts";
export { EXPORT_FORMATS, type ExportFormat } from "./export/links.ts";
export type { Chosen } from "./query/source.ts";
export { roomFor, type ShownFilter, type ShownWidget, type ToDraw } from "./views.ts";

interface Before {
  identity: Pick<Identity, "callerFor" | "audit">;
  data: Pick<DataServices, "data" | "datasets">;
  models: Pick<ModelsServices, "models" | "modelsStore">;
  agent: Pick<AgentServices, "modelTables">;
}

function hasParameter(filters: readonly Filter[]): boolean {
  return filters.some(({ value }) => [value].flat().some((one) => /\$c9_\w+\$/.test(String(one))));
}

function assertText({ text = "" }: Pick<WidgetSpec, "text">): void {
  if (text.trim() === "")
    throw new AppError("bad_request", "A card of text needs options.text.", {
      hint: "Markdown is understood.",
    });
}

export const biSlice: SliceSpec<"bi", BiServices, Before> = {
  name: "bi",
  open(
    { catalog, clock, drawings, vault, appUrl, home, log },
    { identity, data: { data, datasets }, models, agent },
  ) {
    const sources = new Sources({ data, clock });
    const modelSources = new ModelSources({ ...models, ...agent, clock });
    const viewers = new EffectiveViewers({ identity, modelSources });
    const store = new BoardsStore(catalog, clock);
    const boards = new Boards(store, async (caller, { datasetId, spec }) => {
      if (spec.chart === "text") return assertText(spec);
      if (spec.model !== undefined) return modelSources.check(caller, spec);
      if (datasetId === null)
        throw new AppError("bad_request", "A widget needs a dataset_id, or a model in its options.");
      // Parameters have no values here, and a query with some is looked at when it runs; its filters come before it.
      const isAsked = spec.c9ql !== undefined && /\$c9_\w+\$/.test(spec.c9ql);
      const { c9ql: _, ...filtered } = spec;
      const source = await sources.open(caller, datasetId, isAsked ? filtered : spec, NO_FILTERS);
      if (!isAsked) planOf(spec, source);
      if (spec.filters.length > 0 && !hasParameter(spec.filters))
        await source.read(rowQuery({ select: [["n", countRows()]] }), 1);
    });
    const insights = new InsightFinder({ sources, viewers, clock });
    const views = new Views({ viewers, sources, insights, modelSources, drawings, clock });
    const { fontFolders } = drawings;
    const documents = new Documents({ log, tempFolder: join(home, "documents"), fontFolders });
    const parts = { boards, views, drawings, documents, clock };
    const exports = new AuditedExports(parts, identity.audit);
    const exportLinks = new ExportLinks(vault, clock, appUrl);
    const embedsStore = new EmbedsStore(catalog, clock);
    const embeds = new Embeds({ store: embedsStore, boards, identity, vault, clock, appUrl });
    const services = {
      boards,
      viewers,
      sources,
      modelSources,
      views,
      exports,
      exportLinks,
      embeds,
      insights,
      data,
      datasets,
      appUrl,
    };
    return { services, sweep: () => store.sweep(), close: () => documents.close() };
  },
  tools: [
    listDashboards,
    createDashboard,
    updateDashboard,
    findWidget,
    createWidget,
    updateWidget,
    listDashboardFilters,
    previewWidget,
    layoutDashboard,
    exportDashboard,
    getInsights,
    getEmbedUrl,
    listEmbeds,
    revokeEmbed,
  ],
  assetKinds: [dashboardKind, widgetKind],
};
