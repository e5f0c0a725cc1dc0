import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openTestCatalog } from "../../../test/support/database.ts";
import { Broadcast } from "../catalog/index.ts";
import { type Embedding, openEmbeddings } from "../embeddings/index.ts";
import type { Collection, Entry, KeptVectors, Source } from "./index.ts";
import { Retrieval } from "./index.ts";

const catalog = await openTestCatalog();
const broadcast = new Broadcast(catalog, "test_retrieval");
const root = mkdtempSync(join(tmpdir(), "kenning-retrieval-"));
const embeddings = await openEmbeddings({ folder: join(root, "models"), log: { error() {} } as never });
const opened: Retrieval[] = [];
const logged: unknown[] = [];
const log = {
  warn: (...what: unknown[]) => void logged.push(what),
  error: (...what: unknown[]) => void logged.push(what),
};

afterEach(async () => {
  for (const retrieval of opened.splice(0)) await retrieval.close();
  logged.length = 0;
});
afterAll(async () => {
  await embeddings.close();
  await catalog.close();
  rmSync(root, { recursive: true, force: true });
});

/** Rows as a catalog would hold them, and how often they were read. */
class Rows implements Source {
  readonly of = new Map<number, Map<number, Entry>>();
  reads = 0;
  tokens?: NonNullable<Source["tokens"]>;
  failure: Error | undefined;
  #seq = 0;

