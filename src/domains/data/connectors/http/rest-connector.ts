import { basename } from "node:path";
import type { Readable } from "node:stream";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
import type { Download } from "../../../../platform/guarded-fetch/index.ts";
import { LIMITS } from "../../limits.ts";
import type { Connector, CsvPiece, Reached, RowBatch, RunOptions, SourceColumn } from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import { type Deadline, startDeadline } from "../deadline.ts";
import { parseJson } from "../json-text.ts";
import { metadataOptions } from "../metadata.ts";
import type { RestSettings } from "../settings.ts";
import { columnsOf, csvPieces } from "./csv-pieces.ts";
import { GrowingColumns, itemsOf } from "./json-rows.ts";
import { Pager } from "./rest-paging.ts";
import { type RestQuery, restQuery } from "./rest-query.ts";
import { inBatches, type RowSource } from "./row-batches.ts";
import { credentialsOf, parseBase, webError, withParameters } from "./web-request.ts";

interface Reading {
  rows: RowSource;
  columns(): readonly SourceColumn[];
}

/** Rows that columns are guessed from. */
const SAMPLE_ROWS = 100;

/** An API that answers with JSON or CSV, page by page. */
export function createRestConnector(
  settings: RestSettings,
  secrets: Secrets,
  { fetch, describeCsv }: Pick<ConnectorParts, "fetch" | "describeCsv">,
): Connector {
  const base = parseBase(settings.url);
  const credentials = credentialsOf(settings.auth, secrets);

  const ask = (url: URL, { body }: RestQuery, deadline: Deadline): Promise<Download> => {
    const hasBody = settings.method === "POST";
    return fetch.download(withParameters(url, credentials.parameters), {
      method: settings.method,
      headers: {
        accept: "application/json, text/csv;q=0.9, */*;q=0.1",
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...settings.headers,
        ...credentials.headers,
      },
      ...(hasBody ? { body: JSON.stringify(body ?? {}) } : {}),
      maxBytes: LIMITS.datasources.downloadBytes,
      totalMs: deadline.leftMs(),
      idleMs: LIMITS.datasources.silenceMs,
      signal: deadline.signal,
    });
  };

  async function* rowsOf(query: RestQuery, options: RunOptions): AsyncGenerator<RowBatch | CsvPiece> {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    let body: Readable | undefined;
    try {
      const pager = new Pager(settings.paging);
      const url = pager.first(query.url);
      const first = await ask(url, query, deadline);
      body = first.body;
      if (isCsv(first, settings)) {
        yield* csvPieces(first.body, settings, options.maxBytes);
        return;
      }
      const next = (page: URL): Promise<Download> => ask(page, query, deadline);
      const { rows, columns } = jsonPages(url, first, query, pager, settings, next);
      yield* inBatches(rows, columns, options);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : webError(error);
    } finally {
      body?.destroy();
      deadline.clear();
    }
  }

  const sample = (maxRows: number, signal: AbortSignal | undefined): Promise<readonly SourceColumn[]> => {
    const answer = rowsOf(restQuery("", base), { ...metadataOptions(signal), maxRows });
    return columnsOf(answer, describeCsv, signal);
  };

  return {
    async test(signal) {
      try {
        await sample(1, signal);
        return { ok: true };
      } catch (error) {
        return reachedAnyway(error, base);
      }
    },
    tables: async () => [{ name: basename(base.pathname) || base.hostname, kind: "table" }],
    columns: async (_table, signal) => [...(await sample(SAMPLE_ROWS, signal))],
    run: (query, options) => rowsOf(restQuery(query, base, options.parameters), options),
  };
}

/** With these an API answers that has nothing at its root, or wants to be asked otherwise there. */
const NOTHING_THERE = new Set([400, 404, 405, 422]);

/** An API need not have anything at its root, so that this is no sign of anything wrong; all else is thrown. */
function reachedAnyway(error: unknown, base: URL): Reached {
  const status = isAppError(error) ? Number(error.data.status) : Number.NaN;
  if (!NOTHING_THERE.has(status)) throw error;
  const note =
    `${base.hostname} was reached, and answers with status ${status} at ${base.pathname}. ` +
    "If that is not where the rows are, give their path in the query; otherwise check the URL.";
  return { ok: true, note };
}

function isCsv({ headers }: Download, { format }: RestSettings): boolean {
  if (format !== "auto") return format === "csv";
  return /^text\/(csv|tab-separated-values)\b/i.test(headers["content-type"] ?? "");
}

/** The rows of all pages; columns that only later pages have come at the end. */
function jsonPages(
  firstUrl: URL,
  first: Download,
  query: RestQuery,
  pager: Pager,
  { resultPath, maxPages }: RestSettings,
  ask: (url: URL) => Promise<Download>,
): Reading {
  const growing = new GrowingColumns();

  async function* rows(): RowSource {
    let url = firstUrl;
    let answer = first;
    for (let pages = 1; ; pages += 1) {
      const body = await wholeBody(answer);
      const json = jsonOf(body, answer);
      const items = itemsOf(json, query.resultPath ?? resultPath);
      for (const item of items) yield growing.rowOf(item);
      const next = pager.next({ url, json, body, items: items.length, link: answer.headers.link });
      if (next === undefined) return undefined;
      if (pages >= maxPages) return "pages";
      url = next;
      answer = await ask(next);
    }
  }

  return { rows: rows(), columns: () => growing.columns };
}

async function wholeBody({ body }: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > LIMITS.datasources.pageBytes) {
        throw new AppError(
          "too_large",
          `A page of the API is larger than ${LIMITS.datasources.pageBytes / (1024 * 1024)} MB.`,
          { hint: "Ask for smaller pages." },
        );
      }
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}

function jsonOf(body: Buffer, { url }: Download): unknown {
  try {
    return parseJson(body.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new AppError("bad_request", `${new URL(url).hostname} did not answer with JSON.`, {
      hint: 'Check the path, or set format to "csv".',
    });
  }
}
