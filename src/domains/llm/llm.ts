import { AppError, isAppError } from "../../kernel/errors.ts";
import { injectionIn } from "../../kernel/prompt-injection.ts";
import {
  type Connection,
  isFailureReason,
  type LanguageModels,
  type Prompt,
  type Tokens,
} from "../../platform/llm/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { AuditSink } from "../../registry/ports.ts";
import type { Usage } from "../identity/index.ts";
import type { CircuitBreaker, ProviderHealth } from "./circuit-breaker.ts";
import { LIMITS } from "./limits.ts";
import { noProvider, type Provider, type ProvidersStore, type ProviderWish } from "./providers.store.ts";

export interface LlmParts {
  store: ProvidersStore;
  models: LanguageModels;
  usage: Pick<Usage, "take" | "giveBack">;
  audit: Pick<AuditSink, "record">;
  circuitBreaker: CircuitBreaker;
}

/** What a model is asked, and by whom. */
export interface ModelRequest extends Omit<Prompt, "timeoutMs"> {
  /** What it is for, in the audit log. */
  purpose: string;
  /** What a person wrote of it: looked through for known signs of prompt injection before anything is sent. */
  instruction: string;
}

export interface ModelAnswer {
  text: string;
  tokens: Tokens;
  ms: number;
}

/** Counted for each call of a model, and bounded by the plan of the workspace; what a call took is known after it. */
const METRIC = "llm_calls";
const TOKENS = "llm_tokens";
const TEST_TOKENS = 16;

/** The language models of a workspace: which one is asked, what it costs, and what is written down about it. */
export class Llm {
  readonly #parts: LlmParts;
  readonly #underWay = new Map<number, number>();

  constructor(parts: LlmParts) {
    this.#parts = parts;
  }

  list(workspaceId: number): Promise<Provider[]> {
    return this.#parts.store.list(workspaceId);
  }

  healthOf({ id }: Provider): ProviderHealth {
    return this.#parts.circuitBreaker.healthOf(id);
  }

  async set(wish: ProviderWish): Promise<Provider> {
    const provider = await this.#parts.store.set(checked(wish));
    this.#parts.circuitBreaker.succeeded(provider.id);
    this.#changed("llm.provider.set", provider, wish.userId);
    return provider;
  }

  async remove(workspaceId: number, name: string, userId: number | null): Promise<void> {
    const provider = await this.#parts.store.remove(workspaceId, name);
    this.#changed("llm.provider.remove", provider, userId);
  }

  /** The one that this person prefers, or else the workspace's; undefined where there is none. */
  async providerFor({ workspace }: Caller, preferred?: string): Promise<Provider | undefined> {
    const all = await this.list(workspace.id);
    const theirs = all.find(({ name }) => name.toLowerCase() === preferred?.toLowerCase());
    return theirs ?? all.find(({ isDefault }) => isDefault);
  }

