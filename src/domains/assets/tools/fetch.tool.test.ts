import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { callTool } from "../../../../test/support/mcp.ts";

/** What it reads of what was found is in `search.tool.test.ts`. */

const { server, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

it("tells of an asset without rows what is known of it, and where people see it", async () => {
  const { dashboard_id: id } = await make({ name: "Customer retention" });
  const read = await call<{ title: string; text: string; url: string }>("fetch", { id: `dashboard:${id}` });
  expect(read).toMatchObject({
    title: "Customer retention",
    url: expect.stringMatching(`/w/acme/dashboards/${id}$`),
  });
  const foreign = await callTool(server, stranger, "fetch", { id: `dashboard:${id}` });
  expect(foreign.result?.isError ?? foreign.error).toBeTruthy();
});

it.each(["", "document", "document:", "document:x", "nothing:1", "../1", `memory:${"x".repeat(200)}`])(
  "refuses the id %j with a sentence",
  async (id) => {
    const { result, error } = await callTool(server, viewer, "fetch", { id });
    expect(result?.isError ?? error).toBeTruthy();
    expect(JSON.stringify(result ?? error)).not.toContain("internal");
  },
);
