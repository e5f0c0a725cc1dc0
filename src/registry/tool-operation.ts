import { AppError } from "../kernel/errors.ts";
import { type CallEnvironment, type CallPorts, call, type Operation } from "./call.ts";
import { NO_CLIENT } from "./no-client.ts";
import type { Registry, WireTool } from "./registry.ts";
import type { Bounds } from "./token-limits.ts";

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

export type InnerEnvironment = Pick<CallEnvironment, "caller" | "meta" | "signal"> &
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
