import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/app/cli/commands.ts";
import { type Boards, type MadeDashboard, startBoards } from "../support/boards.ts";
import { CommandLine } from "../support/command-line.ts";
import { callTool } from "../support/mcp.ts";
import { type Browser, signedInPerson } from "../support/oauth-client.ts";

/** What is written down beside the calls of tools: pages, files, commands; and what is counted for the plan. */

let boards: Boards;
let board: MadeDashboard;
let workspaceId: number;
let person: Browser;
let email: string;
let commandLine: CommandLine;

beforeAll(async () => {
  boards = await startBoards({ env: { RATE_LIMIT_ENABLED: "false" } });
  board = await boards.make();
  const { identity } = boards.server.app;
  workspaceId = (await identity.workspaces.bySlug("acme")).id;
  ({ person, email } = await signedInPerson(boards.server, "viewer"));
  commandLine = await CommandLine.open();
});
afterAll(async () => {
  commandLine.remove();
  await boards.stop();
});

/** What was written down while something was done, the oldest first. */
async function eventsOf(work: () => Promise<unknown>) {
  const { audit } = boards.server.app.identity;
  await audit.flush();
  const [last] = (await audit.list(workspaceId, { limit: 1 })).events;
  await work();
  await audit.flush();
  const { events } = await audit.list(workspaceId, { limit: 100 });
  return events.filter(({ id }) => id > (last?.id ?? 0)).toReversed();
}

