import { z } from "zod";
import { describeMainTypes, describeTypes } from "../connectors/index.ts";
import { defineTool } from "../define.ts";

const name = z.string().describe("Name for the datasource");
const port = z.int().optional().describe("Database port");
const text = (about?: string) => {
  const value = z.string().max(4_096).optional();
  return about === undefined ? value : value.describe(about);
};

const CONTRACT_NAMES = { dbName: "dbName", dbUser: "dbUser", password: "dbPassword" };

/** Stores how to reach a database or web service. Secrets are sealed, and never come back. */
export const createDatasource = defineTool({
  name: "create_datasource",
  toolset: "datasources",
  wire: {
    bi: {
      name: "knowi_create_datasource",
      description: "Create a new datasource connection.",
      input: z.strictObject({
        name,
        datasourceType: z.string().describe(`Type: ${describeTypes()}`),
        host: text("Database host; for restapi and csv the whole URL; snowflake: the account"),
        port,
        dbName: text(
          "Database name; sqlite, duckdb: the path of the file; bigquery: project.dataset; trino: catalog.schema",
        ),
        dbUser: text("Database username"),
        dbPassword: text("Database password"),
      }),
      adapt: (args: {
        name: string;
        datasourceType: string;
        host?: string;
        port?: number;
        dbName?: string;
        dbUser?: string;
        dbPassword?: string;
      }) => ({
        name: args.name,
        type: args.datasourceType,
        host: args.host,
        port: args.port,
        database: args.dbName,
        user: args.dbUser,
        password: args.dbPassword,
      }),
    },
  },
  title: "Create a datasource",
  description:
    "Connects a database or web API for create_query. Stored even if the test fails, unless connection_test is require.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    name: z.string(),
    type: z.string().describe(describeMainTypes()),
    host: text("or URL; snowflake: account"),
    port: z.int().optional(),
    database: text("or file path; bigquery: project.dataset; trino: catalog.schema"),
    user: text(),
    password: text(),
    token: text(),
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("tls, ca, headers, auth {kind: bearer|header|query|basic, name, user}, method, paging"),
    connection_test: z.enum(["report", "require", "skip"]).default("report"),
    replace: z.boolean().default(false).describe("Change the one of that name"),
  }),
  output: z.object({
    datasource_id: z.int(),
    name: z.string(),
    type: z.string(),
    connection: z
      .object({ ok: z.boolean(), message: z.string(), server_version: z.string().optional() })
      .nullable(),
  }),

  async run({ database, user, connection_test, ...wish }, { datasources, caller, signal, meta }) {
    const { host, port, ...rest } = wish;
    const { datasource, connection } = await datasources.create(
      caller,
      {
        ...rest,
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(database !== undefined && { dbName: database }),
        ...(user !== undefined && { dbUser: user }),
        connectionTest: connection_test,
        ...(meta.surface === "bi" && { calls: CONTRACT_NAMES }),
      },
      signal,
    );
    return { datasource_id: datasource.id, name: datasource.name, type: datasource.type, connection };
  },
});
