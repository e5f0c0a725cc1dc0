import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { AppError } from "../../kernel/errors.ts";
import type { HttpEnv } from "../http/app.ts";
import { Metrics } from "./metrics.ts";
import { mountOps } from "./ops.route.ts";

test("what is wrong is told to the log; whoever asks hears what a check says of it", async () => {
  const app = new Hono<HttpEnv>();
  const log = { warn: vi.fn() };
  const error = new AppError("unavailable", "cannot use the server at db.internal, port 5432");
  const database = vi.fn().mockRejectedValueOnce(error).mockResolvedValue(undefined);
  const disk = vi.fn().mockResolvedValueOnce("The disk is full.").mockResolvedValue(undefined);
  const readinessChecks = [
    { name: "database", check: database },
    { name: "disk", check: disk },
  ];
  mountOps(app, { metrics: new Metrics(), metricsToken: null, version: "1", readinessChecks, log });
  // Those who ask at the same time cost no more than one.
  const [answer] = await Promise.all([1, 2, 3].map(() => app.request("/api/health/ready")));
  expect(database).toHaveBeenCalledTimes(1);
  expect(answer?.status).toBe(503);
  expect(await answer?.json()).toEqual({
    status: "unavailable",
    version: "1",
    message: "The database does not answer. The disk is full.",
    problems: [
      { name: "database", message: "The database does not answer." },
      { name: "disk", message: "The disk is full." },
    ],
  });
  expect(log.warn).toHaveBeenCalledWith({ check: "database", err: error }, "not ready");
  await expect.poll(async () => (await app.request("/api/health/ready")).status).toBe(200);
});
