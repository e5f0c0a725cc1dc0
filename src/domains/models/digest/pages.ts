import { AppError } from "../../../kernel/errors.ts";

export interface Page<T> {
  items: T[];
  /** Counts from 1. */
  page: number;
  pages: number;
  /** Items on all pages. */
  total: number;
  /** Items on the pages after this one. */
  left: number;
}

/** One page of a list. An empty list has one empty page. */
export function pageOf<T>(what: string, all: readonly T[], page: number, perPage: number): Page<T> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  if (!Number.isInteger(page) || page < 1 || page > pages) {
    const count = pages === 1 ? "1 page" : `${pages} pages`;
    throw new AppError("bad_request", `There is no page ${page}: ${what} fill ${count}.`, {
      hint: pages === 1 ? "Ask for page 1." : `Ask for a page from 1 to ${pages}.`,
      data: { pages },
    });
  }
  const items = all.slice((page - 1) * perPage, page * perPage);
  return { items, page, pages, total: all.length, left: Math.max(0, all.length - page * perPage) };
}

/** A section: its heading with what there is, its lines, and how to get the next page if there is one. */
export function section<T>(
  heading: string,
  { items, page, pages, left }: Page<T>,
  line: (item: T) => string,
  next: string,
): string {
  return [
    page === 1 ? heading : `${heading} page ${page} of ${pages}`,
    ...items.map((item) => `- ${line(item)}`),
    ...(left === 0 ? [] : [`${left} more: ${next}, page: ${page + 1}`]),
  ].join("\n");
}
