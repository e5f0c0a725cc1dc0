import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { Logger } from "pino";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { Metrics } from "./metrics.ts";

export interface OpsParts {
  metrics: Metrics;
  metricsToken: string | null;
  version: string;
  /** Throws when the server cannot serve. */
  checkReady: () => Promise<void>;
  log: Pick<Logger, "warn">;
}

const LOOPBACK = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];

export function mountOps(app: HttpApp, { metrics, metricsToken, version, checkReady, log }: OpsParts): void {
  app.get("/api/health/live", (c) => c.json({ status: "ok", version }));

  app.get("/api/health/ready", async (c) => {
    try {
      await checkReady();
      return c.json({ status: "ok", version });
    } catch (error) {
      // Anybody may ask, so where the database is stays in the log.
      log.warn({ err: error }, "not ready");
      return c.json({ status: "unavailable", version, message: "The database cannot be reached." }, 503);
    }
  });

  app.get("/metrics", async (c) => {
    if (!mayReadMetrics(c, metricsToken)) {
      return c.json(
        { error: "forbidden", message: "Metrics are for this machine, or with KENNING_METRICS_TOKEN." },
        403,
      );
    }
    return c.body(await metrics.text(), 200, { "content-type": metrics.contentType });
  });
}

/** With a token: whoever has it. Without: only this machine itself, and not through a proxy. */
function mayReadMetrics(c: Context<HttpEnv>, token: string | null): boolean {
  if (token === null) {
    const connection = c.env?.incoming?.socket?.remoteAddress ?? "";
    return LOOPBACK.includes(connection) && c.req.header("x-forwarded-for") === undefined;
  }
  const given = Buffer.from(c.req.header("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
