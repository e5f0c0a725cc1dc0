import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LIMITS } from "../../src/kernel/limits.ts";
import { toolsOf } from "../../src/registry/define-tool.ts";
import { appUrlOf, Browser, signedInPerson } from "../support/oauth-client.ts";
import { serverOfFile } from "../support/server.ts";

/** What the console's pages call: the same tools on the same path as any client, with the power of a member. */

const people = {} as Record<"viewer" | "contributor" | "admin", Browser>;

/** Calls of the tool `slow` that run, and those that were aborted. */
const slow = { running: 0, aborted: 0 };

const slowTool = toolsOf<object>()({
  name: "slow",
  toolset: "system",
  title: "Slow",
  description: "Runs until it is aborted, and tells so.",
  permission: null,
  effect: "read",
  within: [],
  input: z.strictObject({}),
  output: z.object({}),
  async run(_input, { signal, client }) {
    slow.running += 1;
    client.progress(1, { total: 2, message: "begun" });
    await new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        slow.running -= 1;
        slow.aborted += 1;
        reject(new Error("aborted"));
      });
    });
    return {};
  },
});

const consoleFolder = mkdtempSync(join(tmpdir(), "kenning-console-"));
mkdirSync(join(consoleFolder, "assets"));
writeFileSync(join(consoleFolder, "index.html"), "<!doctype html><title>Console</title>");
writeFileSync(join(consoleFolder, "assets", "main-abc.js"), "console.log(1)");
const server = await serverOfFile({
  env: { RATE_LIMIT_ENABLED: "false" },
  consoleFolder,
  extend: (registry) => void registry.add({ tools: [slowTool], services: {} }),
});
await server.app.identity.workspaces.create({ slug: "globex" });
for (const role of ["viewer", "contributor", "admin"] as const)
  people[role] = (await signedInPerson(server, role)).person;

const HEADERS = { "x-kenning-console": "1", "content-type": "application/json", accept: "application/json" };

function callAs(
  who: Browser,
  tool: string,
  args: unknown = {},
  {
    workspace = "acme",
    headers = {},
    signal,
  }: { workspace?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return who.send(`/api/console/w/${workspace}/call/${tool}`, {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(args),
    ...(signal && { signal }),
  });
}

async function told(answer: Promise<Response>): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("the power", () => {
  it("is a member's, not the operator's: what is somebody's own stays theirs", async () => {
    const made = await told(
      callAs(people.contributor, "create_knowledge_base", { name: "Diary", personal: true }),
    );
    expect(made.status).toBe(200);
    const listed = async (who: Browser) =>
      JSON.stringify((await told(callAs(who, "list_knowledge_bases"))).body);
    expect(await listed(people.contributor)).toContain("Diary");
    expect(await listed(people.viewer)).not.toContain("Diary");
    expect(await listed(people.admin)).not.toContain("Diary");
  });
});

describe("the session", () => {
  it("tells who is signed in, and where", async () => {
    const { status, body } = await told(people.viewer.send("/api/console/session"));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { email: expect.stringContaining("viewer-") },
      language: "en",
      workspaces: [{ slug: "acme", name: "Acme", role: "viewer", hasContent: false }],
      version: expect.stringMatching(/^\d/),
    });
    const german = await told(
      people.viewer.send("/api/console/session", { headers: { "accept-language": "de" } }),
    );
    expect(german.body).toMatchObject({ language: "de" });
  });

  it("is nobody's without signing in", async () => {
    const stranger = new Browser(appUrlOf(server));
    const { status, body } = await told(stranger.send("/api/console/session"));
    expect([status, body]).toMatchObject([
      401,
      { error: { code: "unauthorized", request_id: expect.any(String) } },
    ]);
    expect((await callAs(stranger, "whoami")).status).toBe(401);
  });
});

describe("signing out", () => {
  it("ends the session, and is asked for by a page of ours alone", async () => {
    const { person } = await signedInPerson(server, "viewer");
    const leave = (headers: Record<string, string>) =>
      person.send("/api/console/session", { method: "DELETE", headers });
    expect((await leave({ origin: "https://evil.example.com" })).status).toBe(403);
    expect((await person.send("/api/console/session", { headers: HEADERS })).status).toBe(200);
    expect((await leave({ origin: appUrlOf(server) })).status).toBe(204);
    expect((await person.send("/api/console/session", { headers: HEADERS })).status).toBe(401);
  });
});

