import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const token = await server.token({ role: "contributor" });

async function deleted(name: string): Promise<number> {
  const asset_id = await makeDataset(server, token, name, [{ a: 1 }]);
  await resultOf(server, token, "delete_asset", { asset_type: "dataset", asset_id, confirm: true });
  return asset_id;
}

describe("restore_asset", () => {
  it("brings a deleted dataset back with its rows", async () => {
    const asset_id = await deleted("Back");
    await resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id });
    expect(await resultOf(server, token, "get_data", { dataset_id: asset_id })).toMatchObject({
      rows: [{ a: 1 }],
    });
  });

  it("refuses when the name is taken, or there is nothing to bring back", async () => {
    const asset_id = await deleted("Taken");
    await makeDataset(server, token, "taken", [{ b: 2 }]);
    await expect(
      resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id }),
    ).rejects.toThrow(/another dataset.* Delete that one first/);
    await expect(
      resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id: 999 }),
    ).rejects.toThrow(/no deleted/);
  });

  interface Restored {
    version: number;
    total_rows: number | null;
    replaced: { version: number; rows: number | null; undo: string };
  }
  const restore = (asset_id: number, version: number, who = token) =>
    resultOf<Restored>(server, who, "restore_asset", { asset_type: "dataset", asset_id, version });
  const replace = (dataset_name: string, content: string, who = token) =>
    resultOf<{ replaced?: Restored["replaced"] }>(server, who, "import_file", { dataset_name, content });
  const rows = async (dataset_id: number, who = token) =>
    (await resultOf<{ rows: object[] }>(server, who, "get_data", { dataset_id })).rows;
  const details = async (asset_id: number, who = token) =>
    (
      await resultOf<{ details: { versions?: { version: number; rows: number | null }[] } }>(
        server,
        who,
        "get_details",
        { asset_type: "dataset", asset_id },
      )
    ).details;

  it("brings back rows that were replaced, and what it replaced itself", async () => {
    const id = await makeDataset(server, token, "Versions", [{ a: 1 }, { a: 2 }]);
    const { replaced } = await replace("versions", "b\nx\n");
    expect(replaced).toMatchObject({ version: 1, rows: 2, refreshed_at: expect.any(String) });
    expect(replaced?.undo).toContain(`restore_asset with asset_type dataset, asset_id ${id} and version 1`);
    expect(await restore(id, 1)).toMatchObject({
      version: 3,
      total_rows: 2,
      replaced: { version: 2, rows: 1 },
    });
    expect(await rows(id)).toEqual([{ a: 1 }, { a: 2 }]);
    await restore(id, 2);
    expect(await rows(id)).toEqual([{ b: "x" }]);
    const who = expect.stringMatching(/^contributor/);
    expect((await details(id)).versions).toMatchObject([
      { version: 4, rows: 1, refreshed_by: who },
      { version: 3, rows: 2, refreshed_by: who, replaced_at: expect.any(String), replaced_by: who },
      { version: 2, rows: 1 },
      { version: 1, rows: 2 },
    ]);
    expect((await details(id, await server.token({ role: "viewer" }))).versions).toBeUndefined();
    for (const none of [9, -1, 0, 4, 3e9])
      await expect(restore(id, none)).rejects.toThrow(/no version .*get_details/);
    await expect(restore(999, 1)).rejects.toThrow(/no dataset/);
    const query = { asset_type: "query", asset_id: 1, version: 1 };
    await expect(resultOf(server, token, "restore_asset", query)).rejects.toThrow(/Use one of: dataset/);
  });

  it("asks for what deleting asks for, and policies hold on what comes back", async () => {
    const admin = await server.token();
    const id = await makeDataset(server, admin, "Ruled", [{ a: 1, secret: "s" }]);
    const policies = [{ name: "p", roles: ["contributor"], hide: ["secret"] }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
    await expect(replace("ruled", "a\n9\n")).rejects.toThrow(/has policies, so only an admin may replace/);
    const { notes } = (await replace("Ruled", "a\n9\n", admin)) as { notes?: string[] };
    expect(notes).toEqual([expect.stringContaining("no longer has: secret")]);
    await expect(restore(id, 1)).rejects.toThrow(/only an admin may restore/);
    expect((await details(id)).versions).toBeUndefined();
    // What former rows have can be hidden while they are away.
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
    await restore(id, 1, admin);
    expect([await rows(id), await rows(id, admin)]).toEqual([[{ a: 1 }], [{ a: 1, secret: "s" }]]);
    const args = { asset_type: "dataset", asset_id: id };
    await resultOf(server, admin, "delete_asset", { ...args, confirm: true });
    await expect(resultOf(server, token, "restore_asset", args)).rejects.toThrow(/only an admin may restore/);
    await resultOf(server, admin, "restore_asset", args);
  });

  it("loses nothing that was acknowledged when rows are pushed, replaced and restored at once", async () => {
    const id = await makeDataset(server, token, "Busy", [{ i: 0 }]);
    await replace("Busy", "i\n0\n");
    const push = (i: number) =>
      resultOf(server, token, "push_data", { dataset_name: "Busy", rows: [{ i }] }).then(() => i);
    const acknowledged = await Promise.all([
      ...[1, 2, 3, 4].map(push),
      replace("Busy", "i\n100\n").then(() => 100),
      restore(id, 1).then(() => 0),
      ...[5, 6, 7].map(push),
      replace("Busy", "i\n101\n").then(() => 101),
      restore(id, 1).then(() => 0),
      ...[8, 9].map(push),
    ]);
    const kept = new Set<unknown>();
    for (const { version, rows: count } of (await details(id)).versions ?? []) {
      const isCurrent = version === (await details(id)).versions?.[0]?.version;
      if (!isCurrent) await restore(id, version);
      const found = await rows(id);
      expect(found).toHaveLength(count ?? -1);
      for (const row of found) kept.add((row as { i: number }).i);
    }
    expect(acknowledged.filter((i) => !kept.has(i))).toEqual([]);
  });

  it("is for those who may write, in their own workspace", async () => {
    const asset_id = await deleted("Mine");
    const args = { asset_type: "dataset", asset_id };
    expect((await callTool(server, undefined, "restore_asset", args)).status).toBe(401);
    const viewer = await server.token({ role: "viewer" });
    await expect(resultOf(server, viewer, "restore_asset", args)).rejects.toThrow(/bi:write|Unknown tool/);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    await expect(resultOf(server, stranger, "restore_asset", args)).rejects.toThrow(/no deleted/);
  });
});
