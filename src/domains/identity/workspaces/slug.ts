import { AppError } from "../../../kernel/errors.ts";

/** 2 to 63 characters: a-z, 0-9 and single hyphens inside; at least one letter, so that it is never taken for an id. */
const SLUG = /^(?=[a-z0-9-]{2,63}$)(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Slugs stand in paths (`/mcp/<slug>/mcp`), so words that are, or could become, a route of their own
 * are kept back. `knowledge-external` is the path of the knowledge endpoint.
 */
const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  (
    "knowledge-external mcp sse api oauth auth login health metrics ready live well-known admin console static assets " +
    "files embed docs www kenning system operator root null undefined new all self"
  ).split(" "),
);

export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

export function requireSlug(slug: string): string {
  if (!isSlug(slug)) {
    throw new AppError("bad_request", `"${slug.slice(0, 63)}" cannot be the slug of a workspace.`, {
      hint: "Use 2 to 63 lower-case letters, digits and single hyphens, with at least one letter.",
    });
  }
  if (RESERVED_SLUGS.has(slug)) {
    throw new AppError("bad_request", `The slug "${slug}" is reserved.`, { hint: "Choose another one." });
  }
  return slug;
}