describe("the audit log", () => {
  it("tells what was changed in a browser from what was looked at there", async () => {
    await callAs(people.admin, "list_datasets");
    await callAs(people.admin, "create_dashboard", { name: "Audited" });
    await server.app.identity.audit.flush();
    const tools = async (show: string) => {
      const { body } = await told(callAs(people.admin, "list_audit_events", { show, limit: 200 }));
      const { events } = body.result as { events: { resource_id: string; effect: string | null }[] };
      return new Map(events.map(({ resource_id, effect }) => [resource_id, effect]));
    };
    const [all, work, agents] = [await tools("all"), await tools("work"), await tools("agents")];
    expect([all.get("list_datasets"), all.get("create_dashboard")]).toEqual(["read", "write"]);
    expect([work.has("list_datasets"), work.has("create_dashboard")]).toEqual([false, true]);
    expect([agents.has("list_datasets"), agents.has("create_dashboard")]).toEqual([false, false]);
  });
});

describe("a call", () => {
  it("gives the plain tool's result, with the power of the member's role", async () => {
    for (const role of ["viewer", "contributor", "admin"] as const) {
      const { status, body } = await told(callAs(people[role], "whoami"));
      expect([status, body]).toMatchObject([200, { result: { role, client: { name: "console" } } }]);
    }
  });

  it("is refused as any other call is where the role is not enough", async () => {
    const rows = { dataset_name: "numbers", rows: [{ n: 1 }] };
    expect(await told(callAs(people.viewer, "push_data", rows))).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden", message: expect.stringContaining("bi:write") } },
    });
    expect(await told(callAs(people.contributor, "push_data", rows))).toMatchObject({ status: 200 });
    expect(await told(callAs(people.contributor, "list_audit_events"))).toMatchObject({ status: 403 });
    const { body } = await told(callAs(people.admin, "list_audit_events", { success: false }));
    expect(JSON.stringify(body)).toContain("push_data");
  });

  it("reaches no workspace of others, which looks like none at all", async () => {
    const [theirs, nowhere] = await Promise.all([
      told(callAs(people.admin, "whoami", {}, { workspace: "globex" })),
      told(callAs(people.admin, "whoami", {}, { workspace: "nowhere" })),
    ]);
    expect(theirs.status).toBe(404);
    const { request_id: _one, ...first } = theirs.body.error as Record<string, unknown>;
    const { request_id: _other, ...second } = nowhere.body.error as Record<string, unknown>;
    expect(first).toEqual(second);
  });

  it.each([
    ["another site", { origin: "https://evil.example" }],
    ["another port of this machine", { origin: "http://localhost:1" }],
    ["a page without the console's header", { "x-kenning-console": "" }],
  ])("from %s is refused", async (_, headers) => {
    expect(await told(callAs(people.admin, "whoami", {}, { headers }))).toMatchObject({ status: 403 });
  });

  it("comes from our own pages by whatever name the machine is called", async () => {
    for (const origin of [appUrlOf(server), server.url]) {
      const host = new URL(origin).host;
      const answer = await told(
        callAs(people.admin, "whoami", {}, { headers: { origin: `http://${host}` } }),
      );
      expect(answer.status, origin).toBe(host === new URL(appUrlOf(server)).host ? 200 : 403);
    }
  });

  it("says what is wrong with it", async () => {
    expect(await told(callAs(people.admin, "no_such_tool"))).toMatchObject({ status: 404 });
    expect(await told(callAs(people.admin, "whoami", { extra: 1 }))).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request", message: expect.stringContaining("extra") } },
    });
    const broken = people.admin.send("/api/console/w/acme/call/whoami", {
      method: "POST",
      headers: HEADERS,
      body: "{",
    });
    expect(await told(broken)).toMatchObject({ status: 400 });
    const huge = { content: "x".repeat(LIMITS.request.bodyBytes + 1), dataset_name: "huge" };
    expect(await told(callAs(people.admin, "import_file", huge))).toMatchObject({ status: 413 });
  });

  it("takes a large text among its arguments", async () => {
    const content = `n\n${"1\n".repeat(300_000)}`;
    const { status, body } = await told(
      callAs(people.contributor, "import_file", { dataset_name: "large", content }),
    );
    expect([status, body]).toMatchObject([200, { result: { rows_read: 300_000 } }]);
  });
});

const EVENTS = { accept: "text/event-stream" };

