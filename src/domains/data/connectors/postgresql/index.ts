export { PG_DIALECTS } from "./pg-dialects.ts";
export { createPostgresqlConnector } from "./postgresql-connector.ts";
