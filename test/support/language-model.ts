import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A call as a provider of language models gets it. */
export interface ModelCall {
  path: string;
  key: string | undefined;
  /** What the model reads: everything that was said to it. */
  system: string;
  text: string;
  /** The JSON Schema of the answer, where one was sent. */
  schema: unknown;
  maxTokens: number | undefined;
  body: Record<string, unknown>;
}

/** What the stand-in answers: a text, a status of its own, or nothing at all. */
export type ModelReply = string | { status: number; headers?: Record<string, string> } | "silence";

export interface StandIn {
  /** The base URL for each kind of provider. */
  url: string;
  calls: ModelCall[];
  /** Answers the next calls, in this order; the last one answers all that follow. */
  reply(...replies: (ModelReply | ((call: ModelCall) => ModelReply))[]): void;
  stop(): Promise<void>;
}

/** A provider of language models on loopback that speaks the protocols of OpenAI (both) and Anthropic. */
export async function startStandIn(): Promise<StandIn> {
  const calls: ModelCall[] = [];
  let replies: (ModelReply | ((call: ModelCall) => ModelReply))[] = [];
  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    const next = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 500 };
    const reply = typeof next === "function" ? next(call) : next;
    if (reply === "silence") return;
    if (typeof reply !== "string") {
      const error = { type: "error", error: { type: "stand_in", message: `no: ${call.key}` } };
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify(error));
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answerOf(call, reply)));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    reply: (...next) => {
      calls.length = 0;
      replies = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Said {
  role: string;
  content: string | { text?: string }[];
}

async function readCall(request: IncomingMessage): Promise<ModelCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, never>;
  const { headers, url = "" } = request;
  const key = (headers["x-api-key"] as string | undefined) ?? headers.authorization?.replace("Bearer ", "");
  const said = (body.messages ?? body.input ?? []) as Said[];
  const isSystem = ({ role }: Said) => role === "system" || role === "developer";
  const system = [
    body.system as Said["content"] | undefined,
    ...said.filter(isSystem).map(({ content }) => content),
  ];
  const tools = (body.tools ?? []) as { input_schema?: unknown }[];
  const format = (body.response_format ?? (body.text as { format?: unknown } | undefined)?.format) as
    | { json_schema?: { schema?: unknown }; schema?: unknown }
    | undefined;
  return {
    path: url,
    key,
    system: system.map(textOf).join("\n").trim(),
    text: said
      .filter((each) => !isSystem(each))
      .map(({ content }) => textOf(content))
      .join("\n"),
    schema: tools[0]?.input_schema ?? format?.json_schema?.schema ?? format?.schema,
    maxTokens: body.max_tokens ?? body.max_output_tokens ?? body.max_completion_tokens,
    body,
  };
}

function textOf(content: Said["content"] | undefined): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}

/** The answer in the form of the protocol that the call came in. */
function answerOf({ path, body, schema }: ModelCall, text: string): object {
  const model = body.model as string;
  if (path.endsWith("/messages")) {
    const [tool] = (body.tools ?? []) as { name: string }[];
    const content =
      tool === undefined || schema === undefined
        ? [{ type: "text", text }]
        : [{ type: "tool_use", id: "toolu_1", name: tool.name, input: parsed(text) }];
    const stop_reason = tool === undefined ? "end_turn" : "tool_use";
    const usage = { input_tokens: 120, output_tokens: 30 };
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content,
      stop_reason,
      stop_sequence: null,
      usage,
    };
  }
  if (path.endsWith("/responses")) {
    return {
      id: "resp_1",
      object: "response",
      created_at: 1_760_000_000,
      status: "completed",
      model,
      output: [
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ],
      usage: { input_tokens: 120, output_tokens: 30, total_tokens: 150 },
    };
  }
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_760_000_000,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
  };
}

/** A tool's input is always JSON; what is none comes as a text in it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { nonsense: text };
  }
}
