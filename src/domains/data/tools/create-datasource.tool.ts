import { z } from "zod";
import { describeTypes } from "../connectors/index.ts";
import { defineTool } from "../define.ts";

const name = z.string().describe("Name for the datasource");
const port = z.int().optional().describe("Database port");
const text = (about: string) => z.string().max(4_096).optional().describe(about);

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
        host: text("Database host; for restapi and csv the whole URL"),
        port,
        dbName: text("Database name; for sqlite and duckdb the path of the file"),
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
    "Stores a connection to a database, REST API, CSV URL or file, for create_query. It is tried at once and the answer says whether it works; it is stored either way, unless connection_test is require. Passwords, tokens, values of headers and of URL parameters are encrypted and never shown again.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    name,
    type: z.string().describe(`One of ${describeTypes()}`),
    host: text("Host; for restapi and csv the whole URL"),
    port,
    database: text("Database; for sqlite and duckdb the path of the file"),
    user: text("User name"),
    password: text("Password"),
    token: text("Token of a web service"),
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "More settings of the type. Databases: tls (disable, prefer, require, verify-full), ca. restapi, csv: headers, auth ({kind: bearer | header | query | basic, name, user}). restapi: method, resultPath, paging",
      ),
    connection_test: z.enum(["report", "require", "skip"]).default("report"),
    replace: z
      .boolean()
      .default(false)
      .describe("Change the datasource of that name: all settings and secrets become those given now"),
  }),
  output: z.object({
    datasource_id: z.int(),
    name: z.string(),
    type: z.string(),
    connection: z
      .object({ ok: z.boolean(), message: z.string(), server_version: z.string().optional() })
      .nullable(),
  }),

  async run({ database, user, connection_test, ...wish }, { datasources, caller, signal }) {
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
      },
      signal,
    );
    return { datasource_id: datasource.id, name: datasource.name, type: datasource.type, connection };
  },
});
