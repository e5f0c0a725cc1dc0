import { z } from "zod";
import type { Connector, TableName } from "../connectors/connector.ts";
import { columnShape, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** What there is to query. For those who may write queries: nobody's policies hold in a foreign database. */
export const browseDatasource = defineTool({
  name: "browse_datasource",
  toolset: "datasources",
  title: "Browse a datasource",
  description:
    "The tables and views of a datasource, or the columns of one of them. Use it before create_query.",
  permission: "bi:write",
  effect: "read",
  input: z.strictObject({
    datasource_id: z.int(),
    table: z.string().min(1).max(500).optional().describe("Columns of this table"),
    schema: z.string().min(1).max(500).optional().describe("Schema of that table, or only tables in it"),
    query: z.string().max(200).optional().describe("Part of a table's name"),
    limit: z.int().min(1).max(LIMITS.datasources.tables).default(200),
  }),
  output: z.object({
    total: z.int(),
    tables: z
      .array(z.object({ schema: z.string().optional(), name: z.string(), kind: z.enum(["table", "view"]) }))
      .optional(),
    columns: z.array(columnShape).optional(),
  }),

  async run({ datasource_id, table, schema, query = "", limit }, { datasources, caller, signal }) {
    const datasource = await datasources.require(caller, datasource_id);
    return datasources.connect(caller, datasource, async (connector) => {
      if (table !== undefined) {
        const named =
          schema === undefined ? await tableCalled(connector, table, signal) : { name: table, schema };
        const columns = await connector.columns(named, signal);
        return { total: columns.length, columns };
      }
      const part = query.toLowerCase();
      const tables = (await connector.tables(signal))
        .filter((each) => schema === undefined || each.schema === schema)
        .filter(({ name }) => name.toLowerCase().includes(part));
      return { total: tables.length, tables: tables.slice(0, limit) };
    });
  },
});

/** People write `schema.table`; a table may have a point in its own name, too. */
async function tableCalled(
  connector: Pick<Connector, "tables">,
  written: string,
  signal: AbortSignal,
): Promise<TableName> {
  const tables = written.includes(".") ? await connector.tables(signal) : [];
  if (tables.some(({ name }) => name === written)) return { name: written };
  const meant = tables.find(({ schema, name }) => `${schema}.${name}` === written);
  return meant === undefined ? { name: written } : { name: meant.name, schema: meant.schema as string };
}
