import { parseArgs } from "node:util";
import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { AnyInput, Command, Option } from "./command.ts";

/** Options that every command has. */
export const HELP_OPTION = { help: { description: "Show this help" } } as const satisfies Record<
  string,
  Option
>;

type Values = Record<string, string | boolean | string[] | undefined>;

/** Reads what follows a command's name, or throws a sentence about the first thing that is wrong. */
export async function parseCommand(command: Command, words: readonly string[]): Promise<AnyInput> {
  const known: Record<string, Option> = { ...command.options, ...HELP_OPTION };
  const { tokens } = parseArgs({
    args: [...words],
    // Not strict: its messages are several sentences, and know no suggestions.
    strict: false,
    tokens: true,
    options: {
      ...mapValues(known, ({ value }) => ({
        type: value === undefined ? ("boolean" as const) : ("string" as const),
      })),
      help: { type: "boolean", short: "h" },
    },
  });
  const options: Values = mapValues(known, ({ value, many }) =>
    many ? [] : value === undefined ? false : undefined,
  );
  const given: string[] = [];
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") given.push(token.value);
    if (token.kind !== "option") continue;
    const option = known[token.name];
    if (option === undefined) throw unknownOption(command, token.rawName, Object.keys(known));
    if (seen.has(token.name) && !option.many) throw misuse(command, `--${token.name} is given twice.`);
    seen.add(token.name);
    if (option.many) (options[token.name] as string[]).push(textValue(command, option, token));
    else
      options[token.name] =
        option.value === undefined ? flagValue(command, token) : textValue(command, option, token);
  }
  if (options.help !== true) await requireAll(command, given, options);
  const names = Object.keys(command.args);
  return { args: Object.fromEntries(names.map((name, index) => [name, given[index] ?? ""])), options };
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function flagValue(command: Command, token: OptionToken): boolean {
  if (token.value !== undefined) throw misuse(command, `--${token.name} takes no value.`);
  return true;
}

function textValue(command: Command, option: Option, token: OptionToken): string {
  const { name, value, inlineValue } = token;
  if (value === undefined || value === "" || (inlineValue !== true && value.startsWith("--"))) {
    throw misuse(command, `--${name} needs a value: --${name} ${option.value}.`);
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    const meant = nearest(value, option.choices);
    const suggestion = meant === undefined ? "" : ` (did you mean ${meant}?)`;
    throw misuse(
      command,
      `--${name} must be ${listed(option.choices)}, not ${JSON.stringify(value)}${suggestion}.`,
    );
  }
  return value;
}

async function requireAll(command: Command, words: readonly string[], options: Values): Promise<void> {
  const names = Object.keys(command.args);
  const missing = names[words.length];
  if (missing !== undefined) throw misuse(command, `${placeholder(missing)} is missing.`);
  const extra = words[names.length];
  if (extra !== undefined) throw misuse(command, `${JSON.stringify(extra)} is one word too many.`);
  for (const [name, option] of Object.entries(command.options)) {
    options[name] ??= (await option.fallback?.()) ?? undefined;
    if (option.required && options[name] === undefined)
      throw misuse(command, `--${name} ${option.value} is missing.`);
  }
}

function unknownOption(command: Command, typed: string, known: readonly string[]): AppError {
  const meant = nearest(typed.replace(/^-+/, ""), known);
  return misuse(
    command,
    `There is no option ${typed}${meant === undefined ? "." : `; did you mean --${meant}?`}`,
  );
}

function misuse(command: Command, message: string): AppError {
  return new AppError("bad_request", message, { hint: `See: kenning ${command.name} --help` });
}

/** How an argument is called in help and errors: EMAIL for `email`. */
export function placeholder(argument: string): string {
  return argument.toUpperCase();
}

export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
