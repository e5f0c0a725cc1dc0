import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestIdentity, type TestIdentity } from "../../../test/support/identity.ts";
import { systemClock } from "../../kernel/time.ts";
import { readModels } from "./format/read-models.ts";
import { LIMITS } from "./limits.ts";
import type { SemanticModel } from "./model.ts";
import { ModelsStore } from "./models.store.ts";

let world: TestIdentity;
let store: ModelsStore;
let workspace: number;
let user: number;

beforeAll(async () => {
  world = await openTestIdentity();
  store = new ModelsStore(world.catalog, systemClock);
  const { rows } = await world.catalog.db.execute(
    sql`SELECT w.id AS workspace, a.id AS "user" FROM workspaces w, accounts a WHERE w.slug = 'acme' LIMIT 1`,
  );
  workspace = Number(rows[0]?.workspace);
  user = Number(rows[0]?.user);
});
afterAll(() => world[Symbol.asyncDispose]());

function model(name: string, description = "One"): SemanticModel {
  const text = `name: ${name}\ndescription: ${description}\ndatasets: [{ name: d, source: d, fields: [{ name: id }] }]`;
  return readModels([{ name: "m.yaml", text }]).models[0]?.model as SemanticModel;
}

const draft = async (document: SemanticModel) => (await store.saveDrafts(workspace, user, [document]))[0]!;
const publish = async (document: SemanticModel, modelId?: number) => {
  const publication = { document, warnings: [], ...(modelId !== undefined && { modelId }) };
  return (await store.publishAll(workspace, user, [publication], () => {}))[0]!;
};

describe("a draft", () => {
  it("is used up when it is published, by whichever way", async () => {
    const { id } = await draft(model("used"));
    expect(await publish((await store.draft(id))?.document as SemanticModel, id)).toMatchObject({
      hasDraft: false,
    });
    await draft(model("used", "Two"));
    expect(await publish(model("used", "Two"))).toMatchObject({ id, hasDraft: false, publishedVersion: 2 });
  });

  it("stays when something else is published, also when it was saved meanwhile", async () => {
    const { id } = await draft(model("kept"));
    const read = (await store.draft(id))?.document as SemanticModel;
    await draft(model("kept", "Meanwhile"));
    expect(await publish(read, id)).toMatchObject({ hasDraft: true, publishedVersion: 1 });
    expect(await publish(model("kept", "Directly"))).toMatchObject({ hasDraft: true, publishedVersion: 2 });
    expect((await store.draft(id))?.document.description).toBe("Meanwhile");
  });
});

describe("a published document", () => {
  it("is the newest one, also when another process published it", async () => {
    const other = new ModelsStore(world.catalog, systemClock);
    const { id } = await publish(model("shared"));
    const described = async () => {
      const found = await store.publishedBy(workspace, { name: "SHARED" });
      return [found?.version, found?.document.description];
    };
    expect(await described()).toEqual([1, "One"]);
    expect(await described()).toEqual([1, "One"]);
    const publication = { document: model("shared", "Two"), warnings: [] };
    await other.publishAll(workspace, user, [publication], () => {});
    expect(await described()).toEqual([2, "Two"]);
    await other.remove(workspace, id, () => undefined);
    expect(await described()).toEqual([undefined, undefined]);
    await other.restore(workspace, id, () => undefined);
    expect(await described()).toEqual([2, "Two"]);
  });

  it("cannot be changed by one call for the next", async () => {
    await publish(model("frozen"));
    const find = () => store.publishedBy(workspace, { name: "frozen" });
    const { document } = (await find())!;
    expect(() => Object.assign(document, { description: "Changed" })).toThrow(TypeError);
    expect(() => (document.datasets as unknown[]).push({})).toThrow(TypeError);
    expect((await find())?.document.description).toBe("One");
  });

  it("is not there before anything is published", async () => {
    await draft(model("unpublished"));
    expect(await store.publishedBy(workspace, { name: "unpublished" })).toBeUndefined();
  });
});

describe("publishing", () => {
  it("does not make a model again that was deleted meanwhile", async () => {
    const { id } = await draft(model("gone"));
    await store.remove(workspace, id, () => undefined);
    await expect(publish(model("gone"), id)).rejects.toMatchObject({ code: "not_found" });
    expect(await store.findByName(workspace, "gone")).toBeUndefined();
  });

  it("is all or nothing, and asks about what is published under the lock", async () => {
    const before = await publish(model("b", "Before"));
    const asked: string[] = [];
    const refused = store.publishAll(
      workspace,
      user,
      ["a", "b"].map((name) => ({ document: model(name, "After"), warnings: [] })),
      (published, next) => {
        asked.push(`${published.description} ${next.description}`);
        throw new Error("no");
      },
    );
    await expect(refused).rejects.toThrow("no");
    expect(asked).toEqual(["Before After"]);
    expect(await store.findByName(workspace, "a")).toBeUndefined();
    expect(await store.findByName(workspace, "b")).toEqual(before);
  });

  it("of the same models at once, in whichever order, makes one version after the other", async () => {
    const names = ["x", "y", "z"];
    const documents = (list: string[]) => list.map((name) => ({ document: model(name), warnings: [] }));
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        store.publishAll(workspace, user, documents(i % 2 === 0 ? names : names.toReversed()), () => {}),
      ),
    );
    for (const name of names) {
      expect(await store.findByName(workspace, name)).toMatchObject({ publishedVersion: 8 });
    }
  });
});

describe("lists", () => {
  it("hold no documents", async () => {
    const record = await publish(model("listed", "Short"));
    expect((await store.summaries(workspace)).find(({ name }) => name === "listed")).toEqual({
      uuid: record.uuid,
      name: "listed",
      description: "Short",
      version: 1,
    });
    expect(Object.keys((await store.versions(record))[0] ?? {}).toSorted()).toEqual([
      "isPublished",
      "publishedAt",
      "publishedBy",
      "version",
      "warnings",
    ]);
  });
});

it("a workspace has so many models and no more, also when several are made or brought back at once", async () => {
  const there = (await store.list(workspace)).length;
  const { id } = await draft(model("deleted"));
  await store.remove(workspace, id, () => undefined);
  const room = LIMITS.models.modelsPerWorkspace - there - 2;
  const names = Array.from({ length: room }, (_, i) => `filler_${i}`);
  await store.saveDrafts(
    workspace,
    user,
    names.map((name) => model(name)),
  );
  const results = await Promise.allSettled(["p", "q", "r", "s"].map((name) => draft(model(name))));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(results.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "plan_limit", message: "This workspace has 500 semantic models already." },
  });
  await expect(store.restore(workspace, id, () => undefined)).rejects.toMatchObject({ code: "plan_limit" });
  await draft(model("filler_0", "Changed"));
});
