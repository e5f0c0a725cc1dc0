import { z } from "zod";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { runOf, runShape, visibleRun, visibleSentence } from "../queries.ts";
import { isActive } from "../runs/query-runs.store.ts";
import { refreshWish, ruleOf } from "./set-refresh.tool.ts";

const name = z.string().describe("Name for the query");
const runNow = z.boolean().default(true).describe("Execute the query immediately (default: true)");
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A question to a datasource, whose answer becomes a dataset of the query's name. */
export const createQuery = defineTool({
  name: "create_query",
  toolset: "datasources",
  wire: {
    bi: {
      name: "knowi_create_query",
      description: "Create a query against a datasource. Its result becomes a dataset of the query's name.",
      input: z.strictObject({
        name,
        datasourceId: z.int().describe("Datasource to query against"),
        queryString: z.string().describe("The query to execute (SQL, native query, etc.)"),
        runNow,
      }),
      adapt: (args: { name: string; datasourceId: number; queryString: string; runNow: boolean }) => ({
        name: args.name,
        datasource_id: args.datasourceId,
        query: args.queryString,
        run_now: args.runNow,
      }),
    },
  },
  title: "Create a query",
  description:
    "Stores a query on a datasource and runs it: its result becomes the dataset of its name. SQL may only read; restapi: a path such as /orders?x=1, or C9QL; mongodb: db.orders.find({…}); elasticsearch: SQL or {index, query}.",
  permission: "bi:write",
  effect: "write",
  timeoutMs: LIMITS.queries.waitMs + KERNEL.call.defaultTimeoutMs,
  input: z.strictObject({
    name: z.string().describe("Of query and dataset"),
    datasource_id: z.int(),
    query: z.string().describe("A parameter is :name in SQL, {name} in a restapi path"),
    c9ql: z.string().optional().describe("Applied to the result, as: select a, sum(b) group by a"),
    parameters: z
      .record(z.string(), z.unknown().pipe(z.union([scalar, z.array(scalar)])))
      .optional()
      .describe("Values, or lists, by name; each must stand in the query"),
    run_now: runNow,
    replace: z.boolean().default(false).describe("Change that query"),
    refresh: z.unknown().pipe(refreshWish).optional().describe("As set_refresh takes it"),
  }),
  output: z.object({
    query_id: z.int(),
    name: z.string(),
    dataset_id: z.int().nullable(),
    run: runShape.nullable(),
    message: z.string(),
  }),

  async run(args, { queries, queriesStore, runs, refresh, caller, signal, client, say }) {
    const { name, datasource_id: datasourceId, query: queryText, c9ql, parameters, replace } = args;
    const wish = { name, datasourceId, queryText, c9ql, parameters, replace };
    const rule = args.refresh && ruleOf(args.refresh);
    const made = await queries.create(caller, wish);
    const next = rule === undefined ? undefined : await refresh.set(caller, made, rule);
    const query = rule === undefined ? made : await queries.require(caller, made.id);
    const soon = next == null ? "" : ` It runs by itself, next at ${next.toISOString()}.`;
    const stored = { query_id: query.id, name: query.name };
    const taken = query.queryText === queryText ? "" : "The query was taken for C9QL on the rows that come. ";
    if (!args.run_now)
      return {
        ...stored,
        dataset_id: query.datasetId,
        run: null,
        message: taken + say("Stored; run it with {tool:run}.") + soon,
      };
    const before = await queries.view(caller, query);
    const { run: begun, isNew } = await runs.start(caller, query);
    const onRows = (rows: number) => client.progress(rows, { message: `${rows} rows` });
    const waitMs = LIMITS.queries.waitMs;
    const run = await runs.waitFor(begun, { waitMs, signal, ...(before.rows && { onRows }) });
    const after = (isActive(run) ? query : await queriesStore.find(caller.workspace.id, query.id)) ?? query;
    const view = await queries.view(caller, after);
    const old = isNew ? "" : "An earlier run was still under way; run it again to see the change. ";
    return {
      ...stored,
      dataset_id: after.datasetId,
      run: runOf(visibleRun(run, view)),
      message: taken + old + say(visibleSentence(run, query.name, view)) + soon,
    };
  },
});
