import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/app/config.ts";
import { examine } from "../../src/app/doctor.ts";
import { LIMITS } from "../../src/kernel/limits.ts";
import { mountFixtures } from "../contracts/fixtures.ts";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { callOf, PATHS, rpc } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";

/** What an operator, and whoever shares a workspace with somebody in a hurry, counts on. */

const lines: Record<string, unknown>[] = [];

const output = new Writable({
  write(text, _encoding, done) {
    for (const line of String(text).trim().split("\n")) lines.push(JSON.parse(line));
    done();
  },
});
const server = await serverOfFile({ extend: mountFixtures, log: pino({ level: "warn" }, output) });
const token = await server.token();
const rows = Array.from({ length: 4_000 }, (_, n) => ({ n, text: `row number ${n}` }));
const dataset = await makeDataset(server, token, "Some rows", rows);

async function refusedInFlight(): Promise<number> {
  const metrics = await (await server.request("/metrics")).text();
  return Number(/^kenning_refused_total\{gate="in_flight"\} (\d+)$/m.exec(metrics)?.[1]);
}

const logged = (message: string) => lines.filter(({ msg }) => msg === message);

describe("a person with too many requests at once", () => {
  it("is refused before they are read, others are not, and the log says who", async () => {
    const { inFlightPerUser } = LIMITS.request;
    const before = await refusedInFlight();
    const wait = () => callOf(server, PATHS.all, "fixture_wait", { ms: 3_000 }, { token });
    const calls = Array.from({ length: inFlightPerUser + 20 }, wait);
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(answers.length - refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    const other = await server.token({ role: "viewer" });
    expect((await callOf(server, PATHS.all, "whoami", {}, { token: other })).status).toBe(200);
    expect((await callOf(server, PATHS.all, "whoami", {}, { token })).status).toBe(200);
    const told = logged("callers are being refused");
    expect(told).toMatchObject([
      {
        callers: [{ workspace: "acme", user: "admin-1@example.com", gate: "in_flight", reason: "in_flight" }],
      },
    ]);
    expect((await refusedInFlight()) - before).toBe(refused.length);
  });
});

describe("a large export", () => {
  it("is a link that needs no token, and a resource for whoever asked", async () => {
    const args = { dataset_id: dataset, format: "csv" };
    const file = await resultOf<Record<string, string>>(server, token, "export_data", args);
    expect(file).toMatchObject({ rows: 4_000, truncated: false, bytes: expect.any(Number) });
    expect(file).not.toHaveProperty("content_base64");
    const link = new URL(file.download_url ?? "");
    const answer = await server.request(link.pathname);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="Some rows.csv"/);
    const text = await answer.text();
    expect(text.split("\r\n")).toHaveLength(4_002);
    const { body } = await rpc(server, PATHS.all, "resources/read", {
      token,
      params: { uri: file.file_uri },
    });
    expect(body.result?.contents).toMatchObject([{ text }]);
    const other = await server.token();
    const foreign = await rpc(server, PATHS.all, "resources/read", {
      token: other,
      params: { uri: file.file_uri },
    });
    expect(foreign.body.error).toBeDefined();
    // A forged ticket, and a right that was taken away.
    const forged = `${link.pathname.slice(0, -4)}AAAA`;
    expect((await server.request(forged)).status).toBe(404);
    await server.app.identity.users.disable("admin-1@example.com");
    expect((await server.request(link.pathname)).status).toBe(403);
    await server.app.identity.users.enable("admin-1@example.com");
  });
});

describe("the audit log", () => {
  it("says which token read a dataset, and from where", async () => {
    await resultOf(server, token, "get_data", { dataset_id: dataset, limit: 1 });
    await server.app.identity.audit.flush();
    const { events } = await resultOf<{ events: Record<string, unknown>[] }>(
      server,
      token,
      "list_audit_events",
      { dataset_id: dataset },
    );
    const tools = events.map(({ resource_id }) => resource_id);
    expect(new Set(tools)).toEqual(new Set(["get_data", "export_data", "push_data"]));
    expect(events[0]).toMatchObject({
      dataset_ids: [dataset],
      token_id: expect.any(Number),
      address: expect.stringContaining("127.0.0.1"),
    });
  });
});

describe("kenning doctor --deep", () => {
  it("finds files that are not what was written", async () => {
    const env = { KENNING_HOME: server.home, DATABASE_URL: server.databaseUrl, PORT: "0" };
    const config = loadConfig({ env, cwd: server.home });
    const files = async () => (await examine(config, { isDeep: true })).find(({ name }) => name === "files");
    expect(await files()).toMatchObject({ status: "ok", message: expect.stringMatching(/^All \d+ files/) });
    const folder = join(server.home, "blobs/parts");
    const path = join(folder, readdirSync(folder)[0] ?? "");
    const good = readFileSync(path);
    writeFileSync(path, Buffer.concat([good.subarray(0, -1), Buffer.from([(good.at(-1) ?? 0) ^ 1])]));
    expect(await files()).toMatchObject({ status: "fail", advice: expect.stringContaining("Some rows") });
    writeFileSync(path, good);
  });
});

describe("requests through a proxy that is not trusted", () => {
  it("are told to the log and to the doctor", async () => {
    await server.request("/api/health/live", { headers: { "x-forwarded-for": "203.0.113.9" } });
    await expect.poll(() => logged.length).toBeGreaterThan(0);
    expect(lines.filter(({ msg }) => String(msg).includes("proxy"))).toMatchObject([{ proxy: "127.0.0.1" }]);
    const find = async (trusted: string) => {
      const env = {
        KENNING_HOME: server.home,
        DATABASE_URL: server.databaseUrl,
        PORT: "0",
        KENNING_TRUSTED_PROXIES: trusted,
      };
      const found = await examine(loadConfig({ env, cwd: server.home }));
      return found.find(({ name }) => name === "proxy")?.status;
    };
    expect(await find("")).toBe("warn");
    expect(await find("loopback")).toBe("ok");
  });
});
