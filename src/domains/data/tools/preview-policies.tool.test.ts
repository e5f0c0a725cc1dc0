import { expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const admin = await server.token({ role: "admin" });
const contributor = await server.token({ role: "contributor" });
const rows = [
  { name: "Ada", region: "West", salary: 10 },
  { name: "Bob", region: "East", salary: 20 },
];
const policies = [
  {
    name: "own region",
    roles: ["viewer"],
    rows: [{ field: "region", operator: "=", value: { attribute: "region" } }],
  },
  { name: "no salaries", roles: ["viewer"], hide: ["salary"] },
];

it("shows what a member would see, before and after policies are set", async () => {
  const dataset_id = await makeDataset(server, admin, "Seen people", rows);
  const email = "vera-views@example.com";
  await server.app.identity.users.create({ email, workspace: "acme", role: "viewer" });
  await server.app.identity.users.setAttribute({ email, workspace: "acme", name: "region", value: "East" });
  const as = (more: object = {}) =>
    resultOf(server, admin, "preview_policies", { dataset_id, email, ...more });
  const less = {
    member: { email, role: "viewer" },
    columns: [{ name: "name" }, { name: "region" }],
    rows: [{ name: "Bob", region: "East" }],
    total_rows: 1,
    all_rows: 2,
    hidden_columns: ["salary"],
  };
  expect(await as()).toMatchObject({ total_rows: 2, hidden_columns: [] });
  expect(await as({ policies })).toMatchObject(less);
  expect(await as()).toMatchObject({ total_rows: 2 });
  await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });
  expect(await as()).toMatchObject(less);
  const own = await server.token({ email });
  expect(await resultOf(server, own, "get_data", { dataset_id })).toMatchObject({ totalRows: 1 });
  await expect(as({ email: "nobody@example.com" })).rejects.toThrow(/no member/i);
  const unknown = [{ name: "x", hide: ["shoe size"] }];
  await expect(as({ policies: unknown })).rejects.toThrow(/no column shoe size/);
});

it("is for admins, on datasets of their workspace", async () => {
  const dataset_id = await makeDataset(server, admin, "More people", rows);
  const args = { dataset_id, email: "admin@example.com" };
  expect(JSON.stringify(await refusalsOf(server, contributor, "preview_policies", args))).toMatch(/admin/);
  await server.app.identity.workspaces.create({ slug: "elsewhere" });
  const stranger = await server.token({ workspace: "elsewhere" });
  await expect(resultOf(server, stranger, "preview_policies", args)).rejects.toThrow(/no dataset/i);
});
