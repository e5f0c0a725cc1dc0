import type { Readable } from "node:stream";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
import type { GuardedFetch } from "../../../../platform/guarded-fetch/index.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Deadline,
  type RowBatch,
  type RunOptions,
  type SourceColumn,
  startDeadline,
} from "../connector.ts";
import type { Secrets } from "../connector-types.ts";
import { shownMessage } from "../database-errors.ts";
import { inBatches, type RowSource } from "../http/rest-connector.ts";
import { parseJson } from "../value-text.ts";

/** A request to the HTTP interface of a database, relative to the URL of its datasource. */
export interface ApiRequest {
  path: string;
  method?: "GET" | "POST" | "DELETE";
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

export interface ApiAnswer {
  status: number;
  json: unknown;
}

interface ApiOptions {
  /** As people call it: "ClickHouse". */
  product: string;
  base: URL;
  /** Who asks; made anew for each request, because tokens expire. */
  credentials(deadline: Deadline): Promise<Readonly<Record<string, string>>>;
  /** The sentence of an error in the answer, if there is one. */
  errorOf(json: unknown): string | undefined;
  secrets: Secrets;
  fetch: GuardedFetch;
}

/** A database that is asked by HTTP and answers with JSON. */
export class DatabaseApi {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get host(): string {
    return this.#options.base.host;
  }

  /** The whole answer; a status of an error is thrown with what the database says about it. */
  async json(request: ApiRequest, deadline: Deadline): Promise<ApiAnswer> {
    const { fetch, errorOf } = this.#options;
    const answer = await fetch.request(...(await this.#prepared(request, deadline)));
    const json = jsonOf(answer.body);
    if (answer.status >= 400)
      throw this.refusal(answer.status, errorOf(json) ?? answer.body.toString("utf8"));
    if (json === undefined) throw this.#noJson();
    return { status: answer.status, json };
  }

  /** The answer as it comes. Of an error only its beginning is read. */
  async stream(request: ApiRequest, deadline: Deadline): Promise<Readable> {
    const { fetch, errorOf } = this.#options;
    const [url, options] = await this.#prepared(request, deadline);
    const answer = await fetch.open(url, { ...options, maxBytes: LIMITS.datasources.downloadBytes });
    if (answer.status < 400) return answer.body;
    const beginning = await beginningOf(answer.body);
    throw this.refusal(answer.status, errorOf(jsonOf(beginning)) ?? beginning.toString("utf8"));
  }

  refusal(status: number, message: string): AppError {
    const { product, secrets } = this.#options;
    const shown = shownMessage(message, Object.values(secrets));
    const said = shown === "" ? `status ${status}` : shown;
    if (status === 401 || status === 403) {
      return new AppError("bad_request", `${product} does not accept the credentials: ${said}.`, {
        hint: "Check user and secret of the datasource, and what that user may read.",
        data: { status },
      });
    }
    if (status === 429 || status >= 502)
      return new AppError("unavailable", `${product} takes no query now: ${said}.`, {
        hint: "Try again later.",
      });
    return new AppError("bad_request", `${product}: ${said}.`, { data: { status } });
  }

  /** A request that must not fail what it belongs to, such as ending a query. */
  async tryToTell(request: ApiRequest): Promise<void> {
    const deadline = startDeadline(LIMITS.datasources.cancelMs, undefined);
    try {
      await this.#options.fetch.request(...(await this.#prepared(request, deadline)));
    } catch {
      // The server ends what nobody reads by its own time limit.
    } finally {
      deadline.clear();
    }
  }

  async #prepared(
    { path, method = "POST", query = {}, headers = {}, body }: ApiRequest,
    deadline: Deadline,
  ): Promise<Parameters<GuardedFetch["request"]>> {
    const { base, credentials } = this.#options;
    const url = new URL(`${base.pathname.replace(/\/$/, "")}${path}`, base.origin);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const isText = typeof body === "string";
    const options = {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined
          ? {}
          : { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" }),
        ...(await credentials(deadline)),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      maxBytes: LIMITS.datasources.pageBytes,
      // A query may take long before its first byte.
      idleMs: deadline.leftMs(),
      totalMs: deadline.leftMs(),
      // A redirect would carry the credentials to where nobody meant them to go.
      maxRedirects: 0,
      signal: deadline.signal,
    };
    return [url, options];
  }

  #noJson(): AppError {
    return new AppError("unavailable", `${this.host} did not answer as ${this.#options.product} does.`, {
      hint: "Check host and port, and the type of the datasource.",
    });
  }
}

/** The rows of one query, within one deadline, however its reader ends. */
export async function* rowsWithin(
  options: RunOptions,
  read: (deadline: Deadline) => Promise<{ rows: RowSource; columns(): readonly SourceColumn[] }>,
): AsyncGenerator<RowBatch> {
  const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
  try {
    const { rows, columns } = await read(deadline);
    checkWidth(columns().length);
    yield* inBatches(rows, columns, options);
  } catch (error) {
    throw deadline.signal.aborted && !isAppError(error) ? deadline.signal.reason : error;
  } finally {
    deadline.clear();
  }
}

function checkWidth(width: number): void {
  if (width <= LIMITS.datasources.columns) return;
  throw new AppError(
    "too_large",
    `The result has ${width.toLocaleString("en")} columns; ${LIMITS.datasources.columns.toLocaleString("en")} are allowed.`,
    { hint: "Name the columns that you need." },
  );
}

function jsonOf(body: Buffer): unknown {
  try {
    return parseJson(body.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const ERROR_BYTES = 64 * 1024;

async function beginningOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ERROR_BYTES) break;
  }
  return Buffer.concat(chunks);
}