  put(workspaceId: number, id: number, body: string, more: Partial<Entry> = {}): void {
    const rows = this.of.get(workspaceId) ?? new Map();
    rows.set(id, { id, seq: ++this.#seq, body, ...more });
    this.of.set(workspaceId, rows);
  }

  async list(workspaceId: number, after: number, limit: number) {
    const rows = [...(this.of.get(workspaceId)?.values() ?? [])];
    return rows
      .filter(({ id }) => id > after)
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  }

  async read(workspaceId: number, ids: readonly number[]) {
    if (this.failure !== undefined) throw this.failure;
    this.reads += ids.length;
    return ids.flatMap((id) => this.of.get(workspaceId)?.get(id) ?? []);
  }
}

function folderOfOwn(): string {
  return mkdtempSync(join(root, "home-"));
}

function open(
  rows: Rows,
  folder = folderOfOwn(),
  more: { memoryBytes?: number } = {},
): { retrieval: Retrieval; documents: Collection } {
  const retrieval = new Retrieval({ catalog, broadcast, embeddings, folder, log: log as never, ...more });
  opened.push(retrieval);
  return { retrieval, documents: retrieval.collection("document", rows) };
}

async function idsOf(documents: Collection, text: string, more = {}, workspaceId = 1): Promise<number[]> {
  return (await documents.search(workspaceId, { text, k: 10, ...more })).map(({ id }) => id);
}

describe("a collection", () => {
  it("is filled from its source, follows changes and forgets what is gone", async () => {
    const rows = new Rows();
    rows.put(1, 1, "The bridge across the river");
    rows.put(1, 2, "A lamp");
    const { documents } = open(rows);
    expect(await idsOf(documents, "river")).toEqual([1]);

    rows.put(1, 2, "A lamp by the river, by the river");
    rows.put(1, 3, "River");
    await documents.refresh(1, [2, 3]);
    expect((await idsOf(documents, "river")).toSorted()).toEqual([1, 2, 3]);

    rows.of.get(1)?.delete(1);
    await documents.refresh(1, [1]);
    expect((await idsOf(documents, "river")).toSorted()).toEqual([2, 3]);
    expect(await documents.stats(1)).toMatchObject({ entries: 2 });
  });

  it("filters by attributes and time, and says how much of the question was found", async () => {
    const rows = new Rows();
    rows.put(1, 1, "stone bridge", { attributes: { base: 7, tag: ["a", "b"] }, validTo: 100 });
    rows.put(1, 2, "stone bridge", { attributes: { base: 8 }, validFrom: 100 });
    const { documents } = open(rows);
    expect(await idsOf(documents, "stone", { filter: { base: [7] } })).toEqual([1]);
    expect(await idsOf(documents, "stone", { filter: { base: [7, 8], tag: ["b"] } })).toEqual([1]);
    expect(await idsOf(documents, "stone", { filter: { base: [] } })).toEqual([]);
    expect(await idsOf(documents, "stone", { at: 99 })).toEqual([1]);
    expect(await idsOf(documents, "stone", { at: 100 })).toEqual([2]);
    const [whole] = await documents.search(1, { text: "stone bridge", k: 1 });
    const [part] = await documents.search(1, { text: "stone cathedral", k: 1 });
    expect(whole!.score).toBeGreaterThan(part!.score);
    expect(whole!.score).toBeLessThanOrEqual(1);
    await expect(documents.search(1, { text: "stone", k: 0 })).rejects.toMatchObject({ code: "bad_request" });
  });

  it("scores one workspace as if there were no other", async () => {
    const alone = new Rows();
    const shared = new Rows();
    for (const rows of [alone, shared]) {
      rows.put(1, 1, "a rare word and a lamp");
      rows.put(1, 2, "a lamp");
    }
    for (let id = 10; id < 60; id++) shared.put(2, id, "rare rare rare lamp");
    const [one, other] = [open(alone).documents, open(shared).documents];
    await idsOf(other, "lamp", {}, 2);
    const question = { text: "rare lamp", k: 10 };
    expect(await other.search(1, question)).toEqual(await one.search(1, question));
    expect(await idsOf(other, "rare", {}, 3)).toEqual([]);
  });

  it("takes many changes at once, and ends with what the source has", async () => {
    const rows = new Rows();
    const { documents } = open(rows);
    await idsOf(documents, "nothing");
    const rounds = Array.from({ length: 300 }, async (_, i) => {
      rows.put(1, i % 40, `version${i} lamp`);
      await documents.refresh(1, [i % 40]);
      return await documents.search(1, { text: `version${i}`, k: 1 });
    });
    await Promise.all(rounds);
    const { entries } = await documents.stats(1);
    expect(entries).toBe(40);
    for (let i = 260; i < 300; i++) expect(await idsOf(documents, `version${i}`)).toEqual([i % 40]);
    expect(await idsOf(documents, "version3")).toEqual([]);
  });
});

describe("meaning", () => {
  it("finds what has other words, once there are vectors, and is told of as a leg", async () => {
    const rows = new Rows();
    const texts = [
      "The bill was settled by the client.",
      "It will rain in the mountains tomorrow.",
      "A new text.",
    ];
    const made = await embeddings.embed(texts);
    for (const [id, body] of texts.entries()) rows.put(1, id, body, id < 2 ? { embedding: made[id]! } : {});
    rows.put(1, 3, "Another model made this.", { embedding: { ...made[0]!, fingerprint: "another" } });
    const { documents } = open(rows);
    const question = { text: "Who paid the invoice?", k: 2 };
    expect(await documents.search(1, { ...question, legs: ["lexical"] })).toEqual([]);
    const [hit] = await documents.search(1, question);
    expect(hit).toMatchObject({ id: 0, legs: { lexical: 0, dense: expect.any(Number) } });
    expect(await documents.stats(1)).toMatchObject({ entries: 4, vectors: 2 });

    rows.tokens = async (_workspaceId, ids) =>
      ids.flatMap((id) => (id < 2 ? { id, tokens: made[id]!.tokens! } : []));
    const compared = await documents.search(1, { ...question, k: 10 });
    expect(compared[0]).toMatchObject({ id: 0, legs: { tokens: expect.any(Number) } });
    for (const { score } of compared) expect(score).toSatisfy((value: number) => value >= 0 && value <= 1);
  });

  it.each(["document", "memory"] as const)(
    "does not hide a %s that is new and has no vector yet",
    async (kind) => {
      const rows = new Rows();
      const texts = Array.from({ length: 25 }, (_, n) => `The lamp of number ${n}. Its mark is mark${n}end.`);
      const made = await embeddings.embed(texts);
      for (const [id, body] of texts.entries()) rows.put(1, id, body, { embedding: made[id]! });
      rows.put(1, 100, "The lamp of number 100. Its mark is mark100end.");
      rows.tokens = async (_, ids) => ids.flatMap((id) => (id < 25 ? { id, tokens: made[id]!.tokens! } : []));
      const retrieval = new Retrieval({
        catalog,
        broadcast,
        embeddings,
        folder: folderOfOwn(),
        log: log as never,
      });
      opened.push(retrieval);
      const collection = retrieval.collection(kind, rows);
      expect((await idsOf(collection, "mark100end"))[0]).toBe(100);
      expect((await idsOf(collection, "mark7end"))[0]).toBe(7);
    },
  );

  it("of a talk is asked for in the words of whom the question names", async () => {
    const rows = new Rows();
    const turns = ["I bought a red bicycle.", "Caroline, did Caroline buy a bicycle?", "I sold my bicycle."];
    const made = await embeddings.embed(turns);
    for (const [id, body] of turns.entries())
      rows.put(1, id, body, {
        speaker: id === 0 ? "Caroline" : "Melanie",
        thread: { key: "talk", order: id },
        embedding: made[id]!,
      });
    const memories = open(rows).retrieval.collection("memory", rows);
    expect((await memories.search(1, { text: "What did Caroline buy?", k: 3 })).map(({ id }) => id)[0]).toBe(
      0,
    );
  });
});

describe("what is on disk", () => {
  async function sealed(): Promise<{ rows: Rows; folder: string; file: string }> {
    const rows = new Rows();
    for (let id = 1; id <= 500; id++)
      rows.put(1, id, `lamp number${id}`, {
        thread: { key: `t${id % 7}`, order: id },
        attributes: { base: id % 3 },
      });
    const folder = folderOfOwn();
    const { retrieval, documents } = open(rows, folder);
    await idsOf(documents, "lamp");
    await retrieval.close();
    expect(readdirSync(folder)).toEqual(["document-1.index"]);
    return { rows, folder, file: join(folder, "document-1.index") };
  }

  it("spares reading what has not changed, and no more", async () => {
    const { rows, folder } = await sealed();
    const before = await open(rows).documents.search(1, { text: "number17 lamp", k: 5 });
    rows.put(1, 7, "a new text");
    rows.put(1, 900, "lamp number900");
    rows.of.get(1)?.delete(8);
    rows.reads = 0;
    const { documents } = open(rows, folder);
    expect(await idsOf(documents, "number900")).toEqual([900]);
    // Two that changed, and one that is gone.
    expect(rows.reads).toBe(3);
    expect(await idsOf(documents, "number7")).toEqual([]);
    expect(await idsOf(documents, "number8")).toEqual([]);
    expect((await documents.search(1, { text: "number17 lamp", k: 5 }))[0]!.id).toBe(before[0]!.id);
    expect(await idsOf(documents, "number17", { filter: { base: [17 % 3] } })).toEqual([17]);
  });

  it.each([
    ["cut off", (file: string) => truncateSync(file, 5_000)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["gone", (file: string) => rmSync(file)],
    [
      "changed in one byte",
      (file: string) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1]! ^= 1;
        writeFileSync(file, bytes);
      },
    ],
  ])("is built again where it is %s", async (_, damage) => {
    const { rows, folder, file } = await sealed();
    damage(file);
    rows.reads = 0;
    const { documents } = open(rows, folder);
    expect(await idsOf(documents, "number17")).toEqual([17]);
    expect(rows.reads).toBe(500);
  });

  it("is built again on demand", async () => {
    const { rows, folder } = await sealed();
    const { documents } = open(rows, folder);
    await idsOf(documents, "lamp");
    rows.reads = 0;
    rows.of.get(1)?.delete(9);
    const rebuilt = documents.rebuild(1);
    expect(await idsOf(documents, "number18")).toEqual([18]);
    rows.put(1, 900, "lamp number900");
    await documents.refresh(1, [900]);
    await rebuilt;
    expect(rows.reads).toBeGreaterThanOrEqual(500);
    expect(await idsOf(documents, "number900")).toEqual([900]);
    expect(await idsOf(documents, "number9")).toEqual([]);
    expect(await idsOf(documents, "number17")).toEqual([17]);
  });
});

describe("indexes that do not fit into memory together", () => {
  it("make room for each other, and are read from disk when they are asked again", async () => {
    const rows = new Rows();
    for (const workspace of [1, 2, 3])
      for (let id = 1; id <= 200; id++) rows.put(workspace, id, `lamp number${id} of ${workspace}`);
    const folder = folderOfOwn();
    const { documents } = open(rows, folder, { memoryBytes: 1 });
    for (const workspace of [1, 2, 3])
      expect(await idsOf(documents, "number17", {}, workspace)).toEqual([17]);
    expect(readdirSync(folder).toSorted()).toEqual(["document-1.index", "document-2.index"]);
    rows.reads = 0;
    expect(await idsOf(documents, "number18", {}, 1)).toEqual([18]);
    expect(rows.reads).toBe(0);
    rows.put(2, 201, "lamp number201");
    await documents.refresh(2, [201]);
    expect(await idsOf(documents, "number201", {}, 2)).toEqual([201]);
    expect(await idsOf(documents, "number201", {}, 1)).toEqual([]);
  });

  it("answer all who ask at once", async () => {
    const rows = new Rows();
    for (let workspace = 1; workspace <= 5; workspace++)
      for (let id = 1; id <= 100; id++) rows.put(workspace, id, `lamp number${id}`);
    const { documents } = open(rows, folderOfOwn(), { memoryBytes: 1 });
    const asked = Array.from({ length: 60 }, (_, i) => idsOf(documents, `number${i + 1}`, {}, 1 + (i % 5)));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 60 }, (_, i) => [i + 1]));
    expect(logged).toEqual([]);
  });
});

