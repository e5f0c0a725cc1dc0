import { execFileSync } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder, xlsx } from "../../../test/support/data-files.ts";
import { createGuardedFetch } from "../guarded-fetch/index.ts";
import { type FileSource, readSource, type SourceFile, type SourceTools } from "./source.ts";
import { gunzip } from "./unpack.ts";

async function read(
  source: FileSource,
  tools: Partial<SourceTools> = {},
): Promise<SourceFile & { text: string }> {
  const fetch = createGuardedFetch({ allow: ["127.0.0.1"] });
  onTestFinished(() => fetch.close());
  const file = await readSource(source, { fetch, folder: await testFolder(), ...tools });
  return { ...file, text: await readFile(file.path, "utf8") };
}

const refusal = (source: FileSource, tools?: Partial<SourceTools>): Promise<unknown> =>
  read(source, tools).catch((error: unknown) => error);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("content", () => {
  it("is text as it is", async () => {
    const file = await read({ content: "a,b\nä,😀" });
    expect(file).toMatchObject({ text: "a,b\nä,😀", bytes: 11, isOurs: true });
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
  });

  const book = xlsx({ sheets: [{ name: "S", rows: [["a"], [1]] }] });
  it.each([
    ["declared", book.toString("base64"), true],
    ["not declared", book.toString("base64"), false],
    ["in lines", book.toString("base64").replace(/.{76}/g, "$&\r\n"), false],
    ["without padding, in the other alphabet", book.toString("base64url"), true],
    ["a data URL", `data:application/vnd.ms-excel;base64,${book.toString("base64")}`, false],
  ])("is base64 of an Excel file, %s", async (_, content, isBinary) => {
    const file = await read({ content }, { isBinary });
    expect(book.equals(await readFile(file.path))).toBe(true);
  });

  it("is base64 of a large file in a process whose engine has stopped to optimise expressions", () => {
    const module = pathToFileURL(join(import.meta.dirname, "base64.ts")).href;
    const script = `import { decodeBase64, looksLikeBase64 } from "${module}";
      const text = Buffer.alloc(12_000_000, "a,b\\n").toString("base64");
      console.log(looksLikeBase64(text), (await decodeBase64(text)).bytes.length);`;
    const flags = ["--no-regexp-optimization", "--input-type=module", "--eval", script];
    expect(execFileSync(process.execPath, flags, { encoding: "utf8" })).toBe("true 12000000\n");
  });

  const table = "name,city\nGrüße,Köln\n";
  it.each<[string, Buffer]>([
    ["short", Buffer.from("a,b\n1,2\n")],
    ["UTF-8", Buffer.from(table)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${table}`)],
    ["Latin-1", Buffer.from(table, "latin1")],
    ["UTF-16 with a mark", Buffer.from(`\ufeff${table}`, "utf16le")],
    ["UTF-16 without one", Buffer.from(table, "utf16le")],
    ["long", Buffer.from(table.repeat(10_000))],
    ["JSON", Buffer.from('[{"a":1},{"a":2}]')],
    ["XML", Buffer.from("<r><i>1</i></r>")],
    ["a PDF", Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "latin1")],
    ["gzip", gzipSync("a,b\n1,2\n")],
    ["a PNG", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["a JPEG", Buffer.concat([Buffer.from("ffd8ffe000104a46494600", "hex"), Buffer.alloc(100, 7)])],
  ])("is base64 of a file: %s", async (name, bytes) => {
    const encoded = bytes.toString("base64");
    for (const content of [encoded, bytes.toString("base64url"), encoded.replace(/.{76}/g, "$&\n")]) {
      const file = await read({ content });
      expect(bytes.equals(await readFile(file.path))).toBe(true);
      const isText = !["gzip", "a PDF", "a PNG", "a JPEG"].includes(name);
      expect(file.note).toBe(isText ? "The content was taken for base64." : undefined);
    }
  });

  it.each([
    "word",
    "abcdefgh",
    "aGVsbG8gd29ybGQhISE=",
    "Internationalization",
    "d41d8cd98f00b204e9800998ecf8427e",
    "a,b\n1,2",
    "name\nAnna\nBert",
    `hash\n${"0123456789abcdef".repeat(4)}\n`,
    `${"0123456789abcdef".repeat(4)}\n`.repeat(3),
    "The quick brown fox.",
    "PARENT",
  ])("is text where it may be one: %s", async (content) => {
    const file = await read({ content });
    expect(file).toMatchObject({ text: content });
    expect(file).not.toHaveProperty("note");
  });

  it("is what it is said to be", async () => {
    const content = Buffer.from("a,b\n1,2").toString("base64");
    expect(await read({ content }, { isBinary: true })).toMatchObject({ text: "a,b\n1,2" });
    const hello = Buffer.from("hello").toString("base64");
    expect(await read({ content: hello, contentEncoding: "base64" })).toMatchObject({ text: "hello" });
    expect(await read({ content, contentEncoding: "text" })).toMatchObject({ text: content });
  });

  it.each<[string, FileSource, string, RegExp]>([
    ["nothing", {}, "bad_request", /no file/],
    ["both", { content: "a", fileUrl: "http://x" }, "bad_request", /Both/],
    ["empty content", { content: "" }, "bad_request", /empty/],
    ["empty base64", { content: "  ", contentEncoding: "base64" }, "bad_request", /empty/],
    ["text as base64", { content: "a,b\n1,2", contentEncoding: "base64" }, "bad_request", /not base64/],
    ["cut base64", { content: "UEsDBAAAA", contentEncoding: "base64" }, "bad_request", /cut off/],
  ])("is refused: %s", async (_, source, code, message) => {
    expect(await refusal(source)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it("is bounded", async () => {
    expect(await refusal({ content: "x".repeat(2_000) }, { maxBytes: 1_000 })).toMatchObject({
      code: "too_large",
    });
  });
});

describe("fileUrl", () => {
  it("is fetched to the disk, with its name and type", async () => {
    const fractions: unknown[] = [];
    const url = await serve((request, response) => {
      if (request.url === "/go") response.writeHead(302, { location: "/files/my%20data.csv?x=1" }).end();
      else response.writeHead(200, { "content-type": "text/csv", "content-length": 7 }).end("a,b\n1,2");
    });
    expect(
      await read({ fileUrl: `${url}/go` }, { onProgress: (fraction) => fractions.push(fraction) }),
    ).toMatchObject({
      text: "a,b\n1,2",
      bytes: 7,
      fileName: "my data.csv",
      contentType: "text/csv",
    });
    expect(fractions.at(-1)).toBe(1);
  });

  it.each([
    ['attachment; filename="../../etc/Sales 2024.xlsx"', "Sales 2024.xlsx"],
    ["attachment; filename*=UTF-8''%C3%84.csv; filename=x.csv", "Ä.csv"],
    ["attachment", "download"],
  ])("takes the name from %s", async (disposition, fileName) => {
    const url = await serve((_, response) =>
      response.setHeader("content-disposition", disposition).end("a\n1"),
    );
    expect(await read({ fileUrl: `${url}/download` })).toMatchObject({ fileName });
  });

  it("is bounded, and nothing is fetched from where nothing may be fetched", async () => {
    const url = await serve((_, response) => response.end("x".repeat(100_000)));
    expect(await refusal({ fileUrl: url }, { maxBytes: 1_000 })).toMatchObject({ code: "too_large" });
    expect(await refusal({ fileUrl: "http://169.254.169.254/latest" })).toMatchObject({ name: "AppError" });
    expect(await refusal({ fileUrl: "file:///etc/passwd" })).toMatchObject({ name: "AppError" });
    expect(await refusal({ fileUrl: "data:text/csv,a" })).toMatchObject({ name: "AppError" });
  });

  it("fails when the server does", async () => {
    const missing = await serve((_, response) => response.writeHead(404).end());
    expect(await refusal({ fileUrl: missing })).toMatchObject({ code: "unavailable", data: { status: 404 } });
    const empty = await serve((_, response) => response.end());
    expect(await refusal({ fileUrl: empty })).toMatchObject({
      code: "bad_request",
      message: "The file is empty.",
    });
    const broken = await serve((_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("a,b");
      setTimeout(() => response.destroy(), 20);
    });
    expect(await refusal({ fileUrl: broken })).toMatchObject({ code: "unavailable" });
  });

  it("can be cancelled while it is fetched", async () => {
    const url = await serve((_, response) => void response.writeHead(200).write("a,b\n"));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(await refusal({ fileUrl: url }, { signal: controller.signal })).toMatchObject({
      code: "cancelled",
    });
  });
});

describe("path", () => {
  it("is a file of the operator's, left where it is", async () => {
    const path = join(await testFolder(), "data.tsv");
    await writeFile(path, "a\tb");
    expect(await read({ path })).toEqual({
      path,
      isOurs: false,
      bytes: 3,
      fileName: "data.tsv",
      text: "a\tb",
    });
    expect(await refusal({ path: `${path}.not` })).toMatchObject({ code: "not_found" });
    expect(await refusal({ path: "/tmp" })).toMatchObject({ code: "bad_request" });
  });
});

describe("gunzip", () => {
  async function unpack(bytes: Buffer, maxBytes = 1_000_000_000, signal?: AbortSignal): Promise<unknown> {
    const folder = await testFolder();
    await writeFile(join(folder, "in"), bytes);
    const options = { bytes: bytes.length, maxBytes, signal };
    const size = await gunzip(join(folder, "in"), join(folder, "out"), options).catch(
      (error: unknown) => error,
    );
    return typeof size === "number" ? readFile(join(folder, "out"), "utf8") : size;
  }

  it("unpacks", async () => {
    expect(await unpack(gzipSync("a,b\n1,2"))).toBe("a,b\n1,2");
  });

  it("refuses what is damaged, too large or a bomb", async () => {
    const packed = gzipSync(Buffer.from(Array.from({ length: 10_000 }, (_, n) => n * 7919)));
    expect(await unpack(packed.subarray(0, -20))).toMatchObject({ code: "bad_request" });
    expect(await unpack(Buffer.concat([packed.subarray(0, 50), Buffer.alloc(50, 255)]))).toMatchObject({
      code: "bad_request",
    });
    expect(await unpack(packed, 100)).toMatchObject({ code: "too_large" });
    expect(await unpack(gzipSync(Buffer.alloc(100_000_000)))).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("times its size"),
    });
    const controller = new AbortController();
    controller.abort();
    expect(await unpack(packed, 1_000_000, controller.signal)).toMatchObject({ code: "cancelled" });
  });
});
