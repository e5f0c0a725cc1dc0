import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { addDocument, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, viewer, stranger, admin, datasetId, call, stop } = await startBoards();
afterAll(stop);

interface Found {
  results: { id: string; title: string; url: string; text?: string }[];
}

interface Fetched {
  id: string;
  title: string;
  text: string;
  url: string;
}

const search = (query: string, token = viewer) => call<Found>("search", { query }, token);
const fetched = (id: string, token = viewer) => call<Fetched>("fetch", { id }, token);
let documentId: number;

beforeAll(async () => {
  const base = await makeBase(server, admin, { name: "Handbooks" });
  const text = "# Prices\n\nThe sales price of the gravel bicycle is 1,999 euros in the shop.";
  ({ document_id: documentId } = await addDocument(server, admin, base, "prices.md", text));
  await call("store_memory", { content: "Maren decides about every sales price of bicycles." }, admin);
  await vi.waitFor(
    async () => {
      const { results } = await search("sales price");
      if (!results.some(({ id }) => id === `document:${documentId}`)) throw new Error("not read yet");
    },
    { timeout: 60_000 },
  );
});

it("finds documents, memories and assets at once, each with an address for people", async () => {
  const { results } = await search("sales price of the bicycle");
  const kinds = new Set(results.map(({ id }) => id.split(":")[0]));
  expect([...kinds]).toEqual(expect.arrayContaining(["document", "memory", "dataset"]));
  for (const { title, url } of results) {
    expect(title).not.toBe("");
    expect(url).toMatch(/^http:\/\/[^/]+\/w\/acme\/(library|memory|data|dashboards)/);
  }
  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
});

it("is answered in the form that research clients read: one text, the JSON of what is structured", async () => {
  const { result } = await callTool(server, viewer, "search", { query: "sales price" });
  expect(result?.content).toHaveLength(1);
  expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual(result?.structuredContent);
});

it("reads what was found: a document, a memory, a dataset with rows", async () => {
  const { results } = await search("sales price of the bicycle");
  const texts = await Promise.all(results.map(({ id }) => fetched(id)));
  const byKind = new Map(texts.map((one) => [one.id.split(":")[0], one]));
  expect(byKind.get("document")?.text).toContain("1,999 euros");
  expect(byKind.get("memory")?.text).toContain("Maren decides");
  expect(byKind.get("dataset")?.text).toMatch(/The first \d+ of \d+ rows:/);
  expect(texts.map(({ id }) => id)).toEqual(results.map(({ id }) => id));
});

it("shows nobody what they may not see, and is no way around a scope or another workspace", async () => {
  expect((await search("sales price", stranger)).results).toEqual([]);
  const lost = await callTool(server, stranger, "fetch", { id: `dataset:${datasetId}` });
  expect(JSON.stringify(lost)).toMatch(/no dataset/i);
  const reader = await server.token({ role: "viewer", scopes: ["knowledge:read"] });
  const { results } = await search("sales price", reader);
  expect(new Set(results.map(({ id }) => id.split(":")[0]))).toEqual(new Set(["document"]));
  const refused = await callTool(server, reader, "fetch", { id: `dataset:${datasetId}` });
  expect(refused.result?.isError ?? refused.error).toBeTruthy();
  await call(
    "set_dataset_policies",
    { dataset_id: datasetId, policies: [{ name: "p", roles: ["viewer"], hide: ["price"] }] },
    admin,
  );
  expect((await fetched(`dataset:${datasetId}`)).text).not.toContain('"price"');
});
