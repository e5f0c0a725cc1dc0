import { describe, expect, it } from "vitest";
import { type AssetKind, AssetKinds } from "./asset-kind.ts";
import type { Caller } from "./caller.ts";

const reader = { user: { id: 1 } } as Caller;
const stranger = { user: { id: 2 } } as Caller;

const note: AssetKind = {
  name: "note",
  can: async (caller, id, verb) => caller === reader && id === 7 && verb === "read",
  describe: async (_caller, id) => ({ id, name: "A note" }),
  delete: async () => undefined,
};

describe("asset kinds", () => {
  const kinds = new AssetKinds()
    .add(note)
    .add({ ...note, name: "folder", rows: async () => ({ columns: [], rows: [], totalRows: 0 }) });

  it("finds a kind, and only where it has the ability", () => {
    expect(kinds.require("note").name).toBe("note");
    expect(kinds.require("folder", "rows").name).toBe("folder");
    expect(() => kinds.require("note", "rows")).toThrow(/not known here/);
    expect(kinds.names("rows")).toEqual(["folder"]);
  });

  it("suggests the nearest kind", () => {
    expect(() => kinds.require("notes")).toThrow(expect.objectContaining({ hint: "Did you mean note?" }));
  });

  it("refuses the same kind twice", () => {
    expect(() => new AssetKinds().add(note).add(note)).toThrow(/twice/);
  });

  it("admits who may, tells a reader that writing is not allowed, and hides the rest", async () => {
    expect(await kinds.admit(reader, "note", 7, "read")).toBe(note);
    await expect(kinds.admit(reader, "note", 7, "write")).rejects.toMatchObject({ code: "forbidden" });
    await expect(kinds.admit(stranger, "note", 7, "read")).rejects.toMatchObject({ code: "not_found" });
    await expect(kinds.admit(reader, "note", 8, "write")).rejects.toMatchObject({ code: "not_found" });
  });
});
