import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { accessOf, defineTool, QUERY_ACCESS } from "../define.ts";

/** No policy holds in a foreign database, so who may query it is said of the whole of it. */
export const setDatasourceAccess = defineTool({
  name: "set_datasource_access",
  toolset: "admin",
  title: "Set who may query a datasource",
  description:
    "Who may write and run queries on a datasource, and browse it, beside admins: all contributors (as at first), those of some groups, or nobody. Policies of the datasets that its queries fill do not hold in it.",
  permission: "admin",
  effect: "write",
  input: z.strictObject({
    datasource_id: z.int(),
    query_access: z.enum(QUERY_ACCESS),
    groups: z.array(z.int()).max(100).optional().describe("With query_access groups: their ids"),
  }),
  output: z.object({
    datasource_id: z.int(),
    query_access: z.enum(QUERY_ACCESS),
    groups: z.array(z.int()),
  }),

  async run({ datasource_id, query_access, groups = [] }, { datasources, datasourcesStore, caller }) {
    const datasource = await datasources.require(caller, datasource_id);
    if ((query_access === "groups") !== groups.length > 0)
      throw new AppError("bad_request", "groups are given with query_access groups, and only then.");
    const queryGroups = query_access === "contributors" ? null : [...new Set(groups)];
    const changed = await datasourcesStore.setQueryGroups(datasource, queryGroups);
    return { datasource_id, ...accessOf(changed) };
  },
});
