import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { testFolder, xlsx } from "../../../../test/support/data-files.ts";
import { tempEntries } from "../../../../test/support/temp-entries.ts";
import { ownedTempPath } from "../../../platform/temp/index.ts";
import { type ReadFile, type ReadRequest, SandboxedReader } from "./sandboxed-reader.ts";

interface Bench {
  tempFolder: string;
  read(
    kind: ReadRequest["kind"],
    bytes: Buffer | string,
    request?: Partial<ReadRequest>,
  ): Promise<ReadFile & { text: string }>;
  reader: SandboxedReader;
}

async function bench(memoryMb?: number): Promise<Bench> {
  const tempFolder = join(await testFolder(), "files");
  await mkdir(tempFolder, { mode: 0o711 });
  const reader = new SandboxedReader({
    tempFolder,
    log: { warn: () => undefined },
    ...(memoryMb && { memoryMb }),
  });
  onTestFinished(() => reader.close());
  return {
    tempFolder,
    reader,
    async read(kind, bytes, request = {}) {
      const folder = ownedTempPath(tempFolder);
      await mkdir(folder, { mode: 0o700 });
      await writeFile(join(folder, "input"), bytes, { mode: 0o600 });
      const read = await reader.read({
        kind,
        folder,
        fileName: "input",
        scope: "1",
        options: {},
        ...request,
      });
      return { ...read, text: await readFile(read.path, "utf8") };
    },
  };
}

describe("a file in its own process", () => {
  it.each([
    ["excel", xlsx({ sheets: [{ name: "S", rows: [["a"], [1], [2]] }] }), '\n{"a":1}\n{"a":2}\n'],
    ["xml", "<r><i a='1'/><i a='2'/></r>", '{"a":1}\n{"a":2}\n'],
    ["json", '{"d":[{"a":1},{"a":2}]}', '[{"a":1},{"a":2}]'],
  ] as const)("is read: %s", async (kind, bytes, text) => {
    const { read } = await bench();
    const fractions: number[] = [];
    expect(await read(kind, bytes, { onProgress: (fraction) => fractions.push(fraction) })).toMatchObject({
      text,
    });
    expect(fractions.at(-1)).toBe(1);
  });

  it("comes in many batches", async () => {
    const { read } = await bench();
    const rows = Array.from(
      { length: 60_000 },
      (_, n) => `<i n="${n}">text number ${n} that takes some room</i>`,
    );
    const { text } = await read("xml", `<r>${rows.join("")}</r>`);
    const lines = text.trimEnd().split("\n");
    expect(text.length).toBeGreaterThan(3_000_000);
    expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 60_000 }, (_, n) => n));
  });

  it("fails with the errors of its reader, and hurts no other", async () => {
    const { read } = await bench();
    const [bad, good] = await Promise.allSettled([
      read("xml", "<r>"),
      read("xml", "<r><i>1</i><i>2</i></r>"),
    ]);
    expect(bad).toMatchObject({
      status: "rejected",
      reason: { code: "bad_request", message: expect.stringContaining("not well-formed") },
    });
    expect(good.status).toBe("fulfilled");
  });

  it("meets the memory limit as its last wall", async () => {
    const { read } = await bench(160);
    const texts = Array.from({ length: 300_000 }, (_, n) => `<t>text number ${n} ${"x".repeat(200)}</t>`);
    const book = xlsx({ sheets: [{ name: "S", rows: [["a"], [1]] }], texts });
    await expect(read("excel", book)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("160 MB"),
    });
  });

  it("stops when it is cancelled, while it is read and while it waits", async () => {
    const { read, tempFolder } = await bench();
    const large = `<r>${"<i><a>1</a><b>2</b></i>".repeat(1_000_000)}</r>`;
    const controller = new AbortController();
    const { signal } = controller;
    setTimeout(() => controller.abort(), 300);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => read("xml", large, { signal })));
    for (const result of results)
      expect(result).toMatchObject({ status: "rejected", reason: { code: "cancelled" } });
    // Only the folders of the files are left, which are the caller's; those of the processes have gone.
    await vi.waitFor(async () => expect(tempEntries(tempFolder)).toHaveLength(4), 20_000);
  });

  it("stops when the reader is closed", async () => {
    const { read, reader } = await bench();
    const reading = read("xml", `<r>${"<i><a>1</a></i>".repeat(1_000_000)}</r>`);
    setTimeout(() => void reader.close(), 300);
    await expect(reading).rejects.toMatchObject({ code: "unavailable" });
    await expect(read("xml", "<a/>")).rejects.toMatchObject({ code: "unavailable" });
  });
});
