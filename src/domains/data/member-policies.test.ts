import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { serverOfFile } from "../../../test/support/server.ts";

const server = await serverOfFile();
const admin = await server.token();
const id = await makeDataset(server, admin, "Sales", [
  { region: "West", n: 1 },
  { region: "East", n: 2 },
]);

const setPolicies = (policies: object[]) =>
  resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });

async function rowsFor(token: string): Promise<number[]> {
  const { rows } = await resultOf<{ rows: { n: number }[] }>(server, token, "get_data", { dataset_id: id });
  return rows.map(({ n }) => n);
}

async function member(email: string): Promise<string> {
  await server.app.identity.users.create({ email, workspace: "acme", role: "viewer" });
  return server.token({ email });
}

describe("policies by member", () => {
  it("follow an attribute at once, and show nothing where it is missing", async () => {
    const email = "attribute@example.com";
    const token = await member(email);
    const set = (value: string | null) =>
      server.app.identity.users.setAttribute({ email, workspace: "acme", name: "region", value });
    const value = { attribute: "region" };
    await setPolicies([
      { name: "own", roles: ["viewer"], rows: [{ field: "region", operator: "=", value }] },
    ]);
    expect(await rowsFor(token)).toEqual([]);
    await set("West");
    expect(await rowsFor(token)).toEqual([1]);
    await set("East");
    expect(await rowsFor(token)).toEqual([2]);
    await set(null);
    expect(await rowsFor(token)).toEqual([]);
  });

  it("follow a group at once", async () => {
    const email = "group@example.com";
    const token = await member(email);
    const { groups } = server.app.identity;
    const group = await groups.create({ workspace: "acme", name: "west" });
    const of = { workspace: "acme", group: group.name, email };
    const rows = [{ field: "region", operator: "=", value: "West" }];
    await setPolicies([{ name: "west", groups: [group.id], rows }]);
    expect(await rowsFor(token)).toEqual([1, 2]);
    await groups.addMember(of);
    expect(await rowsFor(token)).toEqual([1]);
    await groups.removeMember(of);
    expect(await rowsFor(token)).toEqual([1, 2]);
  });

  it("a member has a bounded number of attributes", async () => {
    const email = "many@example.com";
    await member(email);
    const { users } = server.app.identity;
    const set = (name: string) => users.setAttribute({ email, workspace: "acme", name, value: "x" });
    for (let number = 0; number < 50; number += 1) await set(`a${number}`);
    await expect(set("one more")).rejects.toThrow(/at most 50 attributes/);
    await expect(
      users.setAttribute({ email, workspace: "acme", name: "a7", value: "x".repeat(501) }),
    ).rejects.toThrow(/at most 500 characters/);
    expect(Object.keys((await set("a7")).attributes)).toHaveLength(50);
  });
});

it("a token for named semantic models reaches no rows beside them", async () => {
  const token = await server.token({ limits: { models: ["shop"] } });
  await expect(rowsFor(token)).rejects.toThrow(/bi:read is missing/);
  await expect(resultOf(server, token, "list_datasets", {})).rejects.toThrow(/bi:read is missing/);
  await expect(resultOf(server, token, "push_data", { dataset_name: "x", rows: [{ a: 1 }] })).rejects.toThrow(
    /bi:write is missing/,
  );
  expect(await resultOf(server, token, "whoami", {})).toMatchObject({ token: { models: ["shop"] } });
});
