import { Readable } from "node:stream";
import type { Context } from "hono";
import type { Identity, JobOwner } from "../../domains/identity/index.ts";
import {
  type Disposition,
  DOWNLOAD_HEADER,
  type FoundDocument,
  isPreviewable,
  type KnowledgeServices,
  UPLOAD_HEADER,
} from "../../domains/knowledge/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import { refusal } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { fileHeaders } from "../http/file-headers.ts";
import { knowledgeBody } from "../mcp/presenters.ts";

interface DocumentFilesParts
  extends Pick<KnowledgeServices, "knowledge" | "folders" | "downloads" | "tickets" | "knowledgeLimits"> {
  identity: Pick<Identity, "callerFor">;
}

/** The original files of documents, for whoever has a download token. */
export function mountDocumentFiles(app: HttpApp, base: string, parts: DocumentFilesParts): void {
  app.get(`${base}/documents/:id/file`, async (c) => {
    try {
      return await sendFile(c, parts);
    } catch (thrown) {
      if (!isAppError(thrown)) throw thrown;
      // Here it is the file that is not found, not an address that is gone.
      const answer = refusal(thrown, knowledgeBody(thrown));
      return answer.status === 410
        ? new Response(answer.body, { status: 404, headers: answer.headers })
        : answer;
    }
  });
}

/** Files that are too large for a message, from whoever has an upload token. */
export function mountDocumentUploads(app: HttpApp, parts: DocumentFilesParts): void {
  app.put("/files/documents", async (c) => {
    try {
      return await takeFile(c, parts);
    } catch (thrown) {
      if (!isAppError(thrown)) throw thrown;
      return refusal(thrown, knowledgeBody(thrown));
    }
  });
}

async function takeFile(
  c: Context<HttpEnv>,
  { knowledge, folders, tickets, identity }: DocumentFilesParts,
): Promise<Response> {
  const { owner, baseId, folder, name, spend } = tickets.verify(c.req.header(UPLOAD_HEADER));
  const caller = await callerOf(identity, owner);
  if (!caller.permissions.includes("knowledge:write"))
    throw new AppError("forbidden", "You may not add documents any more.");
  const base = await knowledge.requireBase(caller, baseId, "write");
  knowledge.assertSize(Number(c.req.header("content-length") ?? 0));
  const { body, signal } = c.req.raw;
  if (body === null) throw new AppError("bad_request", "The document is empty.");
  const folderId = await folders.ensurePath(base.id, knowledge.folderNames(folder), caller.user.id);
  const file = {
    baseId: base.id,
    folderId,
    name,
    sourceType: "file" as const,
    content: Readable.from(wholeThen(Readable.fromWeb(body as never), spend)),
  };
  const { document, outcome } = await knowledge.add(caller, file, signal);
  return c.json({ document_id: document.id, outcome, index_status: document.indexStatus }, 201);
}

/** A transfer that breaks off can be tried again: only with its last byte the token is used up, and before the file is kept. */
async function* wholeThen(body: Readable, spend: () => Promise<void>): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield chunk as Buffer;
  await spend();
}

/** Limits, token, limits, permission, file: each is looked at only after the one before. */
async function sendFile(
  c: Context<HttpEnv>,
  { knowledge, downloads, knowledgeLimits, identity }: DocumentFilesParts,
): Promise<Response> {
  const id = idOf(c.req.param("id") ?? "");
  await knowledgeLimits.downloadAttempt(c.get("address"), id);
  const { owner, disposition } = downloads.verify(c.req.header(DOWNLOAD_HEADER), id);
  await knowledgeLimits.download(owner.userId, id);
  const document = await knowledge.requireDocument(await callerOf(identity, owner), id);
  if (disposition === "inline" && !isPreviewable(document.mimeType))
    throw new AppError("unsupported", "This file cannot be shown inline.");
  const headers = headersOf(document, disposition);
  if (hasIt(c, document)) return new Response(null, { status: 304, headers });
  const range = rangeOf(c, document);
  if (range === "unsatisfiable") {
    const told = { "content-range": `bytes */${document.bytes}` };
    return new Response(null, { status: 416, headers: told });
  }
  const length = range === undefined ? document.bytes : range.end - range.start + 1;
  headers.set("content-length", String(length));
  if (range !== undefined)
    headers.set("content-range", `bytes ${range.start}-${range.end}/${document.bytes}`);
  const file = await knowledge.file(document, range);
  const isHead = c.req.method === "HEAD";
  if (isHead) file.destroy();
  const body = isHead ? null : (Readable.toWeb(file) as ReadableStream);
  return new Response(body, { status: range === undefined ? 200 : 206, headers });
}

/** Whoever lost the account, the membership or the token since then has lost the file, too. */
async function callerOf(identity: Pick<Identity, "callerFor">, owner: JobOwner): Promise<Caller> {
  const caller = await identity.callerFor(owner).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    throw new AppError("forbidden", "You may not read this document any more.", { cause: error });
  });
  if (!caller.permissions.includes("knowledge:read"))
    throw new AppError("forbidden", "You may not read documents any more.");
  return caller;
}

function idOf(word: string): number {
  if (!/^[1-9]\d{0,14}$/.test(word))
    throw new AppError("bad_request", "document_id must be a positive integer");
  return Number(word);
}

function headersOf({ mimeType, name, sha256 }: FoundDocument, disposition: Disposition): Headers {
  const headers = fileHeaders(name, mimeType, disposition);
  headers.set("accept-ranges", "bytes");
  headers.set("etag", `"${sha256}"`);
  return headers;
}

/** Whether the client says that it has this very file. */
function hasIt(c: Context<HttpEnv>, { sha256 }: FoundDocument): boolean {
  const known = (c.req.header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.some((tag) => tag === "*" || tag === `"${sha256}"`);
}

/** One range is served as asked for; several, or one in other units, get the whole file, as RFC 9110 allows. */
function rangeOf(
  c: Context<HttpEnv>,
  { bytes, sha256 }: FoundDocument,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(c.req.header("range") ?? "");
  const condition = c.req.header("if-range");
  if (asked === null || (condition !== undefined && condition !== `"${sha256}"`)) return undefined;
  const [, from = "", to = ""] = asked;
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === "" || to === "" ? bytes - 1 : Math.min(bytes - 1, Number(to));
  if (start >= bytes || (from === "" && Number(to) === 0)) return "unsatisfiable";
  return end < start ? undefined : { start, end };
}
