import { clip } from "../../../../kernel/clip.ts";
import type { Check } from "../check.ts";
import { refuse } from "../refusal.ts";
import { text } from "../tree.ts";

/** The values of a PIVOT may be named by a type, which only somebody who creates types could mean. */
export const checkPivots: Check = ({ node }) => {
  const name = text(node.pivot_enum);
  if (name === "") return;
  const hint = "Give the values: PIVOT t ON year IN (2023, 2024) USING sum(x).";
  throw refuse("pivot", "forbidden", `PIVOT over the type ${clip(name)} is not allowed.`, hint);
};
