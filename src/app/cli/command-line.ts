import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import { VERSION } from "../version.ts";
import type { AnyInput, Command, Terminal } from "./command.ts";
import { runCommand } from "./command-audit.ts";
import { COMMANDS } from "./commands.ts";
import { renderCommand, renderOverview } from "./help.ts";
import { parseCommand } from "./parse.ts";

const ABOUT = `Kenning ${VERSION}: one self-hosted MCP server for an organisation's data, documents and memory.`;
const HELP_WORDS = ["help", "--help", "-h"];
const VERSION_WORDS = ["--version", "-v", "-V"];

/** Runs one command line and resolves with the exit code; throws what went wrong. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined) return showHelp([], terminal);
  if (HELP_WORDS.includes(first)) return showHelp(rest, terminal);
  if (VERSION_WORDS.includes(first)) return runCommandLine(["version"], terminal);

  const group = commandsOf(first);
  const command = commandNamed(words.slice(0, 2)) ?? commandNamed([first]);
  if (command === undefined && group.length > 0 && HELP_WORDS.includes(rest[0] ?? ""))
    return showHelp([first], terminal);
  if (command === undefined) throw unknownCommand(words);

  const input = await parseCommand(command, words.slice(command.name.split(" ").length));
  if (input.options.help === true) return showHelp(command.name.split(" "), terminal, input.args);
  return (await runCommand(command, input, () => command.run(input, terminal))) ?? 0;
}

/** The overview, the commands of a group, or one command. */
async function showHelp(
  words: readonly string[],
  terminal: Terminal,
  args: AnyInput["args"] = {},
): Promise<number> {
  const command = commandNamed(words.slice(0, 2)) ?? commandNamed(words.slice(0, 1));
  const group = commandsOf(words[0] ?? "");
  if (command !== undefined) {
    const more = await command.explain?.(args);
    terminal.out([renderCommand(command), ...(more === undefined ? [] : [more])].join("\n"));
  } else if (group.length > 0) terminal.out(renderOverview(group, `kenning ${words[0]}`));
  else if (words.length === 0) terminal.out(renderOverview(COMMANDS, ABOUT));
  else throw unknownCommand(words);
  return 0;
}

function commandNamed(words: readonly string[]): Command | undefined {
  const name = words.join(" ");
  return COMMANDS.find((command) => command.name === name);
}

/** The commands that begin with a word, such as `user`. */
function commandsOf(first: string): Command[] {
  return COMMANDS.filter((command) => command.name.startsWith(`${first} `));
}

/** Commands that did what a tool does, and what took their place. */
const MOVED: Readonly<Record<string, string>> = {
  "channel list": "{tool:list_channels}",
  "channel remove": "{tool:remove_channel(name)}",
  "channel set": "{tool:set_channel(name)}",
  "dataset delete": "{tool:delete_asset(asset_id)} --arg asset_type=dataset --arg confirm=true",
  "dataset list": "{tool:list_datasets}",
  "dataset restore": "{tool:restore_asset(asset_id)} --arg asset_type=dataset",
  "dataset versions": "{tool:get_details(asset_id)} --arg asset_type=dataset",
  "datasource access": "{tool:set_datasource_access(datasource_id)}",
  "kb create": "{tool:create_knowledge_base(name)}",
  "kb list": "{tool:list_knowledge_bases}",
  "llm list": "{tool:list_llm_providers}",
  "llm remove": "{tool:remove_llm_provider(name)}",
  "llm set": "{tool:set_llm_provider(name)} --arg api_key=@FILE",
  "memory rules": "{tool:list_relation_types}, and {tool:set_relation_rules(turtle)}",
  "model diff": "kenning model publish FILE --dry-run",
  "model export": "{tool:read_semantic_model} --arg modelName=NAME --field source",
  "model infer": "{tool:infer_semantic_model(name)}",
  "model list": "{tool:list_semantic_models}",
  "model validate": "kenning model publish FILE --dry-run",
};

function unknownCommand([first = "", second]: readonly string[]): AppError {
  const moved = MOVED[`${first} ${second}`];
  if (moved !== undefined) return new AppError("bad_request", `kenning ${first} ${second} is now: ${moved}`);
  const group = commandsOf(first);
  const seconds = group.map((command) => command.name.slice(first.length + 1));
  if (group.length > 0 && (second === undefined || second.startsWith("-"))) {
    return new AppError("bad_request", `kenning ${first} needs one more word: ${seconds.join(", ")}.`);
  }
  const typed = group.length > 0 ? `${first} ${second}` : first;
  const known =
    group.length > 0 ? seconds : [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? name))];
  const meant = nearest(group.length > 0 ? (second ?? "") : first, known);
  const name = group.length > 0 ? `${first} ${meant}` : meant;
  const suggestion = meant === undefined ? "see: kenning help" : `did you mean ${name}?`;
  return new AppError("bad_request", `There is no command ${JSON.stringify(typed)}; ${suggestion}`);
}
