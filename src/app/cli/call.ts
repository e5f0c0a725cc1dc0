import { createReadStream, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { clip, nearest, newUuid } from "../../kernel/text.ts";
import { type CallPorts, call, toolOperation } from "../../registry/call.ts";
import type { Caller } from "../../registry/caller.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import type { ContentBlock } from "../../registry/define-tool.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import type { AppEngines } from "../engines.ts";
import { describeRegistry, type Services } from "../slices.ts";
import { VERSION } from "../version.ts";
import type { Terminal } from "./command.ts";
import { inShell } from "./failure.ts";
import { Progress, readableText } from "./output.ts";
import { untilStopped, withTools } from "./with-services.ts";

interface CallInput {
  args: { tool: string };
  options: {
    workspace: string;
    user: string | undefined;
    arg: readonly string[];
    args: string | undefined;
    output: string | undefined;
    field: string | undefined;
    json: boolean;
  };
}

type Json = Record<string, unknown>;

/** Runs one tool on the path that calls of clients take, as the operator or as a member. */
export async function callTool({ args, options }: CallInput, terminal: Terminal): Promise<number> {
  return withTools(async ({ engines, services, callerFor }) => {
    const tool = requireTool(engines.registry, args.tool);
    const caller = await callerFor(options.workspace, options.user);
    const given = await readArguments(tool, options, terminal);
    const progress = new Progress(terminal);
    const outcome = await untilStopped(async (signal) => {
      const sent = await sendFile(engines, caller, given, signal);
      return call(portsOf(engines, services, caller), toolOperation(tool), sent, {
        caller,
        meta: {
          surface: "all",
          requestId: newUuid(),
          address: "",
          tokenHash: `command line ${caller.user.id}`,
          sessionId: null,
          client: { name: "kenning call", version: VERSION },
        },
        signal,
        client: {
          ...NO_CLIENT,
          progress: (done, { total, message } = {}) =>
            progress.show(message ?? tool.name, total === undefined ? undefined : done / total),
        },
        say: inShell,
      });
    }).finally(() => progress.end());
    if (outcome.status === "failed") throw outcome.error;
    if (outcome.status === "waiting")
      throw new AppError("unsupported", `${tool.name} has to ask its client.`);
    await present(tool, outcome.output as Json, options, terminal);
    return 0;
  });
}

/** What the help of `call` says more: all tools, or the arguments of one. */
export function explainTools(name = ""): string {
  const registry = describeRegistry();
  if (name === "") {
    const lines = registry
      .toolsets()
      .map(({ name: toolset, tools }) => `  ${toolset}: ${tools.map((tool) => tool.name).join(", ")}`);
    return `Tools\n${lines.join("\n")}\n`;
  }
  const { description, inputSchema } = requireTool(registry, name);
  const { properties = {}, required = [] } = inputSchema as Schema;
  const lines = Object.entries(properties).map(([argument, schema]) => {
    const kind = schema.enum?.join(" | ") ?? [...kindsOf(schema)].join(" or ");
    const must = required.includes(argument) ? "required" : undefined;
    const preset = schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`;
    const notes = [kind, must, preset].filter(Boolean).join(", ");
    return `  ${argument} (${notes})${schema.description === undefined ? "" : `: ${schema.description}`}`;
  });
  return `${name}: ${description}\n${lines.length === 0 ? "  It takes no arguments." : lines.join("\n")}\n`;
}

function requireTool(registry: Registry, name: string): WireTool {
  const tool = registry.tool("all", name);
  if (tool !== undefined && !tool.tool.isForApps) return tool;
  const known = registry.tools("all").map((each) => each.name);
  const meant = nearest(name, known);
  throw new AppError("not_found", `There is no tool ${JSON.stringify(clip(name))}.`, {
    hint: meant === undefined ? "See: kenning call --help" : `Did you mean ${meant}?`,
  });
}

/** The operator's calls are not counted on a plan, and are the operator's in the audit log, too. */
function portsOf({ admission, log }: AppEngines, { identity }: Services, caller: Caller): CallPorts {
  const { authorizer, limiter, usage, audit } = identity;
  const ports = { admission, authorizer, limiter, audit, log };
  if (caller.token.kind !== "operator") return { ...ports, meter: usage };
  return {
    ...ports,
    audit: {
      room: () => audit.room(),
      record: (event) =>
        audit.record({ ...event, userId: null, metadata: { ...event.metadata, by: "operator" } }),
    },
  };
}

// Arguments

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  description?: string;
}

/** Arguments that take the place of a URL: what is behind the path is sent as a stream. */
const FILE_ARGUMENT = "file_url";
/** Arguments that are called as the file is, where nothing else is said. */
const NAMES_OF_FILES = { dataset_name: true, file_name: false } as const;

/** A file that waits to be sent, once it is known for whom. */
class LocalFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

async function readArguments(
  { inputSchema }: WireTool,
  { arg, args }: CallInput["options"],
  terminal: Terminal,
): Promise<Json> {
  const schema = inputSchema as Schema;
  const read = args === undefined ? {} : jsonOf(await textOf(args, terminal));
  for (const pair of arg) {
    const [, name = "", text = ""] = /^([\w.]+)=(.*)$/s.exec(pair) ?? [];
    if (name === "")
      throw new AppError("bad_request", `--arg takes NAME=VALUE, not ${JSON.stringify(clip(pair))}.`);
    const at = name.split(".");
    const last = at.pop() as string;
    let place: Json = read;
    let shape: Schema | undefined = schema;
    for (const step of at) {
      place[step] ??= {};
      place = place[step] as Json;
      shape = shape?.properties?.[step];
    }
    if (Object.hasOwn(place, last)) throw new AppError("bad_request", `The argument ${name} is given twice.`);
    place[last] = await argumentOf(name, text, shape?.properties?.[last], terminal);
    const path = pathIn(text);
    if (path !== undefined && path !== "-") nameAfterFile(read, schema, path);
  }
  return read;
}

function nameAfterFile(args: Json, { properties = {} }: Schema, path: string): void {
  for (const [name, isBare] of Object.entries(NAMES_OF_FILES)) {
    if (properties[name] !== undefined) args[name] ??= isBare ? bareName(path) : basename(path);
  }
}

/** Of orders.csv.gz: orders. */
export function bareName(path: string): string {
  const name = basename(path).replace(/\.gz$/i, "");
  return basename(name, extname(name));
}

function pathIn(text: string): string | undefined {
  return text.startsWith("@") && !text.startsWith("@@") ? text.slice(1) : undefined;
}

/** The text behind `@path`, of standard input for `@-`, or the word itself; `@@` is an @. */
async function textOf(word: string, terminal: Terminal): Promise<string> {
  const path = pathIn(word);
  if (path === undefined) return word.replace(/^@@/, "@");
  if (path === "-") return terminal.readAll();
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new AppError("bad_request", `The file ${path} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // What is no text travels as base64, as tools ask for it.
    return bytes.toString("base64");
  }
}

async function argumentOf(
  name: string,
  word: string,
  schema: Schema | undefined,
  terminal: Terminal,
): Promise<unknown> {
  const path = pathIn(word);
  if (name === FILE_ARGUMENT && path !== undefined && path !== "-") {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) return new LocalFile(path);
    throw new AppError("bad_request", `There is no file ${path}.`, {
      hint: "The path is taken from the working directory.",
    });
  }
  return convert(await textOf(word, terminal), schema);
}

/** What a word means where the schema wants a number, a list …; what fits nothing is left to the tool's own check. */
function convert(text: string, schema: Schema | undefined): unknown {
  const kinds = schema === undefined ? new Set<string>() : kindsOf(schema);
  const isAnything = kinds.size === 0;
  const parsed = parse(text);
  if (parsed !== undefined && (isAnything || kinds.has(kindOf(parsed)))) return parsed;
  if (parsed === undefined && kinds.has("array") && !kinds.has("string"))
    return text === "" ? [] : text.split(",").map((part) => convert(part.trim(), itemsOf(schema)));
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): Json {
  const parsed = parse(text);
  if (kindOf(parsed) === "object") return parsed as Json;
  throw new AppError("bad_request", "--args is no JSON object.", {
    hint: "Such as --args '{\"limit\": 5}'.",
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function kindsOf({ type, anyOf, oneOf, enum: values, const: value }: Schema): Set<string> {
  const own = type === undefined ? [] : [type].flat();
  const named = [...(values ?? []), ...(value === undefined ? [] : [value])].map(kindOf);
  const inner = [...(anyOf ?? []), ...(oneOf ?? [])].flatMap((each) => [...kindsOf(each)]);
  return new Set([...own, ...named, ...inner].map((kind) => (kind === "integer" ? "number" : kind)));
}

function itemsOf(schema: Schema | undefined): Schema | undefined {
  return schema?.items ?? schema?.anyOf?.find(({ items }) => items !== undefined)?.items;
}

/** Sends the file ahead, as the console does: of any size, without a copy in memory. */
async function sendFile(
  { received }: AppEngines,
  caller: Caller,
  args: Json,
  signal: AbortSignal,
): Promise<Json> {
  const file = args[FILE_ARGUMENT];
  if (!(file instanceof LocalFile)) return args;
  const { handle } = await received.keep(caller, basename(file.path), createReadStream(file.path), signal);
  return { ...args, [FILE_ARGUMENT]: handle };
}

// Results

async function present(
  { tool }: WireTool,
  output: Json,
  { json, output: target, field }: CallInput["options"],
  terminal: Terminal,
): Promise<void> {
  if (field !== undefined) {
    const value = fieldOf(output, field);
    terminal.out(`${typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 2)}\n`);
    return;
  }
  const compact = tool.compact?.(output);
  const content = compact?.content ?? tool.content?.(output);
  const blocks = typeof content === "object" ? content : [];
  const file = blocks.find((block) => fileIn(block) !== undefined);
  if (target !== undefined) {
    const bytes = file === undefined ? `${JSON.stringify(output, null, 2)}\n` : (fileIn(file) as Buffer);
    await writeFile(target, bytes);
    terminal.err(`Wrote ${target}.\n`);
  } else if (json) terminal.out(`${JSON.stringify(output, null, 2)}\n`);
  else if (file !== undefined && isText(file)) terminal.out(String(fileIn(file)));
  else if (compact === undefined && typeof content === "string") terminal.out(`${content.trimEnd()}\n`);
  else terminal.out(readableText(compact?.structured ?? output));
  if (file !== undefined && target === undefined && !json && !isText(file))
    terminal.err("The file itself is written with --output FILE.\n");
}

function fieldOf(output: Json, path: string): unknown {
  let value: unknown = output;
  for (const name of path.split(".")) {
    const known = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (!known.includes(name))
      throw new AppError("not_found", `The answer has no field ${path}.`, {
        hint: known.length === 0 ? "" : `There are: ${known.join(", ")}.`,
      });
    value = (value as Json)[name];
  }
  return value;
}

interface Resource {
  text?: string;
  blob?: string;
}

function isText({ resource }: ContentBlock): boolean {
  return (resource as Resource | undefined)?.text !== undefined;
}

function fileIn({ type, resource, data }: ContentBlock): Buffer | undefined {
  if (type === "image") return Buffer.from(data as string, "base64");
  const { text, blob } = (resource ?? {}) as Resource;
  return text === undefined ? (blob && Buffer.from(blob, "base64")) || undefined : Buffer.from(text);
}
