import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { AppError } from "../../kernel/errors.ts";
import type { HttpEnv } from "../http/app.ts";
import { Metrics } from "./metrics.ts";
import { mountOps } from "./ops.route.ts";

test("what is wrong with the database is told to the log, not to whoever asks", async () => {
  const app = new Hono<HttpEnv>();
  const log = { warn: vi.fn() };
  const error = new AppError("unavailable", "cannot use the server at db.internal, port 5432");
  const checkReady = vi.fn().mockRejectedValueOnce(error).mockResolvedValue(undefined);
  mountOps(app, { metrics: new Metrics(), metricsToken: null, version: "1", checkReady, log });
  const answer = await app.request("/api/health/ready");
  expect(answer.status).toBe(503);
  expect(await answer.text()).not.toContain("db.internal");
  expect(log.warn).toHaveBeenCalledWith({ err: error }, "not ready");
  expect((await app.request("/api/health/ready")).status).toBe(200);
});
