import { z } from "zod";
import { PROVIDER_KINDS } from "../../platform/llm/index.ts";
import type { Provider } from "./providers.store.ts";

export const providerShape = z.object({
  name: z.string(),
  kind: z.enum(PROVIDER_KINDS),
  model: z.string(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  default: z.boolean(),
  send_rows: z.boolean(),
  timeout_seconds: z.number(),
});

export function shownProvider(provider: Provider): z.input<typeof providerShape> {
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
  };
}
