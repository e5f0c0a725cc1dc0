import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tempEntries } from "../../../test/support/temp-entries.ts";
import { type BlobInfo, type FolderBlobStore, openFolderBlobs } from "./index.ts";

let home: string;
let folder: string;
let blobs: FolderBlobStore;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "kenning-blobs-"));
  folder = join(home, "deep", "blobs");
  blobs = await openFolderBlobs({ folder });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const sha256 = (content: Uint8Array | string): string => createHash("sha256").update(content).digest("hex");

async function keysBelow(prefix: string): Promise<string[]> {
  const found: BlobInfo[] = [];
  for await (const info of blobs.list(prefix)) found.push(info);
  return found.map((info) => info.key).sort();
}

describe("folder blobs", () => {
  it("stores bytes and streams, and gives them back", async () => {
    const stored = await blobs.put("a/b/one.bin", Buffer.from("hello"));
    expect(stored).toEqual({ key: "a/b/one.bin", bytes: 5, sha256: sha256("hello") });
    const big = randomBytes(3_000_000);
    expect(
      await blobs.put("two", Readable.from([big.subarray(0, 1_000_000), big.subarray(1_000_000)])),
    ).toEqual({
      key: "two",
      bytes: 3_000_000,
      sha256: sha256(big),
    });
    expect(await text(await blobs.get("a/b/one.bin"))).toBe("hello");
    expect((await buffer(await blobs.get("two"))).equals(big)).toBe(true);
    expect(await readFile(blobs.pathOf("a/b/one.bin"), "utf8")).toBe("hello");
    expect(await blobs.stat("two")).toMatchObject({
      key: "two",
      bytes: 3_000_000,
      modifiedAt: expect.any(Date),
    });
  });

  it("stores nothing at all, too", async () => {
    await blobs.put("empty", new Uint8Array());
    expect(await text(await blobs.get("empty"))).toBe("");
  });

  it("replaces whole blobs, and a reader keeps what it began to read", async () => {
    await blobs.put("a", Buffer.from("old"));
    const reading = await blobs.get("a");
    await blobs.put("a", Buffer.from("newer"));
    expect(await text(reading)).toBe("old");
    expect(await text(await blobs.get("a"))).toBe("newer");
  });

  it("gives ranges", async () => {
    await blobs.put("a", Buffer.from("0123456789"));
    expect(await text(await blobs.get("a", { range: { start: 2, end: 4 } }))).toBe("234");
    expect(await text(await blobs.get("a", { range: { start: 7 } }))).toBe("789");
    expect(await text(await blobs.get("a", { range: { start: 9, end: 99 } }))).toBe("9");
    for (const range of [{ start: 10 }, { start: -1 }, { start: 3, end: 2 }, { start: 0.5 }]) {
      await expect(blobs.get("a", { range })).rejects.toMatchObject({ code: "bad_request" });
    }
  });

  it("says when there is none", async () => {
    await blobs.put("a/b", Buffer.from("x"));
    for (const key of ["missing", "a/missing", "a", "a/b/c"]) {
      await expect(blobs.get(key), key).rejects.toMatchObject({ code: "not_found" });
      expect(await blobs.stat(key), key).toBeUndefined();
      expect(await blobs.delete(key), key).toBe(false);
    }
  });

  it("deletes, and takes empty folders along", async () => {
    await blobs.put("a/b/c", Buffer.from("x"));
    await blobs.put("a/d", Buffer.from("x"));
    expect(await blobs.delete("a/b/c")).toBe(true);
    expect(await blobs.delete("a/b/c")).toBe(false);
    expect(await readdir(join(folder, "a"))).toEqual(["d"]);
  });

  it("lists below a prefix, without what is not finished", async () => {
    for (const key of ["p/1/a", "p/1/b", "p/12/c", "q"]) await blobs.put(key, Buffer.from(key));
    await writeFile(join(folder, ".tmp", "stranger"), "x");
    await writeFile(join(folder, "p", "not a key.txt"), "x");
    expect(await keysBelow("p/1/")).toEqual(["p/1/a", "p/1/b"]);
    expect(await keysBelow("")).toEqual(["p/1/a", "p/1/b", "p/12/c", "q"]);
    expect(await keysBelow("nothing/")).toEqual([]);
  });

  it.each([
    "",
    "/",
    "/etc/passwd",
    "..",
    "../x",
    "a/../b",
    "a//b",
    "a/",
    "./a",
    ".tmp/x",
    "a/.hidden",
    "a\\b",
    "a\0b",
    "ä",
    "a b",
    "a.",
    "C:/x",
    "x".repeat(201),
    `${"a/".repeat(16)}a`,
    "a/".repeat(300),
  ])("refuses the key %j", async (key) => {
    await expect(blobs.put(key, Buffer.from("x"))).rejects.toThrow(TypeError);
    await expect(blobs.get(key)).rejects.toThrow(TypeError);
    await expect(blobs.delete(key)).rejects.toThrow(TypeError);
    expect(() => blobs.pathOf(key)).toThrow(TypeError);
  });

  it("does not put a blob below another one, or in the place of a folder", async () => {
    await blobs.put("a", Buffer.from("x"));
    await blobs.put("b/c", Buffer.from("x"));
    await expect(blobs.put("a/b", Buffer.from("y"))).rejects.toMatchObject({ code: "conflict" });
    await expect(blobs.put("b", Buffer.from("y"))).rejects.toMatchObject({ code: "conflict" });
    expect(tempEntries(join(folder, ".tmp"))).toEqual([]);
  });

  it("leaves nothing behind when the content fails, is too large or is cancelled", async () => {
    const controller = new AbortController();
    async function* content(failure?: () => void): AsyncGenerator<Buffer> {
      yield Buffer.alloc(1_000);
      failure?.();
      yield Buffer.alloc(1_000);
    }
    const broken = content(() => {
      throw new Error("broken");
    });
    await expect(blobs.put("a", broken)).rejects.toThrow("broken");
    await expect(blobs.put("a", content(), { maxBytes: 1_999 })).rejects.toMatchObject({ code: "too_large" });
    const cancelled = content(() => controller.abort());
    await expect(blobs.put("a", cancelled, { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(await blobs.stat("a")).toBeUndefined();
    expect(tempEntries(join(folder, ".tmp"))).toEqual([]);
    expect(await blobs.put("a", content(), { maxBytes: 2_000 })).toMatchObject({ bytes: 2_000 });
  });

  it("stays right when many put and delete in the same folders", async () => {
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const key = `shared/${index % 4}/blob-${index}`;
        await blobs.put(key, Buffer.from(key));
        if (index % 2 === 0) expect(await blobs.delete(key)).toBe(true);
      }),
    );
    expect(await keysBelow("shared/")).toHaveLength(100);
  });

  it("keeps files to their owner, or to one group that may read and not write", async () => {
    await blobs.put("a/b", Buffer.from("x"));
    expect((await stat(blobs.pathOf("a/b"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o700);
    const gid = process.getuid?.() === 0 ? 65_531 : process.getgid!();
    const shared = await openFolderBlobs({ folder: join(home, "shared"), readerGid: gid });
    await shared.put("a/b", Buffer.from("x"));
    for (const [path, mode] of [
      [shared.pathOf("a/b"), 0o640],
      [join(home, "shared", "a"), 0o750],
      [join(home, "shared"), 0o750],
    ] as const) {
      const info = await stat(path);
      expect({ path, mode: info.mode & 0o777, gid: info.gid }).toEqual({ path, mode, gid });
    }
  });
});

describe("after kill -9", () => {
  it("has every blob that was acknowledged, and sweeps what was not finished", async () => {
    const script = `
      const { openFolderBlobs } = await import(${JSON.stringify(import.meta.resolve("./index.ts"))});
      const { randomBytes } = await import("node:crypto");
      const blobs = await openFolderBlobs({ folder: ${JSON.stringify(folder)} });
      async function* slow() { yield randomBytes(1000); await new Promise((resolve) => setTimeout(resolve, 1e6)); }
      void blobs.put("unfinished", slow());
      for (let n = 0; ; n += 1) {
        const stored = await blobs.put("k/" + (n % 7) + "/" + n, randomBytes(20_000));
        process.stdout.write(JSON.stringify(stored) + "\\n");
      }
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const acknowledged: { key: string; bytes: number; sha256: string }[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      acknowledged.push(JSON.parse(line));
      if (acknowledged.length === 40) child.kill("SIGKILL");
    });
    await Promise.all([once(child, "exit"), once(lines, "close")]);

    expect(tempEntries(join(folder, ".tmp")).length).toBeGreaterThan(0);
    const reopened = await openFolderBlobs({ folder });
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    for (const { key, sha256: expected } of acknowledged) {
      expect(sha256(await buffer(await reopened.get(key))), key).toBe(expected);
    }
    expect(tempEntries(join(folder, ".tmp"))).toEqual([]);
    expect(await reopened.stat("unfinished")).toBeUndefined();
  });
});