async function opened(path: string): Promise<void> {
  const response = await person.send(path);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

describe("pages", () => {
  it("[all.audit.pages] the start page is no call of a tool", async () => {
    expect(await eventsOf(() => opened("/"))).toEqual([]);
  });

  it("[all.audit.pages] tell who looked at a dashboard or one widget, and what they took away", async () => {
    const id = board.dashboard_id;
    const widget = String(board.widgets[0]?.widget_id);
    const told = await eventsOf(async () => {
      await opened(`/d/${id}`);
      await opened(`/d/${id}/w/${widget}`);
      for (const format of ["pdf", "png"]) await opened(`/d/${id}/export?format=${format}`);
      expect((await person.send(`/d/${id}/w/999999`)).status).toBe(404);
    });
    const common = { resourceType: "dashboard", resourceId: String(id), email, success: true };
    const view = { ...common, action: "dashboard.view", address: expect.any(String) };
    expect(told).toMatchObject([
      { ...view, metadata: { dashboard: id } },
      { ...view, metadata: { dashboard: id, widget } },
      { ...common, action: "dashboard.export", metadata: { format: "pdf" } },
      { ...common, action: "dashboard.export", metadata: { format: "png" } },
      { ...view, success: false, outcome: "not_found" },
    ]);
  });

  it("[all.audit.pages] tell that somebody with the link looked at an embed, and not its secret", async () => {
    const { url } = await boards.call<{ url: string }>("get_embed_url", { dashboard_id: board.dashboard_id });
    const { pathname, hash } = new URL(url);
    const secret = hash.slice(1);
    const view = (path: string) =>
      boards.server.request(`${pathname}${path}`, { method: "POST", headers: { "x-embed-secret": secret } });
    const told = await eventsOf(async () => {
      expect((await view("/view")).status).toBe(200);
      expect((await view(`/w/${board.widgets[0]?.widget_id}`)).status).toBe(200);
    });
    const event = {
      action: "embed.view",
      resourceId: pathname.split("/").at(-1),
      userId: null,
      success: true,
    };
    expect(told).toMatchObject([event, event]);
    expect(JSON.stringify(told)).not.toContain(secret);
  });
});

describe("files", () => {
  it.each(["pdf", "png"])("[all.audit.exports] by a tool and by its link: %s", async (format) => {
    const told = await eventsOf(async () => {
      const args = { dashboard_id: board.dashboard_id, format };
      const { url } = await boards.call<{ url: string }>("export_dashboard", args);
      expect((await fetch(url)).status).toBe(200);
    });
    const made = { action: "dashboard.export", resourceId: String(board.dashboard_id), metadata: { format } };
    expect(told).toMatchObject([
      made,
      { action: "mcp.tool.call", resourceId: "export_dashboard" },
      made,
      { action: "file.download", userId: null, metadata: { format, via: "link" } },
    ]);
  });

  it.each(["csv", "json", "parquet"])(
    "[all.audit.exports] rows as %s, and their download",
    async (format) => {
      const rows = Array.from({ length: 4_000 }, (_, i) => ({ id: i, text: `${i} ${Math.random()}` }));
      const dataset = await boards.call<{ dataset_id: number }>("push_data", { dataset_name: "Long", rows });
      const told = await eventsOf(async () => {
        const args = { dataset_id: dataset.dataset_id, format };
        const { download_url: url } = await boards.call<{ download_url: string }>("export_data", args);
        const response = await fetch(url);
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      });
      const id = String(dataset.dataset_id);
      expect(told).toMatchObject([
        { action: "dataset.export", resourceId: id, success: true, metadata: { format } },
        { action: "mcp.tool.call", resourceId: "export_data" },
        { action: "file.download", userId: null, metadata: { via: "link", bytes: expect.any(Number) } },
      ]);
    },
  );
});

describe("commands", () => {
  const run = (words: string[], input?: string) =>
    commandLine.call(words, {
      env: { DATABASE_URL: boards.server.databaseUrl, KENNING_HOME: boards.server.home },
      ...(input !== undefined && { input }),
    });
  const done = async (words: string[], input?: string) => {
    const { code, err } = await run(words, input);
    expect(code, err).toBe(0);
  };
  const workspace = ["--workspace", "acme"];

  it("[all.audit.commands] that change or take something are told, without values of their options", async () => {
    const key = "sk-very-secret-0123456789";
    const output = join(commandLine.home, "sales.csv");
    const told = await eventsOf(async () => {
      await done(["group", "create", "Pilots", ...workspace]);
      await done(["dataset", "export", "Sales", ...workspace, "--output", output]);
      const llm = ["name=main", "kind=openai", "model=gpt-5", "api_key=@-"];
      await done(["call", "set_llm_provider", ...workspace, ...llm.flatMap((word) => ["--arg", word])], key);
      expect((await run(["group", "create", "Pilots", ...workspace])).code).toBe(1);
    });
    const event = {
      action: "cli.command",
      resourceType: "command",
      userId: null,
      metadata: { by: "operator" },
    };
    expect(told.filter(({ action }) => action === "cli.command")).toMatchObject([
      { ...event, resourceId: "group create", success: true, metadata: { args: { group: "Pilots" } } },
      { ...event, resourceId: "dataset export", metadata: { options: ["workspace", "output"] } },
      { ...event, resourceId: "group create", success: false, outcome: "conflict" },
    ]);
    expect(told.find(({ resourceId }) => resourceId === "set_llm_provider")).toMatchObject({
      action: "mcp.tool.call",
      userId: null,
      metadata: { by: "operator" },
    });
    expect(JSON.stringify(told)).not.toContain(key);
    expect(JSON.stringify(told)).not.toContain(output);
  });

  it("[all.audit.commands] that only read are not, and all others are", async () => {
    const plain = (await eventsOf(() => done(["group", "list", ...workspace]))).map(({ action }) => action);
    expect(plain).toEqual([]);
    const reading = COMMANDS.filter((command) => command.reads({ args: {}, options: {} }));
    expect(reading.map(({ name }) => name)).toEqual([
      "serve",
      "call",
      "workspace list",
      "workspace plan",
      "user list",
      "group list",
      "token list",
      "app list",
      "eval questions",
      "eval trace",
      "eval verified",
      "audit list",
      "stdio",
      "home adopt",
      "doctor",
      "completion",
      "version",
    ]);
    const limited = { args: {}, options: { limits: "memories=5" } };
    expect(COMMANDS.find(({ name }) => name === "workspace plan")?.reads(limited)).toBe(false);
  });
});

describe("agent calls", () => {
  const used = async () => {
    const report = await boards.server.app.identity.usage.report(workspaceId);
    return report.find(({ metric }) => metric === "agent_calls")?.used ?? 0;
  };
  const onBi = (name: string, args: Record<string, unknown>) =>
    callTool(boards.server, boards.admin, name, args, "/api/2.0/mcp");

  it("[bi.metering] are counted for AI-powered tools alone, and refused when the plan has none left", async () => {
    const before = await used();
    await onBi("knowi_search", { query: "sales" });
    await onBi("knowi_ask", { question: "revenue by region" });
    await onBi("knowi_do", { instruction: "list all dashboards" });
    expect(await used()).toBe(before + 3);
    await boards.server.app.identity.audit.flush();
    const { usage } = boards.server.app.identity;
    expect(await usage.byMember(workspaceId)).toContainEqual(
      expect.objectContaining({ agentCalls: 3, llmCalls: 0, llmTokens: 0 }),
    );
    await onBi("knowi_list_dashboards", {});
    await onBi("knowi_search", {});
    expect(await used()).toBe(before + 3);
    const { identity } = boards.server.app;
    await identity.workspaces.setPlan("acme", { limits: { agent_calls: before + 3 } });
    const refused = await onBi("knowi_search", { query: "sales" });
    expect(JSON.stringify(refused)).toMatch(/Plan limit reached: \d+ of \d+ agent calls are used this month/);
    const free = await onBi("knowi_list_dashboards", {});
    expect(free.result?.isError ?? false).toBe(false);
    await identity.workspaces.setPlan("acme", { plan: "self-hosted" });
    expect((await onBi("knowi_search", { query: "sales" })).result?.isError ?? false).toBe(false);
  });
});
