import type { Logger } from "pino";
import type { z } from "zod";
import { AppError, isAppError } from "../kernel/errors.ts";
import { JsonSlice } from "../kernel/json.ts";
import { LIMITS } from "../kernel/limits.ts";
import { excerpt, shapeOf, withoutSqlLiterals } from "../kernel/masking.ts";
import type { Permission } from "../kernel/permissions.ts";
import { sanitise } from "../kernel/text.ts";
import { abortError } from "../kernel/time.ts";
import type { Admission } from "./admission.ts";
import { asAppError } from "./as-app-error.ts";
import {
  applicationFacts,
  type Bounds,
  type Caller,
  type CallMeta,
  limitPassed,
  tokenFacts,
} from "./caller.ts";
import { type CallContext, type ClientLink, InputNeeded, NO_CLIENT, notingDatasets } from "./context.ts";
import { explainIssues } from "./explain-issues.ts";
import type { AuditSink, Authorizer, Limiter, Meter, OperationKind } from "./ports.ts";
import type { Registry, WireTool } from "./registry.ts";

export interface CallPorts {
  authorizer: Authorizer;
  limiter: Limiter;
  meter?: Meter;
  audit: AuditSink;
  log: Logger;
  /** Whether the audit log keeps arguments with their values, as the operator asked, and not only their shape. */
  auditsValues?: boolean;
  /** The server is about to stop and waits no longer for calls that run: they are told so. */
  stopping?: AbortSignal;
  /** The gates that all requests and calls share, and what counts refusals. */
  admission: Admission;
  /** Told of every call that ended, for metrics. */
  observe?: (
    operation: { kind: OperationKind; name: string; surface: string },
    outcome: string,
    ms: number,
  ) => void;
}

/** One thing to do, of any kind: what the call path needs to know of it. */
export interface Operation extends Bounds {
  kind: OperationKind;
  /** The wire name of a tool or prompt, or the address of a resource. */
  name: string;
  permissions: readonly Permission[];
  timeoutMs: number | undefined;
  /** Each call that is answered counts as an agent call of the plan. */
  isMetered?: boolean;
  /** The argument that may come as a list that nobody has parsed. */
  longList?: string | undefined;
  input: z.ZodType;
  run: (input: never, context: CallContext) => Promise<unknown>;
}

export interface CallEnvironment {
  caller: Caller;
  meta: CallMeta;
  signal: AbortSignal;
  client: ClientLink;
  say: CallContext["say"];
  longList?: JsonSlice;
}

export type Outcome =
  | { status: "done"; output: unknown; ms: number }
  | { status: "waiting"; ms: number }
  | { status: "failed"; error: AppError; ms: number };

const ACTIONS: Record<OperationKind, { action: string; resourceType: string }> = {
  tool: { action: "mcp.tool.call", resourceType: "mcp_tool" },
  resource: { action: "mcp.resource.read", resourceType: "mcp_resource" },
  prompt: { action: "mcp.prompt.get", resourceType: "mcp_prompt" },
  completion: { action: "mcp.completion", resourceType: "mcp_completion" },
  listing: { action: "mcp.resource.list", resourceType: "mcp_resource" },
  subscription: { action: "mcp.resource.subscribe", resourceType: "mcp_resource" },
};

/**
 * The one path that tools, resources, prompts and completions take:
 * permission and limits of the token → sanitise → parse → rate limit → plan → time limit → run → audit. Presenting is the surface's.
 */
export async function call(
  ports: CallPorts,
  operation: Operation,
  args: unknown,
  environment: CallEnvironment,
): Promise<Outcome> {
  const started = performance.now();
  const noted: Record<string, unknown> = {};
  const datasets = new Set<number>();
  const concealed: string[] = [];
  let outcome: Outcome;
  const { admission, authorizer, limiter } = ports;
  const { caller, meta } = environment;
  const who = { caller, address: meta.address };
  try {
    admission.check("permission", who, () => requirePermission(authorizer, operation, caller));
    if (operation.kind === "tool") admission.checkBackOff(operation, who);
    await admission.pass("audit_buffer", who, () => ports.audit.room());
    const { plain, longList } = await readArguments(args, operation.longList);
    const input = parse(operation, plain);
    // A call that could not be run costs none of the tries, and is told so even when there are none left.
    await admission.pass("call_rate", who, () => limiter.take(operation, caller, meta));
    const output = await metered(ports, operation, environment, () =>
      notingDatasets(datasets, () =>
        runWithin(
          operation,
          input,
          {
            ...environment,
            note: (facts) => void Object.assign(noted, facts),
            conceal: (values) => void concealed.push(...values),
            ...(longList !== undefined && { longList }),
          },
          ports.stopping,
        ),
      ),
    ).catch((thrown: unknown) => {
      admission.noteRun(operation, who, thrown);
      throw thrown;
    });
    outcome = { status: "done", output, ms: performance.now() - started };
  } catch (thrown) {
    const ms = performance.now() - started;
    if (thrown instanceof InputNeeded) outcome = { status: "waiting", ms };
    else
      outcome = {
        status: "failed",
        error: asAppError(thrown, ports.log, {
          operation: operation.name,
          requestId: environment.meta.requestId,
        }),
        ms,
      };
  }
  record(ports, operation, args, environment, { ...outcome, noted, datasets, concealed });
  return outcome;
}

