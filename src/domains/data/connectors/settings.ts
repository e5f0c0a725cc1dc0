import { isIP } from "node:net";
import { z } from "zod";
import { LIMITS as FETCH } from "../../../platform/guarded-fetch/limits.ts";
import { LIMITS } from "../limits.ts";
import { TLS_MODES } from "./guarded-socket.ts";

/** Names of hosts, and addresses; no paths (those would be sockets of this machine) and no URLs. */
const host = z
  .string()
  .trim()
  .transform((text) => text.replace(/^\[(.*)\]$/, "$1"))
  .refine((text) => /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})$/.test(text) || isIP(text) !== 0, {
    error: "must be a host name or an address, without protocol, port or path",
  })
  .describe("Host name or address of the server");

const name = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\0]*$/);

const server = {
  host,
  user: name.describe("User name on the server"),
  tls: z
    .enum(TLS_MODES)
    .default("prefer")
    .describe(
      "disable; prefer: encrypted if the server can; require: encrypted or not at all; verify-full: also check the certificate",
    ),
  ca: z.string().max(100_000).optional().describe("Certificate authority in PEM, for verify-full"),
};

export const serverSettings = (port: number) =>
  z.strictObject({
    ...server,
    port: z.int().min(1).max(65_535).default(port),
    database: name.optional().describe("Name of the database"),
  });

export const fileSettings = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .regex(/^[^\0]*$/)
    .describe("Path of the file on the server that runs Kenning, inside a folder that its operator allows"),
});

const url = z
  .string()
  .min(1)
  .max(FETCH.fetch.urlCharacters)
  .describe("Address in full, such as https://example.com/orders");

const headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/),
    z
      .string()
      .max(4_096)
      .regex(/^[^\r\n\0]*$/),
  )
  .refine((fields) => Object.keys(fields).length <= 50, { error: "must be at most 50" })
  .describe("Headers that are sent with each request; their values are sealed");

const auth = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none") }),
    z.strictObject({ kind: z.literal("bearer") }),
    z.strictObject({ kind: z.literal("basic"), user: name }),
    z.strictObject({ kind: z.literal("header"), name: z.string().regex(/^[A-Za-z0-9-]{1,100}$/) }),
    z.strictObject({ kind: z.literal("query"), name: z.string().min(1).max(100) }),
  ])
  .describe("How the secret is sent: bearer, header and query use the token, basic the password");

export const mongodbSettings = z.strictObject({
  ...server,
  user: name.optional().describe("User name on the server"),
  port: z.int().min(1).max(65_535).default(27_017),
  database: name.describe("Name of the database"),
  srv: z.boolean().default(false).describe("The host is a name of mongodb+srv, as Atlas gives it"),
  authSource: name.optional().describe("The database that the user belongs to, admin if left out"),
});

export type MongodbSettings = z.infer<typeof mongodbSettings>;

/** A database that is asked by HTTP. */
export const databaseApiSettings = z.strictObject({
  url,
  database: name.optional().describe("Name of the database"),
  headers: headers.default({}),
  auth: auth.default({ kind: "none" }),
});

export type DatabaseApiSettings = z.infer<typeof databaseApiSettings>;

export const snowflakeSettings = databaseApiSettings.extend({
  warehouse: name.optional(),
  role: name.optional(),
  schema: name.optional(),
});

export type SnowflakeSettings = z.infer<typeof snowflakeSettings>;

export const bigquerySettings = databaseApiSettings.extend({
  location: name.optional().describe("Where the data are, such as EU"),
  dataset: name.optional().describe("The dataset of tables without one"),
});

export type BigquerySettings = z.infer<typeof bigquerySettings>;

const delimiter = z.string().length(1).describe("Sign between two values; found out by itself if left out");
const encoding = z
  .string()
  .max(50)
  .refine(isEncoding, { error: "must be the name of an encoding, such as windows-1252" })
  .describe("Such as windows-1252; found out by itself if left out");

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

/** Options that are left out are detected, as in files that are imported. */
const csvFormat = {
  delimiter: delimiter.optional(),
  encoding: encoding.optional(),
  header: z.boolean().optional().describe("Whether the first line has names"),
  decimal: z.enum([".", ","]).optional().describe("Mark before decimals"),
};

export const csvSettings = z.strictObject({
  url,
  headers: headers.default({}),
  auth: auth.default({ kind: "none" }),
  ...csvFormat,
});

export type CsvSettings = z.infer<typeof csvSettings>;

const parameter = z.string().min(1).max(100);
const size = z.int().min(1).max(100_000);
const jsonPath = z.string().min(1).max(500);

const paging = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none") }),
    z.strictObject({
      kind: z.literal("page"),
      parameter: parameter.default("page"),
      first: z.int().min(0).max(1).default(1),
      sizeParameter: parameter.optional(),
      size: size.optional(),
    }),
    z.strictObject({
      kind: z.literal("offset"),
      parameter: parameter.default("offset"),
      sizeParameter: parameter.default("limit"),
      size: size.default(100),
    }),
    z.strictObject({ kind: z.literal("next"), path: jsonPath }),
    z.strictObject({ kind: z.literal("cursor"), path: jsonPath, parameter: parameter.default("cursor") }),
    z.strictObject({ kind: z.literal("link") }),
  ])
  .describe(
    "How to get the next page: page number, offset and limit, a URL (next) or token (cursor) in the answer, or the Link header",
  );

export const restSettings = z.strictObject({
  url,
  method: z.enum(["GET", "POST"]).default("GET"),
  headers: headers.default({}),
  auth: auth.default({ kind: "none" }),
  format: z.enum(["auto", "json", "csv"]).default("auto"),
  resultPath: jsonPath.optional().describe('Where the rows are in the answer, such as "data.items"'),
  paging: paging.default({ kind: "none" }),
  maxPages: z.int().min(1).max(LIMITS.datasources.pages).default(LIMITS.datasources.pages),
  ...csvFormat,
});

export type RestSettings = z.infer<typeof restSettings>;
export type Paging = RestSettings["paging"];
export type Auth = RestSettings["auth"];
