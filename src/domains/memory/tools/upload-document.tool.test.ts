import { afterAll, describe, expect, it } from "vitest";
import { idsOf, startMemory } from "../../../../test/support/memory.ts";

const { acme, stop } = await startMemory();
afterAll(stop);

describe("upload_document", () => {
  it("[memory.upload.sections] finds a sentence deep in a long text", async () => {
    const paragraphs = Array.from(
      { length: 400 },
      (_, i) => `Paragraph ${i} is about topic${i} and nothing else.`,
    );
    const { document_id, chunks } = await acme.call("upload_document", { content: paragraphs.join("\n\n") });
    expect(chunks).toBeGreaterThan(5);
    const [hit] = await acme.recall("topic333", { hops: 0 });
    expect(hit?.content).toContain("topic333");
    expect(hit?.memory_id.startsWith(`${document_id}_s`)).toBe(true);
    const { incoming } = await acme.call("list_relations", { memory_id: hit?.memory_id });
    expect(incoming).toMatchObject([{ rel_type: "HAS_CHUNK", from: document_id }]);
    expect(idsOf(await acme.recall("topic333"))).not.toContain(document_id);
  });

  it("refuses a file where its text belongs", async () => {
    for (const content of ["%PDF-1.7\n1 0 obj", Buffer.from("%PDF-1.7\n1 0 obj").toString("base64")])
      expect(await acme.error("upload_document", { title: "x.pdf", content })).toMatchObject({
        code: -32602,
        message: expect.stringContaining("a file, not the text"),
      });
  });

  it("stays whole: neither updated as one fact, nor taken apart", async () => {
    const { document_id } = await acme.call("upload_document", { title: "Whole", content: "All of it." });
    const [{ to }] = (await acme.call("list_relations", { memory_id: document_id })).outgoing;
    const update = { target_id: document_id, new_title: "t", new_content: "c" };
    expect(await acme.error("update_fact", update)).toMatchObject({ code: 400 });
    const link = { from_id: document_id, to_id: to, rel_type: "HAS_CHUNK" };
    expect(await acme.error("unlink", link)).toMatchObject({ code: 400 });
  });
});
