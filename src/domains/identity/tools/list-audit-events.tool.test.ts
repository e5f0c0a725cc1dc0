import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Event {
  id: number;
  action: string;
  user: string | null;
  resource_id: string | null;
  success: boolean;
  outcome: string;
}

const server = await serverOfFile();
await server.app.identity.workspaces.create({ slug: "other" });
const admin = await server.token({ role: "admin" });

async function events(
  token: string,
  filter: Record<string, unknown> = {},
): Promise<{ events: Event[]; next_before: number | null }> {
  await server.app.identity.audit.flush();
  const { result } = await callTool(server, token, "list_audit_events", filter);
  return result?.structuredContent as never;
}

describe("list_audit_events", () => {
  it("shows calls and denials, newest first, with filters", async () => {
    const viewer = await server.token({ role: "viewer" });
    await callTool(server, viewer, "whoami");
    await callTool(server, viewer, "list_audit_events");
    const { events: all } = await events(admin, { action: "mcp.tool.call" });
    expect(all[0]).toMatchObject({ resource_id: "list_audit_events", success: false, outcome: "forbidden" });
    expect(all[1]).toMatchObject({
      resource_id: "whoami",
      success: true,
      outcome: "ok",
      user: expect.stringContaining("viewer"),
    });
    const { events: failures } = await events(admin, { success: false });
    expect(failures.every(({ success }) => !success)).toBe(true);
    const { events: later } = await events(admin, { since: new Date(Date.now() + 60_000).toISOString() });
    expect(later).toEqual([]);
  });

  it("pages on without gaps or repeats", async () => {
    for (let i = 0; i < 5; i += 1) await callTool(server, admin, "whoami");
    const first = await events(admin, { limit: 3 });
    const second = await events(admin, { limit: 3, before: first.next_before });
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  it("shows nothing of another workspace", async () => {
    const stranger = await server.token({ workspace: "other" });
    const { events: theirs } = await events(stranger, { limit: 500 });
    expect(theirs.every(({ user }) => user === null || !user.startsWith("viewer"))).toBe(true);
    expect(theirs.map(({ resource_id }) => resource_id)).not.toContain("whoami");
  });

  it("is for admins", async () => {
    expect(await callTool(server, undefined, "list_audit_events")).toMatchObject({ status: 401 });
    const contributor = await callTool(
      server,
      await server.token({ role: "contributor" }),
      "list_audit_events",
    );
    expect(contributor.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("admin") }],
    });
    const { result } = await callTool(server, admin, "list_audit_events", { limit: 501 });
    expect(result).toMatchObject({ isError: true });
  });
});
