import { createHash } from "node:crypto";
import { AppError } from "../../../../kernel/errors.ts";
import type { Paging } from "../settings.ts";
import { valueAt } from "./json-rows.ts";

/** One page, as far as the way to the next one is concerned. */
export interface Page {
  url: URL;
  json: unknown;
  /** The answer as it came. */
  body: Buffer;
  items: number;
  link: string | undefined;
}

/** Goes from page to page, and notices when it goes in a circle. */
export class Pager {
  readonly #paging: Paging;
  readonly #seen = new Set<string>();

  constructor(paging: Paging) {
    this.#paging = paging;
  }

  first(url: URL): URL {
    const paging = this.#paging;
    const start = new URL(url);
    if (paging.kind === "page") {
      start.searchParams.set(paging.parameter, String(paging.first));
      if (paging.sizeParameter !== undefined && paging.size !== undefined)
        start.searchParams.set(paging.sizeParameter, String(paging.size));
    }
    if (paging.kind === "offset") {
      start.searchParams.set(paging.parameter, "0");
      start.searchParams.set(paging.sizeParameter, String(paging.size));
    }
    return start;
  }

  /** Where the next page is; undefined when this was the last one. */
  next(page: Page): URL | undefined {
    this.#checkProgress(page);
    const { url, json, items, link } = page;
    const paging = this.#paging;
    switch (paging.kind) {
      case "none":
        return undefined;
      case "page":
        return items === 0 || items < (paging.size ?? 0) ? undefined : counted(url, paging.parameter, 1);
      case "offset":
        return items < paging.size ? undefined : counted(url, paging.parameter, items);
      case "cursor":
        return withCursor(url, paging.parameter, valueAt(json, paging.path));
      case "next":
        return linked(url, valueAt(json, paging.path));
      case "link":
        return linked(url, nextOfLinkHeader(link));
    }
  }

  #checkProgress({ url, body, items }: Page): void {
    const marks = [url.href, ...(items > 0 ? [createHash("sha256").update(body).digest("base64")] : [])];
    if (marks.some((mark) => this.#seen.has(mark))) {
      throw new AppError("bad_request", "The API sends the same page again.", {
        hint: "Check the paging setting of the datasource.",
      });
    }
    for (const mark of marks) this.#seen.add(mark);
  }
}

function counted(url: URL, parameter: string, step: number): URL {
  const next = new URL(url);
  next.searchParams.set(parameter, String(Number(url.searchParams.get(parameter)) + step));
  return next;
}

function withCursor(url: URL, parameter: string, cursor: unknown): URL | undefined {
  if ((typeof cursor !== "string" && typeof cursor !== "number") || cursor === "") return undefined;
  const next = new URL(url);
  next.searchParams.set(parameter, String(cursor));
  return next;
}

/** The credentials go along, so the next page must be where the first one was. */
function linked(url: URL, link: unknown): URL | undefined {
  if (typeof link !== "string" || link === "") return undefined;
  const next = URL.parse(link, url.href);
  if (next?.origin === url.origin) return next;
  throw new AppError("bad_request", "The link to the next page leads to another server.", {
    hint: "Check the paging setting of the datasource.",
  });
}

/** `<https://…?page=2>; rel="next", <…>; rel="last"` */
function nextOfLinkHeader(header: string | undefined): string | undefined {
  for (const [, target, parameters] of (header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?(?:[^",;]*\s)?next(?:\s[^",;]*)?"?/i.test(parameters ?? "")) return target;
  }
  return undefined;
}
