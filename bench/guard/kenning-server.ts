import pg from "pg";
import { pino } from "pino";
import { compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";

/** Kenning as it is started, on the home that it is given; counts what it asks its database. */
let roundTrips = 0;
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: unknown[]) {
    roundTrips += 1;
    return query.apply(this, args);
  },
});

const home = process.env.KENNING_HOME ?? "";
const config = loadConfig({ env: { PORT: "0", KENNING_HOME: home, RATE_LIMIT_ENABLED: "false" }, cwd: home });
const app = await compose(config, { log: pino({ level: "warn" }) });
const { url } = await app.listen();
process.send?.({ url });
process.on("message", async (message) => {
  if (message === "count") process.send?.({ roundTrips });
  if (message !== "stop") return;
  await app.close();
  process.exit(0);
});