/** The plan's metric for what reads words as a person would. */
const AGENT_CALLS = "agent_calls";

/** What fails, or waits for its client and is called again, is given back. */
async function metered<T>(
  { admission, meter }: CallPorts,
  { isMetered = false }: Operation,
  { caller, meta }: CallEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  if (!isMetered || meter === undefined) return work();
  const { id } = caller.workspace;
  await admission.pass("plan", { caller, address: meta.address }, () => meter.take(id, AGENT_CALLS));
  try {
    return await work();
  } catch (error) {
    await meter.giveBack(id, AGENT_CALLS);
    throw error;
  }
}

/** Refuses what the caller's role, scopes or token do not allow. */
export function requirePermission(authorizer: Authorizer, operation: Operation, caller: Caller): void {
  const { role, scope, limit } = authorizer.missing(caller, operation.permissions);
  const missing = [...new Set([...role, ...scope, ...limit])];
  if (missing.length === 0) {
    requireWithinLimits(operation, caller);
    return;
  }
  const hint =
    role.length > 0
      ? `Your role is ${caller.role}; an admin of the workspace can change it.`
      : "This token, or the session that it is used in, was made with less power than its owner has: open a new session, or use another token.";
  throw new AppError("forbidden", `Insufficient permissions: ${missing.join(", ")} is missing.`, {
    hint,
    data: { required: operation.permissions, missing },
  });
}

/** The limits of a token hold whatever its owner's permissions are. */
function requireWithinLimits(operation: Operation, caller: Caller): void {
  const passed = limitPassed(caller, operation);
  if (passed === undefined) return;
  throw new AppError("forbidden", `${operation.name} ${passed}.`, {
    hint: "Use another token for it.",
    data: { required: operation.permissions, missing: operation.permissions },
  });
}

function parse(operation: Operation, args: unknown): unknown {
  const parsed = operation.input.safeParse(args ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", explainIssues(parsed.error.issues, operation.input), {
    data: {
      issues: parsed.error.issues.slice(0, 10).map(({ path, code }) => ({ path: path.join("."), code })),
    },
  });
}

async function runWithin(
  operation: Operation,
  input: unknown,
  environment: CallEnvironment & Pick<CallContext, "note" | "conceal">,
  stopping: AbortSignal | undefined,
): Promise<unknown> {
  const timeoutMs = operation.timeoutMs ?? LIMITS.call.defaultTimeoutMs;
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // Whoever loses the race must not become an unhandled rejection.
  stopped.catch(() => undefined);
  const stop = (error: AppError) => {
    reject(error);
    controller.abort(error);
  };
  // Inside another call it may be the time of that one which ran out.
  const cancelled = () => stop(abortError(environment.signal, `The call of ${operation.name}`));
  const timer = setTimeout(() => {
    const seconds = Math.round(timeoutMs / 100) / 10;
    const hint = "Ask for less, or split the request.";
    stop(
      new AppError("timeout", `${operation.name} took longer than ${seconds} seconds.`, {
        hint,
        data: { timeoutMs },
      }),
    );
  }, timeoutMs);
  const serverStops = () => stop(stoppingError(operation.name));
  if (environment.signal.aborted) cancelled();
  if (stopping?.aborted) serverStops();
  environment.signal.addEventListener("abort", cancelled, { once: true });
  stopping?.addEventListener("abort", serverStops, { once: true });
  try {
    const context: CallContext = { ...environment, signal: controller.signal };
    return await Promise.race([stopped, operation.run(input as never, context)]);
  } finally {
    clearTimeout(timer);
    environment.signal.removeEventListener("abort", cancelled);
    stopping?.removeEventListener("abort", serverStops);
  }
}

function stoppingError(name: string): AppError {
  return new AppError("unavailable", `The server is stopping, and could not wait for ${name} to end.`, {
    hint: "Send it again in a moment. If it changes something, look first whether that has happened.",
    data: { reason: "stopping" },
  });
}

