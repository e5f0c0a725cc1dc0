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
  output: z.object({ dataset_id: z.int(), policies: z.array(datasetPolicy) }),

  async run({ dataset_id, policies }, { data, caller }) {
    const dataset = await data.setPolicies(caller, dataset_id, policies);
    return { dataset_id, policies: [...dataset.policies] };
  },
});
