import { z } from "zod";
import { datasetPolicy } from "../dataset.ts";
import { defineTool } from "../define.ts";

/** Row and column rules live with the dataset, so that they hold on every path to its rows. */
export const setDatasetPolicies = defineTool({
  name: "set_dataset_policies",
  toolset: "admin",
  title: "Set dataset policies",
  description:
    "Replaces the policies of a dataset. Each takes away: it hides columns (hide) and keeps rows to those that pass all filters (rows), for callers of its roles and groups (default: everybody). {attribute: name} is one of the member who asks.",
  permission: "admin",
  effect: "write",
  input: z.strictObject({
    dataset_id: z.int(),
    policies: z.array(datasetPolicy).max(50),
  }),
  output: z.object({
    dataset_id: z.int(),
    policies: z.array(datasetPolicy),
    notes: z.array(z.string()).optional(),
  }),

  async run({ dataset_id, policies }, { data, datasourcesStore, caller, say }) {
    const { source, ...dataset } = await data.setPolicies(caller, dataset_id, policies);
    const from =
      source.kind === "query" && policies.length > 0
        ? await datasourcesStore.find(caller.workspace.id, Number(source.detail?.datasourceId ?? 0))
        : undefined;
    const note =
      from?.queryGroups === null
        ? say(
            `All contributors may query ${from.name}, where these rows come from, and no policy holds there. {tool:set_datasource_access} says who may.`,
          )
        : undefined;
    return { dataset_id, policies: [...dataset.policies], ...(note !== undefined && { notes: [note] }) };
  },
});
