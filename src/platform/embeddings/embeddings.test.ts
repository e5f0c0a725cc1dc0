import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Embedding, Embeddings, maxSim } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "kenning-embeddings-"));
const embeddings = new Embeddings({ folder, log: { error() {} } as never });
afterAll(async () => {
  await embeddings.close();
  rmSync(folder, { recursive: true, force: true });
});

function cosine(one: Embedding, other: Embedding): number {
  const [a, b] = [Int8Array.from(one.vector), Int8Array.from(other.vector)];
  const dot = (x: Int8Array, y: Int8Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const PAID = "The customer paid the invoice.";
const SETTLED = "The bill was settled by the client.";
const WEATHER = "It will rain in the mountains tomorrow.";

describe("embeddings", () => {
  it("are alike where meanings are", async () => {
    const [paid, settled, weather] = (await embeddings.embed([PAID, SETTLED, WEATHER])) as [
      Embedding,
      Embedding,
      Embedding,
    ];
    expect(cosine(paid, settled)).toBeGreaterThan(cosine(paid, weather) + 0.3);
    expect(paid).toMatchObject({ fingerprint: embeddings.fingerprint, vector: { length: 384 } });
  });

  it("do not depend on what is embedded beside them, and keep their order", async () => {
    const texts = ["a ".repeat(600), "x", ...Array.from({ length: 12 }, (_, i) => `${PAID} ${i}`), SETTLED];
    const together = await embeddings.embed(texts);
    for (const i of [0, 1, 5, 14]) {
      const [alone] = await embeddings.embed([texts[i]!]);
      expect(cosine(alone!, together[i]!)).toBeGreaterThan(0.97);
    }
  });

  it("tell by tokens which text answers a question", async () => {
    const { tokens } = await embeddings.embedQuery("Who settled the bill?");
    const worth = maxSim(tokens!);
    const [settled, weather] = await embeddings.embed([SETTLED, WEATHER]);
    expect(worth(settled!.tokens!)).toBeGreaterThan(worth(weather!.tokens!));
    expect(worth(settled!.tokens!)).toBeLessThanOrEqual(1);
    expect(worth(new Uint8Array(0))).toBe(0);
  });

  it("are made of any text", async () => {
    const odd = [
      "",
      " \n",
      "\u0000",
      "🙂".repeat(5_000),
      "字".repeat(9_000),
      "a".repeat(500_000),
      "]]>[SEP][PAD]",
    ];
    const made = await embeddings.embed(odd);
    expect(made.map(({ vector }) => vector.length)).toEqual(odd.map(() => 384));
    expect((await embeddings.embedQuery("")).vector.every(Number.isFinite)).toBe(true);
  });

  it("go on after their thread has ended", async () => {
    await embeddings.close();
    expect(await embeddings.embed([PAID])).toHaveLength(1);
  });
});
