import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "../support/mcp.ts";
import { openCafe } from "../support/questions.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** What surrounds questions: preferences, questions back and their answers, as the rules of the house read them. */

let server: TestServer;
let admin: string;
let contributor: string;
let now = new Date("2025-03-31T12:00:00Z");

beforeAll(async () => {
  const env = { RATE_LIMIT_ENABLED: "false" };
  server = await startTestServer({ agent: { clock: { now: () => now } }, env });
  admin = await server.token();
  contributor = await server.token({ role: "contributor" });
  await openCafe(server, admin);
});
afterAll(() => server.stop());

interface Asked {
  outcome: string;
  narrative: string;
  reading: string | null;
  rows: unknown[][];
  assumptions: string[];
  questions: { question: string; suggestions: string[] }[];
}

async function ask(question: string, token = contributor): Promise<Asked> {
  const { result, error } = await callTool(server, token, "ask_question", { question });
  if (result?.isError !== false) throw new Error(JSON.stringify(result ?? error));
  return result.structuredContent as Asked;
}

const SETTINGS = "/api/user-settings";

async function settings(json?: unknown, token: string | undefined = contributor) {
  const init = json === undefined ? {} : { method: "PATCH", json };
  const response = await server.request(SETTINGS, { ...init, ...(token !== undefined && { token }) });
  return { status: response.status, body: (await response.json()) as never, headers: response.headers };
}

const NOTHING = {
  defaultTimePeriod: null,
  highValueThreshold: null,
  highValueMetric: null,
  fiscalYearStartMonth: null,
  weekStart: null,
  timeZone: null,
  preferredRegion: null,
};

beforeEach(async () => {
  now = new Date("2025-03-31T12:00:00Z");
  await settings({ defaultProvider: null, dataAgent: NOTHING });
});

describe("preferences", () => {
  it("[agent.preferences.api] are kept by PATCH, read by GET, and each member has their own", async () => {
    expect(await settings()).toMatchObject({
      status: 200,
      body: { defaultProvider: null, dataAgent: NOTHING },
    });
    const wish = { dataAgent: { defaultTimePeriod: "current_quarter", highValueThreshold: 10000 } };
    const kept = { defaultProvider: null, dataAgent: { ...NOTHING, ...wish.dataAgent } };
    expect(await settings(wish)).toMatchObject({ status: 200, body: kept });
    expect((await settings()).body).toEqual(kept);
    expect((await settings(undefined, admin)).body).toEqual({ defaultProvider: null, dataAgent: NOTHING });
    const back = { defaultProvider: "house", dataAgent: { highValueThreshold: null } };
    expect((await settings(back)).body).toEqual({
      defaultProvider: "house",
      dataAgent: { ...NOTHING, defaultTimePeriod: "current_quarter" },
    });
  });

  it("[agent.preferences.api] changes that are made at the same time are all kept", async () => {
    const wishes = [{ weekStart: "sunday" }, { timeZone: "Europe/Berlin" }, { fiscalYearStartMonth: 4 }];
    await Promise.all(wishes.map((dataAgent) => settings({ dataAgent })));
    expect((await settings()).body).toMatchObject({ dataAgent: Object.assign({}, ...wishes) });
  });

  it.for([
    [{ dataAgent: { defaultTimePeriod: "sometimes" } }, /defaultTimePeriod.*last_7_days/],
    [{ dataAgent: { highValueThreshold: -1 } }, /highValueThreshold/],
    [{ dataAgent: { highValueThreshold: "10000" } }, /highValueThreshold/],
    [{ dataAgent: { timeZone: "Mars/Olympus" } }, /timeZone.*Europe\/Berlin/],
    [{ dataAgent: { timeZone: "+02:00" } }, /timeZone/],
    [{ dataAgent: { fiscalYearStartMonth: 13 } }, /fiscalYearStartMonth/],
    [{ dataAgent: { preferredRegion: "x".repeat(200) } }, /preferredRegion/],
    [{ dataAgent: { hightValueThreshold: 1 } }, /hightValueThreshold/],
    [{ highValueThreshold: 1 }, /highValueThreshold/],
    [[], /object/i],
    [null, /object/i],
  ] as const)("what is no preference is refused: %j", async ([json, message]) => {
    const { status, body } = await settings(json);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: "bad_request", message: expect.stringMatching(message) },
    });
  });

  it("are for those who are known, and changed by those who may ask", async () => {
    const anonymous = await server.request(SETTINGS);
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get("www-authenticate")).toContain("oauth-protected-resource/api/data-agent");
    const viewer = await server.token({ role: "viewer" });
    expect((await settings(undefined, viewer)).status).toBe(200);
    expect((await settings({ dataAgent: { weekStart: "sunday" } }, viewer)).status).toBe(403);
    const readOnly = await server.token({ role: "contributor", limits: { readOnly: true } });
    expect((await settings(undefined, readOnly)).status).toBe(200);
    expect((await settings({ dataAgent: { weekStart: "sunday" } }, readOnly)).status).toBe(403);
    const memory = await server.token({ kind: "memory" });
    expect((await settings(undefined, memory)).status).toBe(403);
    expect(await settings("x".repeat(200_000))).toMatchObject({ status: 413 });
  });

  it("a page of another origin cannot ride on the session of a browser", async () => {
    const headers = { cookie: "kenning_session=x", origin: "https://evil.example" };
    const answer = await server.request(SETTINGS, { headers });
    expect(answer.status).toBe(403);
    const unknown = await server.request(SETTINGS, { headers: { cookie: "kenning_session=x" } });
    expect(unknown.status).toBe(401);
  });

  it("[agent.preferences.calendar] today is that of the member's time zone", async () => {
    now = new Date("2025-03-04T02:00:00Z");
    expect((await ask("revenue today")).rows).toEqual([[null]]);
    await settings({ dataAgent: { timeZone: "America/New_York" } });
    expect((await ask("revenue today")).rows).toEqual([[20]]);
  });

  it("[agent.preferences.calendar] weeks and fiscal years begin when the member says", async () => {
    await settings({ dataAgent: { weekStart: "sunday", fiscalYearStartMonth: 2 } });
    const weeks = (await ask("revenue by week")).rows.map(([week]) => week);
    expect(weeks).toEqual(["2025-01-05", "2025-01-19", "2025-02-09", "2025-03-02"]);
    expect((await ask("revenue by fiscal year")).rows).toEqual([
      ["2024-02-01", 13],
      ["2025-02-01", 37],
    ]);
  });
});
