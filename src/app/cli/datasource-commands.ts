import { type Command, defineCommand } from "./command.ts";
import { JSON_OPTION, WORKSPACE } from "./common-options.ts";

/** Commands about datasources and the queries on them. */
export const DATASOURCE_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "datasource test",
    summary: "Try the connection of a datasource",
    args: { datasource: "Its name or its id" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: ["The exit code is 1 when the connection does not work."],
    run: async (input, terminal) => (await import("./datasource.ts")).testDatasource(input, terminal),
  }),
  defineCommand({
    name: "datasource access",
    summary: "Say who may query a datasource beside admins",
    args: { datasource: "Its name or its id" },
    options: {
      workspace: WORKSPACE,
      contributors: { description: "All contributors, as at first" },
      groups: { value: "A,B", description: "Contributors of these groups" },
      admins: { description: "Nobody else" },
    },
    notes: ["Policies of datasets do not hold in a datasource that their rows come from."],
    run: async (input, terminal) => (await import("./datasource.ts")).setAccess(input, terminal),
  }),
  defineCommand({
    name: "query run",
    summary: "Run a query and wait for its end",
    args: { query: "Its name or its id" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: ["The server need not run. The exit code is 1 when the run fails."],
    run: async (input, terminal) => (await import("./query.ts")).runQuery(input, terminal),
  }),
];
