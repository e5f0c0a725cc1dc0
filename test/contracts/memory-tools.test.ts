import { describe, expect, it } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { idsOf, MemoryClient } from "../support/memory.ts";
import { callOf, PATHS } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";

/** The ten tools as the reference prints them, in all roles and scopes. */

const server = await serverOfFile();
await server.app.identity.workspaces.create({ slug: "other" });
const acme = new MemoryClient(server, await server.token({ kind: "memory" }));
const stranger = new MemoryClient(server, await server.token({ kind: "memory", workspace: "other" }));

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/;

const TRAINING = {
  title: "QM training mandatory",
  content: "All service staff complete the QM training annually.",
  memory_type: "procedural",
  tags: ["qm", "training"],
  source: "internal-handbook",
};
const CONTACT = {
  title: "Onboarding contacts Q2 2026",
  content: "Anna Müller owns onboarding for new service staff, deputised by Tomasz Kowalski.",
  source: "internal-handbook-v3",
};

describe("the examples of the reference", () => {
  it("[memory.store.result] [memory.recall.result] [memory.result.fields] store_memory, then recall", async () => {
    const { body } = await acme.answer("store_memory", TRAINING);
    expect(body.result).toMatchObject({
      memory_id: expect.stringMatching(/^memory_qm_training_mandatory_\d{4}_\d{2}$/),
      created_at: expect.stringMatching(TIME),
    });
    const memory_id = await acme.store(CONTACT.content, { title: CONTACT.title, source: CONTACT.source });
    const asked = await acme.call("recall", { query: "Who is the onboarding contact?", k: 5, hops: 2 });
    expect(asked.elapsed_ms).toBeGreaterThanOrEqual(0);
    expect(asked.hits[0]).toEqual({ memory_id, ...CONTACT, score: expect.any(Number) });
    expect(asked.hits[0].score > 0 && asked.hits[0].score <= 1).toBe(true);
  });

  it("[memory.store.type] store_memory with each type, and without one", async () => {
    const token = await server.token();
    for (const memory_type of ["semantic", "episodic", "procedural", "reference", undefined]) {
      const memory_id = await acme.store(`Of the type ${memory_type}.`, { memory_type });
      const { body } = await callOf(server, PATHS.all, "get_memory", { memory_id }, { token });
      expect(body.result?.structuredContent).toMatchObject({ memory_type: memory_type ?? "semantic" });
    }
  });

  it("[memory.update.result] [memory.at-time.result] [memory.at-time.period] update_fact, then recall_at_time", async () => {
    const old_memory_id = await acme.store("Müller GmbH is on Business with five seats.", {
      title: "Müller GmbH plan",
    });
    const before = new Date().toISOString();
    await expect.poll(() => new Date().toISOString() > before).toBe(true);
    const updated = await acme.call("update_fact", {
      target_id: old_memory_id,
      new_title: "Müller GmbH plan, larger",
      new_content: "Müller GmbH is on Enterprise with fifty seats.",
      update_reason: "Upgraded",
    });
    expect(updated).toEqual({
      old_memory_id,
      new_memory_id: `${old_memory_id}_v2`,
      supersedes_edge: expect.stringMatching(/^edge_supersedes_\d{4}_\d{2}_\d{2}/),
    });
    const [then] = await acme.at("Müller GmbH plan status", before, { k: 1 });
    expect(then).toEqual({
      memory_id: old_memory_id,
      title: "Müller GmbH plan",
      content: "Müller GmbH is on Business with five seats.",
      valid_from: expect.stringMatching(TIME),
      valid_to: expect.stringMatching(TIME),
      score: expect.any(Number),
    });
    const [now] = (await acme.call("recall_at_time", { query: "Müller GmbH plan status", k: 1 })).hits;
    expect(now).toMatchObject({
      memory_id: updated.new_memory_id,
      valid_from: then?.valid_to,
      valid_to: null,
    });
    expect(idsOf(await acme.recall("Müller GmbH plan status"))).not.toContain(old_memory_id);
    expect(idsOf(await acme.at("Müller GmbH plan status", "2001-01-01"))).toEqual([]);
    expect(await acme.call("list_relations", { memory_id: old_memory_id })).toMatchObject({
      outgoing: [{ rel_type: "SUPERSEDED_BY", to: updated.new_memory_id, inverse: true }],
      incoming: [{ rel_type: "SUPERSEDES", from: updated.new_memory_id, created_at: then?.valid_to }],
    });
    expect(await acme.call("list_relations", { memory_id: updated.new_memory_id })).toMatchObject({
      outgoing: [{ rel_type: "SUPERSEDES", to: old_memory_id }],
      incoming: [{ rel_type: "SUPERSEDED_BY", from: old_memory_id, inverse: true }],
    });
  });

  it("[memory.link.result] [memory.relations.result] [memory.relations.inverse] [memory.unlink.result] link, list_relations, unlink", async () => {
    const from_id = await acme.store("Workshop on 12 March about quality.", { title: "Workshop" });
    const to_id = await acme.store("Müller GmbH is a client.", { title: "Müller client", tags: ["client"] });
    const link = { from_id, to_id, rel_type: "FOR_CLIENT" };
    const edges = await acme.call("link", link);
    expect(edges).toEqual({
      edge_id: expect.stringMatching(/^edge_for_client_\d{4}_\d{2}_\d{2}/),
      inverse_edge_id: expect.stringMatching(/^edge_has_work_\d{4}_\d{2}_\d{2}/),
    });
    expect(await acme.call("link", link)).toEqual(edges);
    const created_at = expect.stringMatching(TIME);
    expect(await acme.call("list_relations", { memory_id: from_id })).toEqual({
      outgoing: [{ rel_type: "FOR_CLIENT", to: to_id, created_at }],
      incoming: [{ rel_type: "HAS_WORK", from: to_id, created_at, inverse: true }],
    });
    expect(await acme.call("list_relations", { memory_id: to_id })).toEqual({
      outgoing: [{ rel_type: "HAS_WORK", to: from_id, created_at, inverse: true }],
      incoming: [{ rel_type: "FOR_CLIENT", from: from_id, created_at }],
    });
    expect(await acme.call("unlink", link)).toEqual({ deleted: true });
    expect(await acme.call("list_relations", { memory_id: to_id })).toEqual({ outgoing: [], incoming: [] });
    expect(await acme.error("unlink", link)).toMatchObject({ code: 404 });
  });

  it("[memory.upload.result] [memory.upload.sections] [memory.stats.result] upload_document", async () => {
    const before = await acme.call("stats");
    const chapters = ["Flow", "Rights", "Tools"].map(
      (name) => `# ${name}\n\nAll about ${name.toLowerCase()}.\n`,
    );
    const uploaded = await acme.call("upload_document", {
      title: "Onboarding Handbook v3",
      content: chapters.join("\n"),
      source: "internal-handbook-v3.md",
    });
    expect(uploaded).toEqual({
      document_id: expect.stringMatching(/^doc_onboarding_handbook_v3_\d{4}_\d{2}$/),
      chunks: 3,
      status: "indexed",
    });
    const { outgoing } = await acme.call("list_relations", { memory_id: uploaded.document_id });
    expect(outgoing).toHaveLength(3);
    expect(outgoing[0].rel_type).toBe("HAS_CHUNK");
    const [hit] = await acme.recall("What are the rights?");
    expect(hit).toMatchObject({
      title: "Onboarding Handbook v3 › Rights",
      source: "internal-handbook-v3.md",
    });
    const after = await acme.call("stats");
    expect(after).toEqual({
      memories: before.memories + 1,
      edges: before.edges + 6,
      chunks: before.chunks + 3,
    });
  });
});

