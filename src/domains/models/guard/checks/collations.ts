import { clip } from "../../../../kernel/clip.ts";
import type { Check } from "../check.ts";
import { refuse } from "../refusal.ts";
import { text } from "../tree.ts";

/** A language, or one of the engine's own, or several with dots between. */
const PART = /^(?:nocase|noaccent|nfc|binary|c|posix|icu_noaccent|[a-z]{2,3}(?:_[a-z]{2})?)$/i;

export const checkCollations: Check = ({ node }) => {
  if (node.class !== "COLLATE") return;
  const collation = text(node.collation);
  if (collation.split(".").every((part) => PART.test(part))) return;
  const message = `There is no collation ${clip(collation)}.`;
  throw refuse("collation", "bad_request", message, "Use NOCASE, NOACCENT or a language such as DE.");
};
