import { AppError } from "../../../kernel/errors.ts";
import { assertVisible } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";

/** A name that people will read in listings and consent pages. */
export function requireName(name: string, what: string): string {
  const trimmed = name.normalize("NFC").trim();
  const tooLong = trimmed.length > LIMITS.identity.nameCharacters;
  if (trimmed === "" || tooLong) {
    throw new AppError("bad_request", `The name of a ${what} must be readable text.`, {
      hint: `Use 1 to ${LIMITS.identity.nameCharacters} characters.`,
    });
  }
  assertVisible(trimmed);
  return trimmed;
}

/** The grammar of HTML's e-mail field: what people can type everywhere, `admin@localhost` included. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const EMAIL_CHARACTERS = 254;

/** One spelling for each address: without spaces around it and in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Of an address in its normal spelling. */
export function isEmail(normal: string): boolean {
  return normal.length <= EMAIL_CHARACTERS && EMAIL.test(normal);
}

export function requireEmail(email: string): string {
  const normal = normaliseEmail(email);
  if (!isEmail(normal)) {
    throw new AppError("bad_request", `"${normal.slice(0, 80)}" is not an e-mail address.`, {
      hint: "It looks like name@example.org.",
    });
  }
  return normal;
}

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
