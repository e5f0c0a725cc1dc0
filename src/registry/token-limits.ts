import type { Caller, TokenLimits } from "./caller.ts";
import { changesSomething, type Effect } from "./define-tool.ts";
import type { Toolset } from "./toolsets.ts";

/** The limits by which a token names the things that it is for. */
export type NamedLimit = Exclude<keyof TokenLimits, "readOnly" | "toolsets">;

/** What an operation says of itself so that the limits of tokens hold on it. What it does not say counts against it. */
export interface Bounds {
  effect: Effect;
  toolset: Toolset | undefined;
  /**
   * The sorts of named things that it reaches, each only as far as the token names them: `[]` reaches none of any
   * sort. Left out, it keeps to no names, and no token with names can call it.
   */
  within: readonly NamedLimit[] | undefined;
}

const THINGS: Record<NamedLimit, string> = { models: "semantic models", knowledgeBases: "knowledge bases" };

/** Why the limits of the caller's token forbid an operation, as the end of a sentence; undefined when they do not. */
export function limitPassed({ token }: Pick<Caller, "token">, bounds: Bounds): string | undefined {
  const { readOnly, toolsets, ...names } = token.limits;
  if (readOnly && changesSomething(bounds.effect)) return "changes something, and this token is read-only";
  if (toolsets !== null && (bounds.toolset === undefined || !toolsets.includes(bounds.toolset)))
    return "is in none of the toolsets that this token is for";
  // Every other limit is one of names: one that is added to tokens later holds without a word here.
  const named = (Object.keys(names) as NamedLimit[]).filter((limit) => names[limit] !== null);
  const { within } = bounds;
  if (named.length === 0 || within?.every((limit) => named.includes(limit))) return undefined;
  return `reaches more than the ${named.map((limit) => THINGS[limit]).join(" and ")} that this token is for`;
}