describe("when something fails", () => {
  it("a change that could not be read is found by the next search", async () => {
    const rows = new Rows();
    rows.put(1, 1, "lamp");
    const { documents } = open(rows);
    await idsOf(documents, "lamp");
    rows.put(1, 2, "lamp");
    rows.failure = new Error("the database is away");
    await documents.refresh(1, [2]);
    await expect(documents.search(1, { text: "lamp", k: 10 })).rejects.toThrow("the database is away");
    rows.failure = undefined;
    expect((await idsOf(documents, "lamp")).toSorted()).toEqual([1, 2]);
  });

  it("a thread that ends takes nothing with it", async () => {
    const rows = new Rows();
    for (let id = 1; id <= 50; id++) rows.put(1, id, `lamp number${id}`);
    const { retrieval, documents } = open(rows);
    await idsOf(documents, "lamp");
    const asked = Array.from({ length: 20 }, (_, i) => idsOf(documents, `number${i + 1}`));
    const ended = retrieval.endThread();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, i) => [i + 1]));
    await ended;
    expect(await idsOf(documents, "number7")).toEqual([7]);
  });
});

/** Rows whose vectors are kept beside them. */
class EmbeddedRows extends Rows implements KeptVectors {
  readonly kept = new Map<number, Embedding>();

  async missing(fingerprint: string, which: { after: number; ids?: readonly number[] }, limit: number) {
    const all = [...this.of].flatMap(([workspaceId, rows]) =>
      [...rows.values()].map(({ id, body }) => ({ id, workspaceId, text: body })),
    );
    const isWanted = (id: number) => id > which.after && (which.ids?.includes(id) ?? true);
    return all
      .filter(({ id }) => isWanted(id) && this.kept.get(id)?.fingerprint !== fingerprint)
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  }

