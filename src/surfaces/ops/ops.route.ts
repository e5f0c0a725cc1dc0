import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { Logger } from "pino";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { Metrics } from "./metrics.ts";
import { Readiness, type ReadinessCheck } from "./readiness.ts";

export interface OpsParts {
  metrics: Metrics;
  metricsToken: string | null;
  version: string;
  readinessChecks: readonly ReadinessCheck[];
  log: Pick<Logger, "warn">;
}

const LOOPBACK = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];

export function mountOps(
  app: HttpApp,
  { metrics, metricsToken, version, readinessChecks, log }: OpsParts,
): void {
  const readiness = new Readiness(readinessChecks, log);
  app.get("/api/health/live", (c) => c.json({ status: "ok", version }));

  app.get("/api/health/ready", async (c) => {
    const problems = await readiness.problems();
    if (problems.length === 0) return c.json({ status: "ok", version });
    const message = problems.map((problem) => problem.message).join(" ");
    return c.json({ status: "unavailable", version, message, problems }, 503);
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
