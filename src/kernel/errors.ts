/** Every way in which a call can be expected to fail. A surface maps each code to its own form. */
export const ERROR_CODES = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "gone",
  "plan_limit",
  "too_large",
  "unsupported",
  "rate_limited",
  "timeout",
  "cancelled",
  "unavailable",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface AppErrorOptions {
  /** What to do next, in one sentence, for the model or person who reads it. Tools stand in it as `{tool:get_details}`. */
  hint?: string;
  /** Machine-readable facts that a surface may publish (never secrets). */
  data?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected failure. Anything else that is thrown is a bug: logged with an id, shown without its insides. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly data: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint;
    this.data = options.data ?? {};
  }

  /** Message and hint as one text, with the plain names of tools where no surface has put its own. */
  get advice(): string {
    if (this.hint === undefined) return this.message;
    // A message of the parser ends in a mark below the place that it means.
    const between = this.message.endsWith("^") ? "\n" : /[.!?…]$/.test(this.message) ? " " : ". ";
    return `${this.message}${between}${plainToolNames(this.hint)}`;
  }
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

export function isNotFound(error: unknown): error is AppError {
  return isAppError(error) && error.code === "not_found";
}

/** The message of anything that can be thrown, without the values of a query: Drizzle puts them after its text. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const params = text.search(/(^|\n)params:/);
  return params === -1 ? text : text.slice(0, params);
}

/**
 * A tool in a text for callers is written `{tool:get_details}`, or `{tool:create_query(replace)}` where the sentence
 * is about one of its arguments: each surface has names of its own for tools, and not all of them.
 */
const MENTION = /\{tool:([a-z_]+)(?:\(([a-z0-9_]+)\))?\}/g;

export interface ToolMention {
  /** The plain name. */
  tool: string;
  argument: string | undefined;
}

export function toolMentions(text: string): ToolMention[] {
  return [...text.matchAll(MENTION)].map(([, tool = "", argument]) => ({ tool, argument }));
}

export function nameTools(text: string, nameOf: (mention: ToolMention) => string): string {
  return text.replace(MENTION, (_, tool: string, argument?: string) => nameOf({ tool, argument }));
}

/** The text with the plain names of `/mcp`: for readers who are on no surface, such as those of the command line. */
export function plainToolNames(text: string): string {
  return nameTools(text, ({ tool }) => tool);
}
