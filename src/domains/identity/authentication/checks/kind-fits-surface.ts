import { TOKEN_RULES } from "../../tokens/token-kinds.ts";
import type { Check } from "../grant.ts";

export const kindFitsSurface: Check = ({ token }, { proof }) =>
  TOKEN_RULES[token.kind].surfaces.includes(proof.surface) ? null : "wrong_kind";
