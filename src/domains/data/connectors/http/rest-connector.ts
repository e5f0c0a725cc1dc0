import { basename } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
import type { Download } from "../../../../platform/guarded-fetch/index.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Connector,
  type CsvPiece,
  type Deadline,
  metadataOptions,
  type Parameters,
  type Reached,
  type RowBatch,
  type RunOptions,
  type SourceColumn,
  startDeadline,
  type Truncation,
} from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import { checkQueryLength, noValue } from "../database-errors.ts";
import type { RowLimits } from "../row-queue.ts";
import type { RestSettings } from "../settings.ts";
import { parseJson, sizeOfRow } from "../value-text.ts";
import { columnsOf, csvPieces } from "./csv-connector.ts";
import { InferredColumns, itemsOf, Pager } from "./rest-paging.ts";
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
  { fetch, sniffCsv }: Pick<ConnectorParts, "fetch" | "sniffCsv">,
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
    return columnsOf(answer, sniffCsv, signal);
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
  const growing = new InferredColumns();

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

/** One parsed query of a REST datasource. */
export interface RestQuery {
  url: URL;
  body: unknown;
  resultPath: string | undefined;
}

const queryFields = z.strictObject({
  path: z.string().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional(),
  resultPath: z.string().min(1).max(500).optional(),
});

/**
 * A query is empty, or a path below the datasource's URL (`/orders?status=open`), or an object with path, params,
 * body and resultPath. `{name}` stands for a parameter.
 */
function restQuery(query: string, base: URL, parameters: Parameters = {}): RestQuery {
  checkQueryLength(query);
  const { path = "", params = {}, body, resultPath } = fieldsOf(query.trim());
  if (/\s/.test(path.replace(/[?#].*$/s, ""))) throw noPath();
  const filled = fill(path, parameters, encodeURIComponent);
  const missing = /\{([A-Za-z_]\w*)\}/.exec(filled)?.[1];
  if (missing !== undefined) throw noValue(missing, Object.keys(parameters));
  const url = below(base, filled);
  for (const [name, value] of Object.entries(params)) {
    url.searchParams.set(
      name,
      fill(String(value), parameters, (text) => text),
    );
  }
  return { url, body: fillAll(body, parameters), resultPath };
}

/** SQL, or a query of another kind, would otherwise end in the 404 of a page that nobody asked for. */
function noPath(): AppError {
  return new AppError(
    "bad_request",
    "The query of a REST datasource is a path below its URL, and this is none.",
    {
      hint: 'Write it such as /orders?status=open, or {"path": "/orders", "params": {"status": "open"}}; a blank in a path is %20. What begins with select is C9QL, and works on the rows that the URL gives.',
    },
  );
}

function fieldsOf(query: string): z.infer<typeof queryFields> {
  if (!query.startsWith("{")) return { path: query };
  const { data, error } = queryFields.safeParse(asJson(query));
  if (error === undefined) return data;
  throw new AppError(
    "bad_request",
    "The query is neither a path nor an object with path, params, body and resultPath.",
    {
      hint: 'Write it such as /orders?status=open, or {"path": "/orders", "params": {"status": "open"}}.',
    },
  );
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `{id}/items` begins with a parameter.
    return { path: text };
  }
}

/** The credentials of the datasource go along, so a query must not lead away from where they are meant to go. */
function below(base: URL, path: string): URL {
  const [, pathname = "", search = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(path) ?? [];
  const folder = base.pathname.replace(/\/$/, "");
  const joined = pathname === "" ? base.pathname : `${folder}/${pathname.replace(/^[/\\]+/, "")}`;
  const url = URL.parse(joined, base.origin);
  const isBelow =
    url !== null &&
    url.origin === base.origin &&
    (url.pathname === base.pathname || url.pathname.startsWith(`${folder}/`));
  if (!isBelow) {
    throw new AppError("bad_request", "The path leads away from the URL of the datasource.", {
      hint: "Write a path below it, without .. and without a host.",
    });
  }
  for (const [name, value] of [...base.searchParams, ...new URLSearchParams(search)])
    url.searchParams.set(name, value);
  return url;
}

function fill(text: string, parameters: Parameters, encode: (text: string) => string): string {
  return text.replace(/\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
    if (!Object.hasOwn(parameters, name)) return whole;
    const value = parameters[name];
    return encode(Array.isArray(value) ? value.join(",") : String(value ?? ""));
  });
}

function fillAll(value: unknown, parameters: Parameters): unknown {
  if (typeof value === "string") {
    // A parameter alone keeps its type.
    const alone = /^\{([A-Za-z_]\w*)\}$/.exec(value)?.[1];
    if (alone !== undefined && Object.hasOwn(parameters, alone)) return parameters[alone];
    return fill(value, parameters, (text) => text);
  }
  if (Array.isArray(value)) return value.map((item) => fillAll(item, parameters));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillAll(item, parameters)]));
}

/** Rows one by one; what it returns at its end says which limit of its own it reached. */
export type RowSource = AsyncGenerator<unknown[], Truncation | undefined>;

/** Puts rows together into batches, up to the limits. Rows may be shorter than there are columns by then. */
export async function* inBatches(
  source: RowSource,
  columns: () => readonly SourceColumn[],
  { maxRows, maxBytes }: RowLimits,
): AsyncGenerator<RowBatch> {
  let rows: unknown[][] = [];
  let batchBytes = 0;
  let allRows = 0;
  let allBytes = 0;
  let hasYielded = false;
  const batch = (truncated?: Truncation): RowBatch => {
    const width = columns().length;
    const full = rows.map((row) => (row.length < width ? padded(row, width) : row));
    hasYielded = true;
    rows = [];
    batchBytes = 0;
    return { columns: columns(), rows: full, ...(truncated === undefined ? {} : { truncated }) };
  };
  try {
    for (;;) {
      const { done, value } = await source.next();
      if (done) {
        if (rows.length > 0 || value !== undefined || !hasYielded) yield batch(value);
        return;
      }
      const bytes = sizeOfRow(value);
      if (allRows + 1 > maxRows || allBytes + bytes > maxBytes) {
        yield batch(allRows + 1 > maxRows ? "rows" : "bytes");
        return;
      }
      allRows += 1;
      allBytes += bytes;
      batchBytes += bytes;
      rows.push(value);
      if (rows.length >= LIMITS.datasources.batchRows || batchBytes >= LIMITS.datasources.batchBytes)
        yield batch();
    }
  } finally {
    await source.return(undefined);
  }
}

function padded(row: readonly unknown[], width: number): unknown[] {
  return [...row, ...Array.from({ length: width - row.length }, () => null)];
}