describe("errors", () => {
  it.each([
    ["recall", {}],
    ["recall", { query: "" }],
    ["recall", { query: "  " }],
    ["recall", { query: "x", k: 0 }],
    ["recall", { query: "x", k: 26 }],
    ["recall", { query: "x", hops: 4 }],
    ["recall", { query: "x", hops: -1 }],
    ["recall", { query: "x", k: 2.5 }],
    ["recall", { query: "x", limit: 5 }],
    ["recall_at_time", {}],
    ["recall_at_time", { query: "x", as_of: "yesterday" }],
    ["recall_at_time", { query: "x", as_of: "2026-02-31" }],
    ["recall_at_time", { query: "x", as_of: "2026-13-01T00:00:00Z" }],
    ["recall_at_time", { query: "x", as_of: 5 }],
    ["list_relations", {}],
    ["store_memory", {}],
    ["store_memory", { content: " \n" }],
    ["store_memory", { content: "x", memory_type: "vague" }],
    ["store_memory", { content: "x", tags: "a" }],
    ["upload_document", {}],
    ["upload_document", { content: "" }],
    ["update_fact", { target_id: "m", new_title: "t" }],
    ["update_fact", { target_id: "m", new_content: "t" }],
    ["update_fact", { new_title: "t", new_content: "t" }],
    ["link", { from_id: "a", to_id: "b" }],
    ["link", { from_id: "a", to_id: "b", rel_type: "for client" }],
  ])("[memory.error.params] %s %j is -32602", async (tool, args) => {
    expect(await acme.error(tool, args)).toMatchObject({ code: -32602 });
  });

  it("[memory.recall.bounds] takes the ends of its ranges, and five hits by itself", async () => {
    for (const place of ["Skomer", "Lunga", "Mykines", "Runde", "Røst", "Hornøya"])
      await acme.store(`Puffins nest on ${place}.`);
    const query = "Where do puffins nest?";
    const [few, all] = [await acme.recall(query), await acme.recall(query, { k: 25, hops: 3 })];
    expect({ few: few.length, all: all.length >= 6 }).toEqual({ few: 5, all: true });
    expect(await acme.recall(query, { k: 1, hops: 0 })).toHaveLength(1);
    expect((await acme.call("recall_at_time", { query })).hits).toHaveLength(5);
  });

  it.each([
    ["list_relations", { memory_id: "memory_none" }],
    ["update_fact", { target_id: "memory_none", new_title: "t", new_content: "c" }],
    ["link", { from_id: "memory_none", to_id: "memory_nobody", rel_type: "OWNS" }],
    ["unlink", { from_id: "memory_none", to_id: "memory_nobody", rel_type: "OWNS" }],
  ])("[memory.error.not-found] %s of what is not there is 404", async (tool, args) => {
    expect(await acme.error(tool, args)).toMatchObject({ code: 404 });
  });

  it("[memory.error.constraint] a relation that the vocabulary does not allow is 400 with what is allowed", async () => {
    const person = await acme.store("Anna works here.", { tags: ["person"] });
    const project = await acme.store("Project Atlas.", { tags: ["project"] });
    const unknown = await acme.error("link", { from_id: person, to_id: project, rel_type: "FOR_CLIENTS" });
    expect(unknown).toMatchObject({ code: 400, data: { allowed: expect.arrayContaining(["OWNS"]) } });
    expect(unknown?.message).toContain("Did you mean FOR_CLIENT?");
    const domain = await acme.error("link", { from_id: person, to_id: project, rel_type: "REPORTS_TO" });
    expect(domain).toMatchObject({ code: 400, data: { target: project, allowed: ["person"] } });
    const self = await acme.error("link", { from_id: person, to_id: person, rel_type: "RELATED_TO" });
    expect(self).toMatchObject({ code: 400 });
    const chunk = await acme.error("link", { from_id: person, to_id: project, rel_type: "HAS_CHUNK" });
    expect(chunk).toMatchObject({ code: 400 });
    expect(await acme.call("list_relations", { memory_id: person })).toEqual({ outgoing: [], incoming: [] });
  });

  it("[memory.error.too-large] 413 above 100 KB of a memory and 10 MB of a document", async () => {
    const large = "ä".repeat(51_201);
    expect(await acme.error("store_memory", { content: large })).toMatchObject({ code: 413 });
    const huge = "word ".repeat(2 * 1024 * 1024 + 205);
    expect(await acme.error("upload_document", { content: huge })).toMatchObject({ code: 413 });
  });

  it("[memory.error.plan] 402 where the plan has no room, and nothing is stored", async () => {
    await server.app.identity.workspaces.create({ slug: "small" });
    const kenning = await CommandLine.open();
    const plan = (...words: string[]) =>
      kenning.call(["workspace", "plan", "small", ...words], { env: { DATABASE_URL: server.databaseUrl } });
    expect((await plan("--limits", "memories=2")).code).toBe(0);
    const small = new MemoryClient(server, await server.token({ kind: "memory", workspace: "small" }));
    await small.store("The first one.");
    await small.store("The last one.");
    expect(await small.error("store_memory", { content: "One too many." })).toMatchObject({ code: 402 });
    expect(await small.error("upload_document", { content: "One too many." })).toMatchObject({ code: 402 });
    expect(JSON.parse((await plan("--json")).out)).toEqual([
      { metric: "memories", used: 2, limit: 2, period: "total" },
    ]);
    expect(await small.call("stats")).toMatchObject({ memories: 2 });
    expect(JSON.stringify(await small.recall("One too many"))).not.toContain("many");
    expect((await plan("--use", "self-hosted")).code).toBe(0);
    await small.store("One more.");
    kenning.remove();
  });

  it("[memory.update.conflict] of two updates at once one wins, the other is told so", async () => {
    const target_id = await acme.store("The office is in Detmold.");
    const updates = ["Bielefeld", "Paderborn", "Lemgo", "Herford"].map((town) =>
      acme.answer("update_fact", {
        target_id,
        new_title: "Office",
        new_content: `The office is in ${town}.`,
      }),
    );
    const answers = (await Promise.all(updates)).map(({ body }) => body);
    const won = answers.filter(({ error }) => error === undefined);
    expect(won).toHaveLength(1);
    const current_id = won[0]?.result?.new_memory_id;
    for (const { error } of answers.filter((body) => body.error !== undefined))
      expect(error).toMatchObject({ code: 409, data: { current_id } });
    const found = (await acme.recall("office")).filter(({ content }) =>
      content.startsWith("The office is in"),
    );
    expect(idsOf(found)).toEqual([current_id]);
  });
});

