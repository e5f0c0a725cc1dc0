/** The words and streams that a command works with; tests pass their own. */
export interface Terminal {
  /** The result, for people and pipes. */
  out(text: string): void;
  /** Everything else. */
  err(text: string): void;
  /** All of standard input. */
  readAll(): Promise<string>;
}

/** An option is a flag unless it names what follows it. */
export interface Option {
  readonly description: string;
  /** How the help calls the value, such as SLUG. */
  readonly value?: string;
  readonly required?: true;
  readonly choices?: readonly string[];
  /** It may be given more than once: its value is a list. */
  readonly many?: true;
  /** What stands for it when it is left out. */
  fallback?(): Promise<string | null>;
}

type Options = Readonly<Record<string, Option>>;

type OptionValue<O extends Option> = O extends { many: true }
  ? readonly string[]
  : O extends { value: string }
    ?
        | (O extends { choices: readonly (infer W)[] } ? W : string)
        | (O extends { required: true } ? never : undefined)
    : boolean;

/** Everything about one command but its work, which is loaded only when the command is used. */
interface CommandSpec<A extends string = string, O extends Options = Options> {
  /** One or two words: `serve`, `user create`. */
  readonly name: string;
  readonly summary: string;
  /** Words that must follow the name, in this order, with what they mean. */
  readonly args?: Readonly<Record<A, string>>;
  readonly options?: O;
  /** More that the help should say. */
  readonly notes?: readonly string[];
  /** What its help ends with, where that depends on what follows the name. */
  explain?(args: Readonly<Record<A, string>>): Promise<string>;
  /** It changes nothing and takes nothing away, perhaps only with these options: what does is in the audit log. */
  readonly reads?: true | ((input: Input<A, O>) => boolean);
  /** Resolves with the exit code (nothing means 0). */
  run(input: Input<A, O>, terminal: Terminal): Promise<number | undefined>;
}

interface Input<A extends string, O extends Options> {
  readonly args: Readonly<Record<A, string>>;
  readonly options: { readonly [Name in keyof O]: OptionValue<O[Name]> };
}

/** The input of a command of any shape. */
export interface AnyInput {
  readonly args: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly args: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly notes: readonly string[];
  explain?(args: Readonly<Record<string, string>>): Promise<string>;
  reads(input: AnyInput): boolean;
  run(input: AnyInput, terminal: Terminal): Promise<number | undefined>;
}

/** Checks a spec against its own types and forgets them, so that commands of all shapes fit into one table. */
export function defineCommand<A extends string = never, const O extends Options = Record<never, Option>>(
  spec: CommandSpec<A, O>,
): Command {
  const { name, summary, args = {}, options = {}, notes = [], reads = () => false } = spec;
  const run = (input: AnyInput, terminal: Terminal) => spec.run(input as Input<A, O>, terminal);
  const isReading = (input: AnyInput) => reads === true || reads(input as Input<A, O>);
  const { explain } = spec;
  return { name, summary, args, options, notes, reads: isReading, run, ...(explain && { explain }) };
}

/** Options that many commands have. */
export const WORKSPACE = {
  value: "SLUG",
  description: "The workspace; default: KENNING_WORKSPACE",
  required: true,
  fallback: async () => (await import("../config.ts")).loadConfig().client.workspace,
} as const satisfies Option;
export const JSON_OPTION = { json: { description: "Print JSON" } } as const satisfies Record<string, Option>;