function record(
  ports: CallPorts,
  operation: Operation,
  args: unknown,
  { caller, meta }: CallEnvironment,
  outcome: Outcome & {
    noted: Record<string, unknown>;
    datasets: ReadonlySet<number>;
    concealed: readonly string[];
  },
): void {
  const isFailed = outcome.status === "failed";
  const code =
    outcome.status === "failed" ? outcome.error.code : outcome.status === "done" ? "ok" : "waiting";
  ports.observe?.({ kind: operation.kind, name: operation.name, surface: meta.surface }, code, outcome.ms);
  ports.audit.record({
    ...ACTIONS[operation.kind],
    workspaceId: caller.workspace.id,
    userId: caller.user.id,
    resourceId: operation.name,
    success: !isFailed,
    outcome: code,
    durationMs: outcome.ms,
    address: meta.address,
    ...tokenFacts(caller),
    datasets: [...outcome.datasets],
    metadata: {
      surface: meta.surface,
      sessionId: meta.sessionId,
      clientName: meta.client.name,
      clientVersion: meta.client.version,
      requestId: meta.requestId,
      ...applicationFacts(caller),
      ...(operation.isMetered && outcome.status === "done" && { isAgentCall: true }),
      arguments: ports.auditsValues ? excerpt(args) : shapeOf(args, isFailed ? null : outcome.concealed),
      ...(Object.keys(outcome.noted).length > 0 && { response: excerpt(notedOf(ports, outcome)) }),
    },
  });
}

/** What a tool notes of its answer is its own to decide; but SQL holds values of those who asked. */
function notedOf(
  { auditsValues }: CallPorts,
  { noted, concealed }: { noted: Record<string, unknown>; concealed: readonly string[] },
): Record<string, unknown> {
  const { sql } = noted;
  if (auditsValues || typeof sql !== "string") return noted;
  return { ...noted, sql: withoutSqlLiterals(sql, concealed) };
}

/**
 * The arguments of a call without control characters. Those that came unparsed because they are large are read here
 * if they are texts; of a list of rows the handler takes care, and an empty one stands in its place.
 */
async function readArguments(
  args: unknown,
  listName: string | undefined,
): Promise<{ plain: unknown; longList?: JsonSlice }> {
  const large = largeOnes(args);
  if (large.length === 0) return { plain: sanitise(args) };
  const names = new Set(large.map(([name]) => name));
  const rest = Object.entries(args as object).filter(([name]) => !names.has(name));
  const small = sanitise(Object.fromEntries(rest));
  const read: [string, unknown][] = [];
  let longList: JsonSlice | undefined;
  for (const [name, slice] of large) {
    if (slice.isText) read.push([name, await slice.text()]);
    else if (name === listName) {
      longList = slice;
      read.push([name, []]);
    } else read.push([name, smallList(name, slice)]);
  }
  const plain = Object.fromEntries([...Object.entries(small), ...read]);
  return { plain, ...(longList !== undefined && { longList }) };
}

function largeOnes(args: unknown): [string, JsonSlice][] {
  if (typeof args !== "object" || args === null) return [];
  return Object.entries(args).filter((entry): entry is [string, JsonSlice] => entry[1] instanceof JsonSlice);
}

/** Lists are kept apart also for their long numbers, for which other tools have no use. */
function smallList(name: string, slice: JsonSlice): unknown {
  if (slice.bytes.length > LIMITS.request.largeRowsBytes) throw tooManyValues(name);
  try {
    return sanitise(JSON.parse(Buffer.from(slice.bytes).toString("utf8")));
  } catch (cause) {
    throw isAppError(cause) ? cause : new AppError("bad_request", `${name} is not valid JSON.`, { cause });
  }
}

function tooManyValues(name: string): AppError {
  return new AppError("too_large", `${name} holds more than this tool takes.`, {
    hint: "Rows are sent as rows of {tool:push_data}.",
  });
}

/** The operation behind a tool on its surface: parse that surface's arguments, adapt, run, hold the result to its schema. */
export function toolOperation({ tool, name, input, adapt }: WireTool): Operation {
  return {
    ...rulesOf(tool),
    kind: "tool",
    name,
    timeoutMs: tool.timeoutMs,
    isMetered: tool.isMetered,
    longList: tool.longList,
    input,
    run: async (args: unknown, context) => {
      const adapted = adapt === undefined ? args : tool.input.parse(adapt(args));
      return tool.output.parse(await tool.run(adapted, context));
    },
  };
}

/** Who may do something: permissions, and what the limits of tokens ask for. */
export type Rules = Pick<Operation, "permissions" | keyof Bounds>;

export function rulesOf({ permissions, effect, toolset, within }: Rules): Rules {
  return { permissions, effect, toolset, within };
}

type InnerEnvironment = Pick<CallEnvironment, "caller" | "meta" | "signal"> &
  Partial<Pick<CallEnvironment, "say">>;

/** A tool by its plain name, called by the house itself for a caller: on the one path, with nobody to ask. */
export async function callInside(
  ports: CallPorts,
  registry: Registry,
  name: string,
  args: object,
  environment: InnerEnvironment,
): Promise<unknown> {
  const tool = registry.tool("all", name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  // What it is a part of was counted.
  const outcome = await call(ports, { ...toolOperation(tool), isMetered: false }, args, {
    say: (text) => text,
    ...environment,
    client: NO_CLIENT,
  });
  if (outcome.status === "done") return outcome.output;
  throw outcome.status === "failed"
    ? outcome.error
    : new AppError("unsupported", `${name} needs an answer of its client.`);
}
