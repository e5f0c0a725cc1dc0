import { describe, expect, it } from "vitest";
import { z } from "zod";
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
    .add({ ...note, name: "folder", run: { answer: {}, start: async () => ({ message: "" }) } });

  it("finds a kind, and only where it has the ability", () => {
    expect(kinds.require("note").name).toBe("note");
    expect(kinds.require("folder", "run").name).toBe("folder");
    expect(() => kinds.require("note", "run")).toThrow(/not known here/);
    expect(kinds.names("run")).toEqual(["folder"]);
    expect(kinds.listed("delete")).toBe("note or folder");
  });

  it("suggests the nearest kind", () => {
    expect(() => kinds.require("notes")).toThrow(expect.objectContaining({ hint: "Did you mean note?" }));
  });

  it("answers a run with what every kind tells, and perhaps with what some tell", () => {
    const message = z.string();
    const runs = (name: string, answer: z.ZodRawShape): AssetKind => ({
      ...note,
      name,
      run: { answer, start: async () => ({ message: "" }) },
    });
    const both = new AssetKinds().add(runs("a", { message, a_id: z.int() })).add(runs("b", { message }));
    expect(both.runAnswer().parse({ message: "done" })).toEqual({ message: "done" });
    expect(both.runAnswer().safeParse({ a_id: 1 }).success).toBe(false);
    const one = new AssetKinds().add(runs("a", { message, a_id: z.int() }));
    expect(one.runAnswer().safeParse({ message: "done" }).success).toBe(false);
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
