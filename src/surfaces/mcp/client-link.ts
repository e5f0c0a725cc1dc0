import { createHash } from "node:crypto";
import {
  type InputRequests,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import {
  type Answer,
  type ClientLink,
  InputNeeded,
  type ListedToolset,
  type Question,
  type SampleRequest,
  type Shown,
} from "../../registry/context.ts";
import type { ContentBlock, Toolset } from "../../registry/define-tool.ts";
import { LIMITS } from "./limits.ts";

/** What a waiting call carries through the client, signed: answers so far and the results of its steps. */
export interface Journal {
  call: string;
  answers: Record<string, unknown>;
  steps: Record<string, unknown>;
}

/** By its capabilities, as the extension of MCP for apps has them. */
export function showsApps(server: Server): boolean {
  const extension = server.getClientCapabilities()?.extensions?.["io.modelcontextprotocol/ui"];
  const types = extension?.mimeTypes;
  return extension !== undefined && (!Array.isArray(types) || types.includes(APP_TYPE));
}

const APP_TYPE = "text/html;profile=mcp-app";

/** What is called, and with which arguments. */
interface Subject {
  name: string;
  args: unknown;
}

/**
 * The link of one run. In the newest protocol a question ends the request and the client sends it again with
 * the answer; for older clients the SDK asks over the session and re-enters the handler. Both look alike from here.
 */
export class McpClientLink implements ClientLink {
  readonly canElicit: boolean;
  readonly canSample: boolean;
  readonly showsApps: boolean;
  /** What the handler has added to its result. */
  readonly shown: { content: ContentBlock[]; meta: Record<string, unknown> } = { content: [], meta: {} };
  readonly #context: ServerContext;
  readonly #call: Subject;
  readonly #journal: Omit<Journal, "call">;
  readonly #pending: InputRequests = {};
  readonly listToolset: (toolset: Toolset) => Promise<ListedToolset>;

  constructor(
    server: Server,
    context: ServerContext,
    call: Subject,
    listToolset: (toolset: Toolset) => Promise<ListedToolset>,
  ) {
    const capabilities = server.getClientCapabilities();
    this.canElicit = capabilities?.elicitation !== undefined;
    this.canSample = capabilities?.sampling !== undefined;
    this.showsApps = showsApps(server);
    this.#context = context;
    this.#call = call;
    this.listToolset = listToolset;
    this.#journal = openJournal(context, call);
  }

  progress(done: number, { total, message }: { total?: number; message?: string } = {}): void {
    const progressToken = this.#context.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    const params = {
      progressToken,
      progress: done,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    this.#notify("notifications/progress", params);
  }

  show({ content = [], meta = {} }: Shown): void {
    this.shown.content.push(...content);
    Object.assign(this.shown.meta, meta);
  }

  log(level: "debug" | "info" | "warning" | "error", message: string): void {
    // The SDK drops what is below the level that the client asked for.
    this.#context.mcpReq.log(level, message).catch(() => undefined);
  }

  async ask(
    key: string,
    request: { method: string; params?: Record<string, unknown> | undefined },
  ): Promise<Record<string, unknown>> {
    const answer = this.#journal.answers[key];
    if (answer !== undefined) return answer as Record<string, unknown>;
    // A client that did not declare this gets the SDK's error: -32021 in the newest protocol, `isError` before.
    this.#pending[key] = request as InputRequests[string];
    throw new InputNeeded();
  }

  async elicit<T extends z.ZodObject>(key: string, question: Question<T>): Promise<Answer<z.output<T>>> {
    const request = inputRequired.elicit({ message: question.message, requestedSchema: question.schema });
    // What does not fit is asked for once more; whoever answers so again does not want to answer.
    for (const each of [key, `${key}-again`]) {
      if (this.#journal.answers[each] === undefined) return (await this.ask(each, request)) as never;
      const answer = inputResponse(this.#journal.answers, each);
      if (answer.kind !== "elicit") continue;
      if (answer.action !== "accept") return { action: answer.action };
      const content = question.schema.safeParse(answer.content ?? {});
      if (content.success) return { action: "accept", content: content.data };
    }
    return { action: "cancel" };
  }

  async sample(key: string, { prompt, system, maxTokens }: SampleRequest): Promise<string> {
    const request = inputRequired.createMessage({
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens,
      ...(system !== undefined && { systemPrompt: system }),
    });
    const answer = await this.ask(key, request);
    if (isDeclined(answer)) {
      throw new AppError("unavailable", "The client did not lend its language model.", {
        data: { reason: "declined" },
      });
    }
    const { content } = answer;
    const blocks = (Array.isArray(content) ? content : [content]) as { type?: string; text?: string }[];
    return blocks.map((block) => (block?.type === "text" ? (block.text ?? "") : "")).join("");
  }

  async step<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!Object.hasOwn(this.#journal.steps, key)) this.#journal.steps[key] = await work();
    return this.#journal.steps[key] as T;
  }

  /** The result that puts this run's questions to the client. */
  async waitingResult(codec: RequestStateCodec<Journal>) {
    const requestState = await codec.mint({ call: digest(this.#call), ...this.#journal }, this.#context);
    return inputRequired({ inputRequests: this.#pending, requestState });
  }

  #notify(method: string, params: Record<string, unknown>): void {
    // A client that has gone away misses its progress; the call's own end tells the rest.
    this.#context.mcpReq.notify({ method, params }).catch(() => undefined);
  }
}

function openJournal(context: ServerContext, call: Subject): Omit<Journal, "call"> {
  const carried = context.mcpReq.requestState<Journal>();
  if (carried !== undefined && carried.call !== digest(call)) {
    throw new AppError("bad_request", "The request state belongs to another call.", {
      hint: "Send the arguments again exactly as they were in the first request.",
    });
  }
  const answers = { ...carried?.answers, ...context.mcpReq.inputResponses };
  return { answers, steps: { ...carried?.steps } };
}

/** Ties a journal to the call it was made for, so that its steps cannot be smuggled into another one. */
function digest({ name, args }: Subject): string {
  return createHash("sha256")
    .update(JSON.stringify([name, args ?? null]))
    .digest("base64url");
}

/** What stands in the place of a text that the client's model did not write. */
const DECLINED = "declined";

type CreateMessage = Server["createMessage"];

/**
 * A client that declines to lend its model, fails to, or leaves it hanging has answered as well: the call goes on without it. Left to
 * itself the SDK would end the whole call with an error.
 */
export function withoutModel(server: Server): void {
  const { sampleMs } = LIMITS.session;
  const create = server.createMessage.bind(server) as (...args: unknown[]) => Promise<unknown>;
  server.createMessage = (async (params: unknown, options?: { signal?: AbortSignal }) => {
    try {
      return await create(params, { ...options, timeout: sampleMs, maxTotalTimeout: sampleMs });
    } catch {
      options?.signal?.throwIfAborted();
      return { role: "assistant", model: "none", stopReason: DECLINED, content: { type: "text", text: "" } };
    }
  }) as CreateMessage;
}

export function isDeclined(answer: Record<string, unknown>): boolean {
  return answer.stopReason === DECLINED;
}
