import { z } from "zod";
import type { Identity, SignedIn, TokenInfo } from "../../domains/identity/index.ts";
import { parseDuration } from "../../kernel/time.ts";
import { parseInput } from "./parse-input.ts";

const newToken = z.strictObject({
  workspace: z.string(),
  kind: z.enum(["api", "mcp", "memory", "knowledge"]),
  name: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  toolsets: z.array(z.string()).optional(),
  models: z.array(z.string()).optional(),
  knowledge_bases: z.array(z.int()).optional(),
  expires_in: z.string().optional().describe("Such as 90d or 1y"),
});

/** Makes a token for the person who asks, from what the console API or the form of the start page was sent. */
export function makeToken(
  { tokens }: Pick<Identity, "tokens">,
  { email, accountId }: SignedIn,
  input: unknown,
): Promise<{ token: string; info: TokenInfo }> {
  const wish = parseInput(newToken, input);
  return tokens.create({
    email,
    by: { userId: accountId },
    workspace: wish.workspace,
    kind: wish.kind,
    ...(wish.name !== undefined && { name: wish.name }),
    ...(wish.scopes !== undefined && { scopes: wish.scopes }),
    ...(wish.expires_in !== undefined && { expiresInMs: parseDuration(wish.expires_in) }),
    limits: {
      readOnly: wish.read_only ?? false,
      toolsets: wish.toolsets ?? null,
      models: wish.models ?? null,
      knowledgeBases: wish.knowledge_bases ?? null,
    },
  });
}
