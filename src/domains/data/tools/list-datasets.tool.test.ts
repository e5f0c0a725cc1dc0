import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Listing {
  total: number;
  datasets: { id: number; name: string; rows: number | null; columns?: { name: string }[] }[];
}

const server = await serverOfFile();
const token = await server.token({ role: "contributor" });
for (const name of ["Beta", "Alpha", "100% done"])
  await makeDataset(server, token, name, [{ a: 1 }, { a: 2 }]);

const list = (args: object, who = token) =>
  resultOf<Listing>(server, who, "list_datasets", args as Record<string, unknown>);

describe("list_datasets", () => {
  it("shows them by name, with columns and rows, in pages", async () => {
    const all = await list({});
    expect(all.datasets.map(({ name }) => name)).toEqual(["100% done", "Alpha", "Beta"]);
    expect(all.datasets[1]).toMatchObject({ rows: 2 });
    expect(all.datasets[1]).not.toHaveProperty("columns");
    expect((await list({ columns: true })).datasets[1]).toMatchObject({ rows: 2, columns: [{ name: "a" }] });
    expect(await list({ limit: 1, offset: 2 })).toMatchObject({ total: 3, datasets: [{ name: "Beta" }] });
  });

  it("finds part of a name, taken literally", async () => {
    expect((await list({ query: "alp" })).datasets.map(({ name }) => name)).toEqual(["Alpha"]);
    expect((await list({ query: "%" })).datasets.map(({ name }) => name)).toEqual(["100% done"]);
  });

  it("hides columns, and the number of rows where some are hidden", async () => {
    const { datasets } = await list({ query: "Beta" });
    const policies = [
      { name: "few", roles: ["viewer"], rows: [{ field: "a", operator: "=", value: 1 }] },
      { name: "less", roles: ["viewer"], hide: ["b"] },
    ];
    const args = { dataset_name: "Beta", rows: [{ a: 3, b: "x" }] };
    await resultOf(server, token, "push_data", args);
    const admin = await server.token({ role: "admin" });
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: datasets[0]?.id, policies });
    const seen = await list({ query: "Beta", columns: true }, await server.token({ role: "viewer" }));
    expect(seen.datasets).toMatchObject([{ rows: null, columns: [{ name: "a" }] }]);
    expect((await list({ query: "Beta" })).datasets).toMatchObject([{ rows: 3 }]);
  });

  it("shows nothing of another workspace, and needs a token", async () => {
    await server.app.identity.workspaces.create({ slug: "other" });
    expect(await list({}, await server.token({ workspace: "other" }))).toEqual({ total: 0, datasets: [] });
    expect((await callTool(server, undefined, "list_datasets")).status).toBe(401);
  });
});
