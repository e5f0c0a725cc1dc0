import type { Command, Option } from "./command.ts";
import { HELP_OPTION, listed, placeholder } from "./parse.ts";

const WIDTH = 100;

/** All commands, like a table of contents. */
export function renderOverview(commands: readonly Command[], about: string): string {
  const rows = commands.map(
    (command) => [[command.name, ...placeholders(command)].join(" "), command.summary] as const,
  );
  return [
    about,
    "",
    "Usage: kenning COMMAND [OPTIONS]",
    "",
    "Commands",
    ...columns(rows),
    "",
    "kenning COMMAND --help tells more about one of them; docs/configuration.md lists the settings.",
    "",
  ].join("\n");
}

/** One command: how to write it, and what each part means. */
export function renderCommand(command: Command): string {
  const { name, summary, args, options, notes } = command;
  const usage = [
    `Usage: kenning ${name}`,
    ...placeholders(command),
    ...Object.entries(options).map(optionUsage),
  ];
  const argumentRows = Object.entries(args).map(([word, text]) => [placeholder(word), text] as const);
  const optionRows = Object.entries<Option>({ ...options, ...HELP_OPTION }).map(optionRow);
  return [
    ...wrapped(usage, " ".repeat(`Usage: kenning ${name} `.length)),
    "",
    `${summary}.`,
    ...(argumentRows.length === 0 ? [] : ["", "Arguments", ...columns(argumentRows)]),
    "",
    "Options",
    ...columns(optionRows),
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => wrapped(note.split(" "), ""))]),
    "",
  ].join("\n");
}

function placeholders(command: Command): string[] {
  return Object.keys(command.args).map(placeholder);
}

function optionUsage([name, option]: [string, Option]): string {
  const text = option.value === undefined ? `--${name}` : `--${name} ${option.value}`;
  return option.required && !option.fallback ? text : `[${text}]`;
}

function optionRow([name, option]: [string, Option]): readonly [string, string] {
  const choices = option.choices === undefined ? "" : `: ${listed(option.choices)}`;
  const left = option.value === undefined ? `--${name}` : `--${name} ${option.value}`;
  return [left, `${option.description}${choices}${option.required && !option.fallback ? " (required)" : ""}`];
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => {
    const indent = " ".repeat(width + 4);
    return wrapped([`  ${left.padEnd(width)} `, ...right.split(" ")], indent);
  });
}

/** Fills lines with words; an option and its value are one word here, so that they stay together. */
function wrapped(words: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > WIDTH && line !== "") {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line];
}
