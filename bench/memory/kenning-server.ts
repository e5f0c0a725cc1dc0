import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";
import { EmbeddedServer } from "../../src/platform/catalog/embedded.ts";
import { MINILM_FINGERPRINT } from "../../src/platform/embeddings/model-files.ts";

const DIMENSIONS = 384;

/** Kenning on a PostgreSQL as it starts for itself; makes workspaces, and tells when all memories have vectors. */
const home = mkdtempSync(join(tmpdir(), "kenning-bench-memory-"));
// As root the database runs as another user, who must be able to pass.
chmodSync(home, 0o711);
const log = pino({ level: "warn" });
const database = await EmbeddedServer.open({ home: join(home, "database"), log });
const { user, password, host, database: name } = database.endpoint;
const databaseUrl = `postgresql://${user}:${password}@${encodeURIComponent(host)}/${name}`;
const env = {
  PORT: "0",
  KENNING_HOME: join(home, "kenning"),
  DATABASE_URL: databaseUrl,
  RATE_LIMIT_ENABLED: "false",
};
const app = await compose(loadConfig({ env, cwd: home }), { log });
const { url } = await app.listen();
const client = new pg.Client(databaseUrl);
await client.connect();

async function workspace(slug: string): Promise<{ token: string }> {
  await app.identity.workspaces.create({ slug });
  const email = `${slug}@example.com`;
  await app.identity.users.create({ email, workspace: slug, role: "admin", password: "bench bench bench" });
  return { token: (await app.identity.tokens.create({ email, workspace: slug, kind: "api" })).token };
}

async function embedded(): Promise<{ ms: number }> {
  const started = performance.now();
  for (;;) {
    const { rows } = await client.query<{ missing: number }>(`
      select count(*)::int as missing from memory_versions v
      left join memory_vectors x on x.version_id = v.id where x.version_id is null`);
    if (rows[0]?.missing === 0) return { ms: performance.now() - started };
    await sleep(500);
  }
}

/** From now on memories get vectors that say nothing when they are stored: a model takes hours for a million of them. */
async function madeUp(): Promise<{ ms: number }> {
  await client.query(`
    create function made_up_vector() returns trigger language plpgsql as $$ begin
      insert into memory_vectors (version_id, fingerprint, vector)
      select new.id, '${MINILM_FINGERPRINT}', string_agg(decode(md5(random()::text), 'hex'), '')
      from generate_series(1, ${DIMENSIONS / 16});
      return new;
    end $$;
    create trigger made_up_vector after insert on memory_versions for each row execute function made_up_vector()`);
  return { ms: 0 };
}

process.send?.({ url, databaseUrl, home: env.KENNING_HOME });
process.on("message", async (message: string) => {
  const [word, rest = ""] = message.split(" ");
  if (word === "workspace") process.send?.(await workspace(rest));
  else if (word === "embedded") process.send?.(await embedded());
  else if (word === "made-up") process.send?.(await madeUp());
  else {
    await client.end();
    await app.close();
    await database.close();
    rmSync(home, { recursive: true, force: true });
    process.exit(0);
  }
});
