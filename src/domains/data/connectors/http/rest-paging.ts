import { createHash } from "node:crypto";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import { ANY_TYPE, type SourceColumn } from "../connector.ts";
import type { Paging } from "../settings.ts";
import { takeName } from "../value-text.ts";

/** One page, as far as the way to the next one is concerned. */
interface Page {
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

/** Value at a JSON path such as `data.items[0].list`; undefined when there is none. */
function valueAt(value: unknown, path: string): unknown {
  const names = path
    .replace(/^\$\.?/, "")
    .split(/[.[\]]+/)
    .filter((name) => name !== "");
  let current = value;
  for (const name of names) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** The rows in an answer: at the path that is set, or where they can only be. */
export function itemsOf(answer: unknown, path: string | undefined): unknown[] {
  const found = path === undefined ? likelyRows(answer) : valueAt(answer, path);
  if (Array.isArray(found)) return found;
  if (found === null) return [];
  if (typeof found === "object") return [found];
  const names = typeof answer === "object" && answer !== null ? Object.keys(answer).slice(0, 20) : [];
  throw new AppError(
    "bad_request",
    path === undefined
      ? "The answer is neither a list nor an object."
      : `There are no rows at ${path} in the answer.`,
    names.length === 0 ? {} : { hint: `Set resultPath. The answer has ${names.join(", ").slice(0, 300)}.` },
  );
}

/** Most APIs wrap their list into an object that has no other list of objects. */
function likelyRows(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  const lists = Object.values(answer).filter(isListOfObjects);
  return lists.length === 1 ? lists[0] : answer;
}

function isListOfObjects(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === "object" && item !== null)
  );
}

/** Columns that are found as rows come. A row has the values of the columns that were known by then. */
export class InferredColumns {
  readonly #places = new Map<string, number>();
  readonly #taken = new Set<string>();
  #columns: SourceColumn[] = [];

  get columns(): readonly SourceColumn[] {
    return this.#columns;
  }

  rowOf(item: unknown): unknown[] {
    const row: unknown[] = Array.from({ length: this.#columns.length }, () => null);
    for (const [name, value] of fieldsOf(item)) row[this.#placeOf(name)] = value ?? null;
    return row;
  }

  #placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    if (this.#columns.length >= LIMITS.datasources.columns) {
      throw new AppError(
        "too_large",
        `The rows have more than ${LIMITS.datasources.columns.toLocaleString("en")} different fields.`,
      );
    }
    const place = this.#columns.length;
    this.#places.set(name, place);
    // A new list: batches that were handed out keep theirs.
    this.#columns = [...this.#columns, { name: takeName(name, place, this.#taken), type: ANY_TYPE }];
    return place;
  }
}

function fieldsOf(item: unknown): [string, unknown][] {
  if (Array.isArray(item)) return item.map((value, index) => [`column_${index + 1}`, value]);
  return typeof item === "object" && item !== null ? Object.entries(item) : [["value", item]];
}
