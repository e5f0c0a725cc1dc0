import { z } from "zod";
import { PROVIDER_KINDS } from "../../platform/llm/index.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { ProviderHealth } from "./circuit-breaker.ts";
import type { Llm } from "./llm.ts";
import type { Provider } from "./providers.store.ts";

/** What the tools of this slice work with. */
export interface LlmServices {
  llm: Llm;
}

export const defineTool = toolsOf<LlmServices>();

export const providerShape = z.object({
  name: z.string(),
  kind: z.enum(PROVIDER_KINDS),
  model: z.string(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  default: z.boolean(),
  send_rows: z.boolean(),
  timeout_seconds: z.number(),
  failures_in_row: z.int(),
  last_failure: z.string().nullable(),
  paused_until: z.string().nullable().describe("Not asked until then, after failures in a row"),
});

export function shownProvider(provider: Provider, health: ProviderHealth): z.input<typeof providerShape> {
  const { name, kind, model, baseUrl, hasKey, isDefault, sendsRows, timeoutMs } = provider;
  return {
    name,
    kind,
    model,
    base_url: baseUrl,
    has_key: hasKey,
    default: isDefault,
    send_rows: sendsRows,
    timeout_seconds: timeoutMs / 1_000,
    failures_in_row: health.failuresInRow,
    last_failure: health.lastFailure,
    paused_until: health.pausedUntil?.toISOString() ?? null,
  };
}