describe("a call as a stream", () => {
  it("ends with its result, or with what went wrong", async () => {
    const good = await callAs(people.viewer, "whoami", {}, { headers: EVENTS });
    expect(good.headers.get("content-type")).toBe("text/event-stream");
    expect(await good.text()).toMatch(/event: result\ndata: \{"result":\{"user"/);
    const bad = await callAs(
      people.viewer,
      "push_data",
      { dataset_name: "x", data: [{}] },
      { headers: EVENTS },
    );
    expect(await bad.text()).toMatch(/event: error\ndata: \{"error":\{"code":"forbidden"/);
  });

  it("is aborted when its browser leaves, and only then gives its place to the next", async () => {
    const { inFlightPerUser } = LIMITS.request;
    const leave = new AbortController();
    const before = slow.aborted;
    const streams = await Promise.all(
      Array.from({ length: inFlightPerUser }, () =>
        callAs(people.viewer, "slow", {}, { headers: EVENTS, signal: leave.signal }),
      ),
    );
    const reader = streams[0]?.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain(`data: {"progress":1,"total":2,"message":"begun"}`);
    await expect.poll(() => slow.running).toBe(inFlightPerUser);
    expect(await told(callAs(people.viewer, "whoami"))).toMatchObject({ status: 429 });
    leave.abort();
    await expect.poll(() => slow.aborted - before).toBe(inFlightPerUser);
    await expect.poll(async () => (await callAs(people.viewer, "whoami")).status).toBe(200);
  });
});

describe("a file", () => {
  const send = (who: Browser, name: string, body: string | Uint8Array, workspace = "acme") =>
    who.send(`/api/console/w/${workspace}/files?name=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { "x-kenning-console": "1" },
      body: body as string,
    });

  it("is sent ahead, and then imported or added by its handle", async () => {
    const { status, body } = await told(
      send(people.contributor, "umsätze 2026.csv", "product,revenue\nA,1\nB,2\n"),
    );
    expect([status, body]).toMatchObject([201, { file: expect.stringMatching(/^upload:/), bytes: 24 }]);
    const handle = body.file as string;
    const imported = await told(
      callAs(people.contributor, "import_file", { dataset_name: "sales", file_url: handle }),
    );
    expect([imported.status, imported.body]).toMatchObject([200, { result: { rows_read: 2 } }]);
    const added = await told(callAs(people.contributor, "add_document", { file_url: handle }));
    expect([added.status, added.body]).toMatchObject([200, { result: { name: "umsätze 2026.csv" } }]);
    const stolen = await told(
      callAs(people.admin, "import_file", { dataset_name: "stolen", file_url: handle }),
    );
    expect(stolen.status).toBe(404);
    const climbing = { dataset_name: "stolen", file_url: "upload:../../../etc/passwd" };
    expect((await callAs(people.contributor, "import_file", climbing)).status).toBe(404);
  });

  it("needs a name, some bytes, and somebody who may bring in files", async () => {
    expect((await send(people.viewer, "a.csv", "a\n1\n")).status).toBe(403);
    expect((await send(people.contributor, "", "a\n1\n")).status).toBe(400);
    expect((await send(people.contributor, "a.csv", "")).status).toBe(400);
    expect((await send(people.contributor, "a.csv", "a\n1\n", "globex")).status).toBe(404);
  });
});

describe("the console", () => {
  const page = { accept: "text/html" };

  it("stands at every address of a workspace, for those who are signed in", async () => {
    const shown = await people.viewer.send("/w/acme/dashboards/3?tab=2", { headers: page });
    expect([shown.status, await shown.text()]).toEqual([
      200,
      expect.stringContaining("<title>Console</title>"),
    ]);
    expect(shown.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self';");
    const stranger = new Browser(appUrlOf(server));
    const sent = await stranger.send("/w/acme/home?x=1", { headers: page });
    expect([sent.status, sent.headers.get("location")]).toEqual([
      303,
      "/sign-in?return_to=%2Fw%2Facme%2Fhome%3Fx%3D1",
    ]);
    const start = await people.viewer.send("/", { headers: page });
    expect([start.status, start.headers.get("location")]).toEqual([303, "/w/acme/home"]);
  });

  it("loads files whose names say what is in them, and none from elsewhere", async () => {
    const file = await server.request("/console/assets/main-abc.js");
    expect([file.status, file.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
    for (const name of ["main-abd.js", "..%2findex.html", "%2e%2e%2findex.html", ".hidden.js"])
      expect((await server.request(`/console/assets/${name}`)).status, name).toBe(404);
  });
});
