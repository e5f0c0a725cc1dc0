import { Hono } from "hono";
import { expect, test } from "vitest";
import { browserGuard } from "./browser-guard.ts";

const app = new Hono();
const allowedHosts = ["any.example", "one.example:8319", "usual.example:443", "[fd00::1]:8319"];
app.use(browserGuard({ appUrl: "https://kenning.example.com", allowedHosts, allowedOrigins: [] }));
app.get("/", (c) => c.text("in"));

test.each([
  ["kenning.example.com", 200],
  ["any.example", 200],
  ["any.example:1", 200],
  ["one.example:8319", 200],
  ["ONE.example:8319", 200],
  ["one.example", 403],
  ["one.example:8320", 403],
  ["usual.example", 200],
  ["usual.example:81", 403],
  ["[fd00::1]:8319", 200],
  ["[fd00::1]", 403],
  ["evil.example", 403],
])("Host %s: %d", async (host, status) => {
  expect((await app.request("/", { headers: { host } })).status).toBe(status);
});
