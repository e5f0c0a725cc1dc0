import { AppError } from "../../../kernel/errors.ts";
import type { TokenKind, TokenLimits } from "../../../registry/caller.ts";
import { isToolset, TOOLSETS } from "../../../registry/define-tool.ts";
import { LIMITS } from "../limits.ts";
import { TOKEN_RULES } from "./token-kinds.ts";

export const NO_LIMITS: TokenLimits = { readOnly: false, toolsets: null, models: null, knowledgeBases: null };

/** The limits that a new token is stored with: checked, in full form, without duplicates. */
export function limitsFor(wanted: Partial<TokenLimits> | undefined): TokenLimits {
  const limits = { ...NO_LIMITS, ...wanted };
  const unknown = limits.toolsets?.find((word) => !isToolset(word));
  if (unknown !== undefined) {
    throw new AppError("bad_request", `Unknown toolset: ${JSON.stringify(unknown.slice(0, 40))}.`, {
      hint: `Known are: ${Object.keys(TOOLSETS).join(", ")}.`,
    });
  }
  const badId = limits.knowledgeBases?.find((id) => !Number.isSafeInteger(id) || id < 1);
  if (badId !== undefined) {
    throw new AppError("bad_request", `${badId} is not the id of a knowledge base.`, {
      hint: "Ids are whole numbers.",
    });
  }
  return {
    readOnly: limits.readOnly === true,
    toolsets: named(limits.toolsets, "toolset"),
    models: named(limits.models, "model"),
    knowledgeBases: named(limits.knowledgeBases, "knowledge base"),
  };
}

function named<T extends string | number>(list: readonly T[] | null, what: string): T[] | null {
  if (list === null) return null;
  const unique = [...new Set(list)];
  const { namesPerTokenLimit, nameCharacters } = LIMITS.identity;
  const tooLong = unique.some((item) => String(item).trim() === "" || String(item).length > nameCharacters);
  if (unique.length === 0 || unique.length > namesPerTokenLimit || tooLong) {
    throw new AppError(
      "bad_request",
      `A token can be limited to 1 to ${namesPerTokenLimit} named ${what}s.`,
      {
        hint: `Leave the ${what}s out to allow all of them.`,
      },
    );
  }
  return unique;
}

/** What a token of this kind is limited to when it is used: its own limits and those of its kind. */
export function limitsInForce(kind: TokenKind, own: TokenLimits): TokenLimits {
  const ofKind = TOKEN_RULES[kind].toolsets;
  if (ofKind === null) return own;
  const toolsets = own.toolsets === null ? ofKind : ofKind.filter((word) => own.toolsets?.includes(word));
  return { ...own, toolsets };
}
