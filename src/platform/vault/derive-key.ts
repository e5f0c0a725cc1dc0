import { hkdfSync } from "node:crypto";

/** Fewer characters than this can be guessed. */
const ROOT_SECRET_MIN_CHARACTERS = 32;

/**
 * A key of its own for each purpose ("cookies", "downloads", "oauth-state"), all from one root secret: to know
 * one of them tells nothing about the others or the root.
 */
export function deriveKey(root: string, purpose: string, bytes = 32): Buffer {
  if (root.length < ROOT_SECRET_MIN_CHARACTERS) {
    throw new TypeError(`the root secret must have at least ${ROOT_SECRET_MIN_CHARACTERS} characters`);
  }
  return Buffer.from(hkdfSync("sha256", root, "", `kenning/${purpose}`, bytes));
}