  /** Throws AppErrors that say why there is no answer; what a plan allowed and nobody answered is given back. */
  async ask(caller: Caller, provider: Provider, request: ModelRequest): Promise<ModelAnswer> {
    const { purpose, instruction, ...prompt } = request;
    const found = injectionIn(instruction);
    if (found !== undefined) throw suspicious(found);
    const { id } = caller.workspace;
    const { circuitBreaker } = this.#parts;
    await this.#parts.usage.take(id, TOKENS, 0);
    await this.#parts.usage.take(id, METRIC);
    const started = performance.now();
    try {
      const answer = await this.#within(id, async () => {
        circuitBreaker.begin(provider);
        const connection = { ...provider, key: await this.#parts.store.key(provider) };
        return this.#parts.models.complete(connection, { ...prompt, timeoutMs: provider.timeoutMs });
      });
      circuitBreaker.succeeded(provider.id);
      const { input, output } = answer.tokens;
      await this.#parts.usage.take(id, TOKENS, input + output, { isBounded: false });
      const ms = performance.now() - started;
      this.#called(caller, provider, { purpose, ms, outcome: "ok", tokens: answer.tokens });
      return { ...answer, ms };
    } catch (error) {
      await this.#parts.usage.giveBack(id, METRIC);
      const outcome = isAppError(error) ? String(error.data.reason ?? error.code) : "cancelled";
      if (isFailureReason(outcome)) circuitBreaker.failed(provider.id, outcome);
      else if (outcome !== "paused") circuitBreaker.gaveUp(provider.id);
      this.#called(caller, provider, { purpose, ms: performance.now() - started, outcome });
      throw error;
    }
  }

  /** True if it can be reached, by the smallest question that there is. */
  async test(workspaceId: number, name: string, signal: AbortSignal): Promise<Provider> {
    const all = await this.list(workspaceId);
    const provider = all.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (provider === undefined) throw noProvider(name);
    const connection: Connection = { ...provider, key: await this.#parts.store.key(provider) };
    const { timeoutMs } = provider;
    const text = "Answer with the word yes.";
    await this.#parts.usage.take(workspaceId, METRIC, 1, { isBounded: false });
    await this.#parts.models
      .complete(connection, { system: text, text, maxTokens: TEST_TOKENS, timeoutMs, signal })
      .catch((error) => {
        // Whoever set it up may know what its address is refused for.
        throw isAppError(error) && isAppError(error.cause) ? error.cause : error;
      });
    this.#parts.circuitBreaker.succeeded(provider.id);
    return provider;
  }

  async #within<T>(workspaceId: number, work: () => Promise<T>): Promise<T> {
    const count = this.#underWay.get(workspaceId) ?? 0;
    if (count >= LIMITS.llm.callsAtOnce) {
      throw new AppError("unavailable", "Too many calls of language models are under way.", {
        data: { reason: "busy" },
      });
    }
    this.#underWay.set(workspaceId, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#underWay.get(workspaceId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(workspaceId);
      else this.#underWay.set(workspaceId, left);
    }
  }

  #called(
    caller: Caller,
    { name, kind, model }: Provider,
    { ms, outcome, ...more }: { purpose: string; ms: number; outcome: string; tokens?: Tokens },
  ): void {
    this.#parts.audit.record({
      action: "llm.call",
      workspaceId: caller.workspace.id,
      userId: caller.user.id,
      resourceType: "llm_provider",
      resourceId: name,
      success: outcome === "ok",
      outcome,
      durationMs: ms,
      metadata: {
        kind,
        model,
        purpose: more.purpose,
        inputTokens: more.tokens?.input ?? 0,
        outputTokens: more.tokens?.output ?? 0,
      },
    });
  }

  #changed(action: string, provider: Provider, userId: number | null): void {
    const { workspaceId, name, kind, model, baseUrl, isDefault, sendsRows } = provider;
    this.#parts.audit.record({
      action,
      workspaceId,
      userId,
      resourceType: "llm_provider",
      resourceId: name,
      success: true,
      outcome: "ok",
      durationMs: 0,
      metadata: { kind, model, baseUrl, isDefault, sendsRows, ...(userId === null && { by: "operator" }) },
    });
  }
}

function suspicious(pattern: string): AppError {
  return new AppError(
    "bad_request",
    `No language model was asked: "${pattern}" is a known sign of prompt injection.`,
    {
      hint: "Say what you need in other words, without that phrase.",
      data: { reason: "prompt_injection", pattern },
    },
  );
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,79}$/u;
const MODEL = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,199}$/u;
const KEY = /^[\x21-\x7e]{1,4096}$/;

function checked(wish: ProviderWish): ProviderWish {
  if (!NAME.test(wish.name)) throw bad("The name is made of letters, digits, spaces, dots and hyphens.");
  if (!MODEL.test(wish.model)) throw bad("This is not the name of a model, such as gpt-5 or llama3.1:8b.");
  const key = wish.key?.trim();
  if (key !== undefined && !KEY.test(key)) throw bad("The key is empty, or has spaces or lines in it.");
  const { timeoutMs } = wish;
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1_000 || timeoutMs > LIMITS.llm.longestTimeoutMs)
    throw bad(`The time for a call is between 1 and ${LIMITS.llm.longestTimeoutMs / 1_000} seconds.`);
  const baseUrl = wish.baseUrl === null ? null : address(wish.baseUrl);
  if (wish.kind === "openai-compatible" && baseUrl === null)
    throw bad(
      "A provider of the kind openai-compatible needs its address, such as http://localhost:11434/v1.",
    );
  return { ...wish, baseUrl, key };
}

/** Keys belong into the key, and not into the address, which is shown. */
function address(text: string): string {
  const url = URL.parse(text);
  const isPlain =
    url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw bad("The address is not one such as https://example.com/v1, without user, query or fragment.");
  return url.href.replace(/\/+$/, "");
}

function bad(message: string): AppError {
  return new AppError("bad_request", message);
}
