import { AppError, isAppError } from "../../kernel/errors.ts";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import type { Secret } from "../vault/index.ts";
import { LIMITS } from "./limits.ts";

/** The protocols that are spoken; `openai-compatible` is what Ollama, vLLM and most others offer. */
export const PROVIDER_KINDS = ["openai", "anthropic", "openai-compatible"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Where a language model is, and how to get in. */
export interface Connection {
  kind: ProviderKind;
  model: string;
  /** The provider's own when null; `openai-compatible` has none. */
  baseUrl: string | null;
  key: Secret | null;
}

export interface Prompt {
  system: string;
  text: string;
  /** JSON Schema of an answer that is to be JSON. */
  schema?: Readonly<Record<string, unknown>>;
  maxTokens: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Tokens {
  input: number;
  output: number;
}

interface Completion {
  /** As the model wrote it: whoever asked for JSON has to parse and check it. */
  text: string;
  tokens: Tokens;
}

/** Why there was no answer, for those who count. */
const FAILURE_REASONS = [
  "timeout",
  "rate_limited",
  "refused",
  "failed",
  "unreachable",
  "not_allowed",
  "nonsense",
] as const;
type FailureReason = (typeof FAILURE_REASONS)[number];

export function isFailureReason(reason: string): boolean {
  return FAILURE_REASONS.includes(reason as FailureReason);
}

/** Language models of any provider: one text in, one text out, with bounded time and length. */
export class LanguageModels {
  readonly #fetch: GuardedFetch;

  constructor(fetch: GuardedFetch) {
    this.#fetch = fetch;
  }

  /** Throws `cancelled` reasons as they are, and otherwise AppErrors without anything of the provider's answer in them. */
  async complete(connection: Connection, prompt: Prompt): Promise<Completion> {
    const { system, text, schema, maxTokens, timeoutMs } = prompt;
    if (system.length + text.length > LIMITS.llm.promptCharacters)
      throw new AppError("too_large", "There is too much to be sent to a language model.");
    const { generateText, jsonSchema, Output, NoObjectGeneratedError } = await sdk();
    const model = await this.#open(connection, timeoutMs);
    // From here on it is the provider's time.
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const { text: answer, usage } = await generateText({
        model,
        system,
        prompt: text,
        ...(schema !== undefined && { output: Output.object({ schema: jsonSchema(schema) }) }),
        maxOutputTokens: maxTokens,
        maxRetries: LIMITS.llm.retries,
        abortSignal: AbortSignal.any([prompt.signal, deadline]),
        // Nothing of it is to be kept by the provider; recursive schemas are only taken as those of a tool.
        providerOptions: { openai: { store: false }, anthropic: { structuredOutputMode: "jsonTool" } },
      });
      return { text: answer, tokens: tokensOf(usage) };
    } catch (error) {
      prompt.signal.throwIfAborted();
      if (NoObjectGeneratedError.isInstance(error))
        return { text: error.text ?? "", tokens: tokensOf(error.usage) };
      throw deadline.aborted ? failure("timeout", connection) : explained(error, connection);
    }
  }

  async #open({ kind, model, baseUrl, key }: Connection, timeoutMs: number) {
    const fetch = sdkFetch(this.#fetch, timeoutMs);
    const options = { apiKey: key?.reveal() ?? "none", fetch, ...(baseUrl !== null && { baseURL: baseUrl }) };
    switch (kind) {
      case "openai":
        return (await import("@ai-sdk/openai")).createOpenAI(options)(model);
      case "anthropic":
        return (await import("@ai-sdk/anthropic")).createAnthropic(options)(model);
      case "openai-compatible": {
        if (baseUrl === null) throw new AppError("bad_request", "A provider of this kind needs its address.");
        const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
        const { apiKey: _, ...rest } = options;
        return createOpenAICompatible({
          ...rest,
          name: "compatible",
          baseURL: baseUrl,
          supportsStructuredOutputs: true,
          ...(key !== null && { apiKey: key.reveal() }),
        })(model);
      }
    }
  }
}

/** Loaded when a model is first asked: it takes half a second, and most processes never ask. */
async function sdk() {
  const loaded = await import("ai");
  // What it has to say about options belongs into no log of ours.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  return loaded;
}

function tokensOf(
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined,
) {
  return { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 };
}

/** The last error of a call that was repeated, or the error itself. */
function explained(error: unknown, connection: Connection): AppError {
  const { lastError = error } = error as { lastError?: unknown };
  const inner = [lastError, (lastError as Error).cause].find((each) => isAppError(each));
  if (inner !== undefined && isAppError(inner)) {
    if (inner.code === "timeout") return failure("timeout", connection);
    if (inner.code === "unavailable") return failure("unreachable", connection);
    if (inner.code === "rate_limited") return failure("rate_limited", connection);
    // Who asks a question need not know where the provider is; the cause says it.
    const isAddress = inner.code === "forbidden" || inner.code === "bad_request";
    return isAddress ? failure("not_allowed", connection, { cause: inner }) : inner;
  }
  const { statusCode } = lastError as { statusCode?: number };
  if (statusCode === 429) return failure("rate_limited", connection);
  if (statusCode !== undefined && statusCode >= 500)
    return failure("failed", connection, { status: statusCode });
  if (statusCode !== undefined && statusCode >= 400)
    return failure("refused", connection, { status: statusCode });
  return failure("nonsense", connection);
}

function failure(
  reason: FailureReason,
  { model }: Connection,
  { status, cause }: { status?: number; cause?: AppError } = {},
): AppError {
  const sentences: Record<FailureReason, string> = {
    timeout: `The language model ${model} did not answer in time.`,
    rate_limited: `The provider of ${model} takes no more calls for the moment.`,
    refused: `The provider of ${model} refused the call (status ${status}).`,
    failed: `The provider of ${model} failed (status ${status}).`,
    unreachable: `The provider of ${model} cannot be reached.`,
    not_allowed: `The provider of ${model} is at an address that this server may not call.`,
    nonsense: `The answer of the provider of ${model} cannot be read.`,
  };
  return new AppError("unavailable", sentences[reason], {
    hint: reason === "refused" ? "Check the key, the model's name and the address." : "Try again later.",
    data: { reason },
    cause,
  });
}

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/** The `fetch` that providers are given: it reaches what any URL from outside may reach, and follows no redirect with a key in hand. */
function sdkFetch(guarded: GuardedFetch, timeoutMs: number): typeof globalThis.fetch {
  const end = performance.now() + timeoutMs;
  return async (input, init = {}) => {
    const { signal, body } = init;
    if (body !== undefined && body !== null && typeof body !== "string") {
      throw new AppError("unsupported", "Only texts are sent to a language model.");
    }
    const answer = await guarded.request(input instanceof Request ? input.url : input, {
      method: (init.method ?? "GET") as "GET" | "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      maxBytes: LIMITS.llm.answerBytes,
      maxRedirects: 0,
      totalMs: timeoutMs,
      idleMs: timeoutMs,
      ...(signal != null && { signal }),
    });
    const { "content-encoding": _, "content-length": __, ...headers } = answer.headers;
    // Whoever is to come back only when the time is over is told so at once.
    if (answer.status === 429 && performance.now() + retryAfterMs(headers["retry-after"]) > end)
      throw new AppError("rate_limited", "The provider takes no more calls for the moment.");
    const text = BODILESS.includes(answer.status) ? null : answer.body.toString("utf8");
    return new Response(text, { status: answer.status, headers });
  };
}

/** Seconds, or a date. */
function retryAfterMs(header: string | string[] | undefined): number {
  const text = String(header ?? "");
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  return Math.max(0, (Date.parse(text) || 0) - Date.now());
}