  async keep(embedded: readonly { id: number; embedding: Embedding }[]) {
    for (const { id, embedding } of embedded) this.kept.set(id, embedding);
  }

  async dropOthers() {}

  override async read(workspaceId: number, ids: readonly number[]) {
    return (await super.read(workspaceId, ids)).map((entry) => {
      const embedding = this.kept.get(entry.id);
      return embedding === undefined ? entry : { ...entry, embedding };
    });
  }
}

/** Rows that may have vectors of several models. */
class ModelRows extends Rows implements KeptVectors {
  readonly kept = new Map<string, Embedding>();

  async missing(fingerprint: string, { after }: { after: number }) {
    const all = [...(this.of.get(1)?.values() ?? [])].filter(({ id }) => id > after);
    const without = all.filter(({ id }) => !this.kept.has(`${fingerprint}:${id}`));
    return without.map(({ id, body }) => ({ id, workspaceId: 1, text: body }));
  }

  async keep(embedded: readonly { id: number; embedding: Embedding }[]) {
    for (const { id, embedding } of embedded) this.kept.set(`${embedding.fingerprint}:${id}`, embedding);
  }

  async dropOthers(fingerprint: string) {
    for (const key of this.kept.keys()) if (!key.startsWith(`${fingerprint}:`)) this.kept.delete(key);
  }

