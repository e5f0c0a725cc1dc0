import { clip } from "../../../../kernel/clip.ts";
import { LIMITS } from "../../../../platform/analytics/limits.ts";
import type { Check } from "../check.ts";
import { refuse } from "../refusal.ts";
import { text } from "../tree.ts";

/** Values come as a list, so that a parameter has a number. */
export const checkParameters: Check = ({ node }) => {
  if (node.class !== "PARAMETER") return;
  const name = text(node.identifier);
  const number = /^[1-9]\d{0,8}$/.test(name) ? Number(name) : 0;
  if (number > 0 && number <= LIMITS.analytics.params) return;
  const message = `$${clip(name)} is no parameter.`;
  throw refuse(
    "parameter",
    "bad_request",
    message,
    `Parameters are $1, $2 up to $${LIMITS.analytics.params}.`,
  );
};