describe("tokens", () => {
  const READS = [
    ["recall", { query: "x" }],
    ["recall_at_time", { query: "x" }],
    ["list_relations", { memory_id: "x" }],
    ["stats", {}],
  ] as const;
  const WRITES = [
    ["store_memory", { content: "x" }],
    ["upload_document", { content: "x" }],
    ["update_fact", { target_id: "x", new_title: "x", new_content: "x" }],
    ["link", { from_id: "x", to_id: "y", rel_type: "OWNS" }],
    ["unlink", { from_id: "x", to_id: "y", rel_type: "OWNS" }],
  ] as const;
  const codes = async (client: MemoryClient, calls: typeof READS | typeof WRITES) => {
    const errors = [];
    for (const [tool, args] of calls) errors.push((await client.error(tool, args))?.code);
    return errors;
  };

  it("[memory.scope.read] read is enough to recall and list, and for nothing else", async () => {
    // Only where another sign-in of the same person would help, HTTP itself says so.
    for (const [wish, status] of [
      [{ scopes: ["read"] }, 403],
      [{ role: "viewer" as const }, 200],
      [{ limits: { readOnly: true } }, 200],
    ] as const) {
      const reader = new MemoryClient(server, await server.token({ kind: "memory", ...wish }));
      expect((await reader.answer("store_memory", { content: "x" })).status).toBe(status);
      expect(await codes(reader, READS)).toEqual([undefined, undefined, 404, undefined]);
      expect(await codes(reader, WRITES)).toEqual([403, 403, 403, 403, 403]);
    }
  });

  it("[memory.scope.write] [memory.scope.admin] write and admin create and maintain, and read", async () => {
    for (const wish of [{ scopes: ["write"] }, { scopes: ["admin"] }, { role: "contributor" as const }]) {
      const writer = new MemoryClient(server, await server.token({ kind: "memory", ...wish }));
      expect(await codes(writer, READS)).toEqual([undefined, undefined, 404, undefined]);
      expect(await codes(writer, WRITES)).toEqual([undefined, undefined, 404, 404, 404]);
    }
  });

  it("[memory.token.workspace] two workspaces never see each other", async () => {
    const mine = await acme.store("The zebra code is 4711.", { title: "Zebra" });
    const own = await acme.store("The zebra lives in Acme.");
    const before = await stranger.call("stats");
    expect(await stranger.recall("zebra code")).toEqual([]);
    expect(await stranger.at("zebra code", new Date().toISOString())).toEqual([]);
    const absent = await stranger.error("list_relations", { memory_id: "memory_none" });
    const foreign = await stranger.error("list_relations", { memory_id: mine });
    expect(foreign?.message.replace(mine, "memory_none")).toBe(absent?.message);
    const theirs = await stranger.store("A zebra of ours.", { title: "Zebra" });
    expect(theirs).toBe(mine);
    for (const [tool, args] of [
      ["update_fact", { target_id: own, new_title: "x", new_content: "x" }],
      ["link", { from_id: theirs, to_id: own, rel_type: "RELATED_TO" }],
      ["unlink", { from_id: theirs, to_id: own, rel_type: "RELATED_TO" }],
    ] as const)
      expect(await stranger.error(tool, args)).toMatchObject({ code: 404 });
    // Its score is another one when it has got its vector.
    const token = await server.token({ workspace: "other" });
    const why = async () => {
      const { body } = await callOf(server, PATHS.all, "recall", { query: "zebra", why: true }, { token });
      return (body.result?.structuredContent as { hits: { why: object }[] } | undefined)?.hits[0]?.why ?? {};
    };
    await expect.poll(why, { timeout: 30_000 }).toHaveProperty("meaning");
    const [hit] = await stranger.recall("zebra");
    expect(hit?.content).toBe("A zebra of ours.");
    const score = hit?.score;
    for (let i = 0; i < 5; i += 1) await acme.store(`Zebra number ${i} of many.`);
    expect((await stranger.recall("zebra"))[0]?.score).toBe(score);
    expect(await stranger.call("stats")).toEqual({
      memories: before.memories + 1,
      edges: before.edges,
      chunks: before.chunks + 1,
    });
  });

  it("reach the same memories on /mcp by plain names", async () => {
    const token = await server.token();
    const stored = await callOf(
      server,
      PATHS.all,
      "store_memory",
      { content: "The heron nests in May." },
      { token },
    );
    const content = stored.body.result?.structuredContent;
    expect(idsOf(await acme.recall("heron"))).toContain(content?.memory_id);
  });
});
