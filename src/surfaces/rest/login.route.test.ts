import { pino } from "pino";
import { expect, test } from "vitest";
import { APP_URL, openTestIdentity } from "../../../test/support/identity.ts";
import { MS } from "../../kernel/time.ts";
import { createHttpApp } from "../http/app.ts";
import { mountLogin } from "./login.route.ts";

test("rubbish counts as an attempt, and who failed too often is refused", async () => {
  const failedAttempts = { points: 2, windowMs: MS.minute };
  await using world = await openTestIdentity({ rateLimits: { failedAttempts } });
  const { identity } = world;
  const options = { appUrl: APP_URL, allowedHosts: [], allowedOrigins: [], trustedProxies: [] };
  const quiet = { log: pino({ level: "silent" }), observe: () => {} };
  const app = createHttpApp({ ...options, ...quiet }, (http) => mountLogin(http, identity));
  const login = (body: string) =>
    app.request("/api/2.0/login", { method: "POST", body, headers: { host: "localhost" } });
  const good = await identity.clients.create({ email: "viewer@acme.test", workspace: "acme" });

  expect((await login(JSON.stringify(good))).status).toBe(200);
  expect((await login("{")).status).toBe(400);
  expect((await login(JSON.stringify({ ...good, padding: "x".repeat(5_000) }))).status).toBe(413);
  expect((await login('{"clientId":1}')).status).toBe(400);
  expect((await login("{")).status).toBe(429);
  expect((await login(JSON.stringify({ ...good, clientSecret: "a guess" }))).status).toBe(429);
  // Whoever has a good secret comes in, whatever others behind the address send.
  expect((await login(JSON.stringify(good))).status).toBe(200);
});
