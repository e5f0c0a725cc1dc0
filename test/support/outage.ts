import { onServer } from "./database.ts";

/** Takes one database away from everybody, and gives it back. */
export async function outage(databaseUrl: string): Promise<{ end(): Promise<void> }> {
  const name = databaseUrl.slice(databaseUrl.lastIndexOf("/") + 1);
  await onServer(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
  await onServer(`SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE datname = '${name}'`);
  await onServer(`ALTER DATABASE "${name}" RENAME TO "${name}_away"`);
  return {
    async end() {
      await onServer(`ALTER DATABASE "${name}_away" RENAME TO "${name}"`);
      await onServer(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    },
  };
}
