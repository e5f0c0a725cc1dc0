import type { SliceSpec } from "../../registry/slice.ts";
import type { DataServices } from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import { Binder } from "./bind/binder.ts";
import type { ModelsServices } from "./define.ts";
import { ImprovementsStore } from "./improvements.store.ts";
import { Inference } from "./infer/inference.ts";
import { draftKind, modelKind } from "./model-kind.ts";
import { ModelsStore } from "./models.store.ts";
import { type CallerFor, Models } from "./models.ts";
import { modelDatasetResource, modelResource, modelsResource } from "./resources/model.resource.ts";
import { StoredQueriesStore } from "./stored-queries.store.ts";
import { closeImprovementRequest } from "./tools/close-improvement-request.tool.ts";
import { executeQuery } from "./tools/execute-query.tool.ts";
import { executeStoredQuery } from "./tools/execute-stored-query.tool.ts";
import { getDatasets } from "./tools/get-datasets.tool.ts";
import { getSemanticModel } from "./tools/get-semantic-model.tool.ts";
import { inferSemanticModel } from "./tools/infer-semantic-model.tool.ts";
import { listImprovementRequests } from "./tools/list-improvement-requests.tool.ts";
import { listModelDrafts } from "./tools/list-model-drafts.tool.ts";
import { listSemanticModels } from "./tools/list-semantic-models.tool.ts";
import { listStoredQueries } from "./tools/list-stored-queries.tool.ts";
import { publishSemanticModel } from "./tools/publish-semantic-model.tool.ts";
import { readSemanticModel } from "./tools/read-semantic-model.tool.ts";
import { requestImprovement } from "./tools/request-improvement.tool.ts";
import { saveSemanticModel } from "./tools/save-semantic-model.tool.ts";
import { setModelPageSize } from "./tools/set-model-page-size.tool.ts";
import { updateStoredQuery } from "./tools/update-stored-query.tool.ts";

export { type Examination, examine, publishAll } from "./authoring.ts";
export type { ModelsServices } from "./define.ts";
export { diffModels, printDiff } from "./format/diff-models.ts";
export type { ModelFile } from "./format/read-models.ts";

export { buildModel } from "./infer/build-model.ts";
export { type Examined, type Inference, omissionReason, unpublished } from "./infer/inference.ts";
export { tellsYears } from "./infer/roles.ts";
export type { Problem } from "./model.ts";
export { changedResources, RESOURCE_EVENTS } from "./model-events.ts";
export type { PublishedModel } from "./models.store.ts";
export type { Adviser, QueryAnswer } from "./models.ts";
export { requireModel } from "./resources/model.resource.ts";
export type { VisibleModel } from "./visible-model.ts";

interface Before {
  identity: Pick<Identity, "callerFor">;
  data: Pick<DataServices, "data" | "datasets" | "datasources" | "live">;
}

export const modelsSlice: SliceSpec<"models", ModelsServices, Before> = {
  name: "models",
  open({ catalog, analytics, clock }, { identity, data: { data, datasets, datasources, live } }) {
    const modelsStore = new ModelsStore(catalog, clock);
    const binder = new Binder({ datasets, analytics });
    const callerFor: CallerFor = (owner) => identity.callerFor(owner);
    return {
      services: {
        models: new Models({ store: modelsStore, data, binder, analytics, callerFor }),
        modelsStore,
        storedQueries: new StoredQueriesStore(catalog, clock),
        improvements: new ImprovementsStore(catalog, clock),
        inference: new Inference({ data, datasets, analytics, datasources, live }),
      },
    };
  },
  tools: [
    listSemanticModels,
    getSemanticModel,
    getDatasets,
    executeQuery,
    executeStoredQuery,
    requestImprovement,
    inferSemanticModel,
    saveSemanticModel,
    publishSemanticModel,
    readSemanticModel,
    listModelDrafts,
    listStoredQueries,
    updateStoredQuery,
    listImprovementRequests,
    closeImprovementRequest,
    setModelPageSize,
  ],
  resources: [modelsResource, modelResource, modelDatasetResource],
  assetKinds: [modelKind, draftKind],
};