  override async read(workspaceId: number, ids: readonly number[], fingerprint = "") {
    return (await super.read(workspaceId, ids)).map((entry) => {
      const embedding = this.kept.get(`${fingerprint}:${entry.id}`);
      return embedding === undefined ? entry : { ...entry, embedding };
    });
  }
}

/** Speaks as OpenAI's does; everything points the same way. The texts of one model can be kept waiting. */
class EmbeddingEndpoint {
  /** Models that were asked about a question. */
  readonly questions: string[] = [];
  held: string | undefined;
  readonly #released = Promise.withResolvers<void>();
  readonly #server = createServer(async (request, response) => {
    const { model, input } = (await json(request)) as { model: string; input: string[] };
    const isQuestion = input.length === 1 && !input[0]!.includes(" ");
    if (isQuestion) this.questions.push(model);
    else if (model === this.held) await this.#released.promise;
    const data = input.map((_, index) => ({ index, embedding: [1, 2, model.length] }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data }));
  });

  static async listen(): Promise<EmbeddingEndpoint> {
    const endpoint = new EmbeddingEndpoint();
    endpoint.#server.listen(0, "127.0.0.1");
    await once(endpoint.#server, "listening");
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  release(): void {
    this.#released.resolve();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe("vectors", () => {
  const question = { text: "Who paid the invoice?", k: 10 };
  const found = async (documents: Collection) => (await documents.search(1, question)).map(({ id }) => id);

  function openEmbedded(rows: EmbeddedRows) {
    const retrieval = new Retrieval({
      catalog,
      broadcast,
      embeddings,
      folder: folderOfOwn(),
      log: log as never,
    });
    opened.push(retrieval);
    return { retrieval, documents: retrieval.collection("document", rows, rows) };
  }

  it("come in the background, of what was there and of what is new", async () => {
    const rows = new EmbeddedRows();
    rows.put(1, 1, "The bill was settled by the client.");
    rows.put(1, 2, "It will rain in the mountains tomorrow.");
    const { retrieval, documents } = openEmbedded(rows);
    expect(await found(documents)).toEqual([]);
    await retrieval.startEmbedding();
    await expect.poll(() => found(documents)).toEqual([1]);
    rows.put(1, 3, "Our customer has transferred the money for the bill.");
    await documents.refresh(1, [3]);
    await expect.poll(async () => (await found(documents)).toSorted()).toEqual([1, 3]);
    expect(rows.kept.size).toBe(3);
  });

  it("come to a few new entries before many others that were there first", async () => {
    const rows = new EmbeddedRows();
    const { retrieval, documents } = openEmbedded(rows);
    await retrieval.startEmbedding();
    const many = Array.from({ length: 300 }, (_, i) => i + 1);
    for (const id of many) rows.put(1, id, `Page ${id} of a long book.`);
    const stored = Promise.withResolvers<void>();
    const keep = rows.keep.bind(rows);
    rows.keep = async (embedded) => {
      await stored.promise;
      await keep(embedded);
    };
    await documents.refresh(1, many);
    rows.put(2, 1_000, "The client settled the bill.");
    await documents.refresh(2, [1_000]);
    stored.resolve();
    await expect.poll(() => rows.kept.size).toBe(301);
    expect([...rows.kept.keys()].indexOf(1_000)).toBeLessThan(200);
  });

  it("are made by a server for what another process has put in", async () => {
    const rows = new EmbeddedRows();
    const [server, command] = [openEmbedded(rows), openEmbedded(rows)];
    await server.retrieval.startEmbedding();
    rows.put(1, 1, "The bill was settled by the client.");
    await command.documents.refresh(1, [1]);
    await expect.poll(() => found(server.documents)).toEqual([1]);
    expect(rows.kept.size).toBe(1);
  });

  it("are made once those who keep them can be reached again", async () => {
    const rows = new EmbeddedRows();
    rows.put(1, 1, "The bill was settled by the client.");
    const { retrieval } = openEmbedded(rows);
    const missing = rows.missing.bind(rows);
    let failures = 1;
    rows.missing = async (...args) => {
      if (failures-- > 0) throw new Error("the database is away");
      return missing(...args);
    };
    await retrieval.startEmbedding();
    await expect.poll(() => rows.kept.size, { timeout: 20_000 }).toBe(1);
    expect(logged).not.toEqual([]);
  });
});

describe("a change of model", () => {
  it("lets the former one serve until every text has a vector of the new one", async () => {
    const endpoint = await EmbeddingEndpoint.listen();
    const folder = folderOfOwn();
    const rows = new ModelRows();
    rows.put(1, 1, "The bill was settled by the client.");
    const openWith = async (model: string) => {
      const own = await openEmbeddings({ folder, log: log as never, url: endpoint.url, model });
      const retrieval = new Retrieval({ catalog, broadcast, embeddings: own, folder, log: log as never });
      opened.push(retrieval);
      return { own, documents: retrieval.collection("document", rows, rows), retrieval };
    };
    const before = await openWith("former");
    await before.retrieval.startEmbedding();
    await expect.poll(() => idsOf(before.documents, "payment")).toEqual([1]);
    await before.retrieval.close();

    endpoint.held = "next";
    const after = await openWith("next");
    await after.retrieval.startEmbedding();
    expect(await idsOf(after.documents, "money")).toEqual([1]);
    expect(endpoint.questions).toEqual(["former", "former"]);
    endpoint.release();
    await expect.poll(() => after.own.servingFingerprint).toMatch(/next$/);
    expect(await idsOf(after.documents, "cash")).toEqual([1]);
    expect(endpoint.questions.at(-1)).toBe("next");
    await expect.poll(() => [...rows.kept.keys()]).toEqual([expect.stringMatching(/next:1$/)]);
    await after.retrieval.close();

    const later = await openWith("next");
    expect(later.own.servingFingerprint).toBe(later.own.fingerprint);
    await endpoint.close();
  });
});

describe("several processes", () => {
  it("follow each other's changes", async () => {
    const rows = new Rows();
    rows.put(1, 1, "lamp");
    const [here, there] = [open(rows).documents, open(rows).documents];
    expect([await idsOf(here, "lamp"), await idsOf(there, "lamp")]).toEqual([[1], [1]]);
    rows.put(1, 2, "river");
    await here.refresh(1, [2]);
    await expect.poll(() => idsOf(there, "river")).toEqual([2]);
  });
});
