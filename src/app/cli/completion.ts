import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import { describeRegistry } from "../slices.ts";
import type { Command, Option, Terminal } from "./command.ts";
import { HELP_OPTION, listed } from "./parse.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** What can stand at a place: after these words, each of which may be followed by others. */
interface Place {
  after: string;
  words: readonly string[];
}

/** A script that knows commands, options, their choices, and tools with their arguments: Tab needs no start of Node. */
export async function complete(
  shell: string,
  commands: readonly Command[],
  terminal: Terminal,
): Promise<number> {
  if (!SHELLS.includes(shell))
    throw new AppError(
      "bad_request",
      `The shell must be ${listed(SHELLS)}, not ${JSON.stringify(clip(shell))}.`,
    );
  const places = placesOf(commands);
  if (shell === "zsh") terminal.out("autoload -U +X compinit bashcompinit && compinit && bashcompinit\n");
  terminal.out(shell === "fish" ? fishScript(places) : bashScript(places));
  return 0;
}

/** First words, options after a command, choices after an option, arguments after a tool. */
function placesOf(commands: readonly Command[]): Place[] {
  const places = new Map<string, Set<string>>();
  const add = (after: string, ...words: readonly string[]) => {
    const known = places.get(after) ?? new Set();
    for (const word of words) known.add(word);
    places.set(after, known);
  };
  const tools = describeRegistry()
    .tools("all")
    .filter(({ tool }) => !tool.isForApps);
  for (const { name, options } of commands) {
    const words = name.split(" ");
    for (const [i, word] of words.entries()) add(words.slice(0, i).join(" "), word);
    const callable = name === "call" ? tools.map((tool) => `call ${tool.name}`) : [];
    for (const [option, { choices }] of Object.entries<Option>({ ...options, ...HELP_OPTION })) {
      for (const after of [name, ...callable]) add(after, `--${option}`);
      if (choices !== undefined) add(`${name} --${option}`, ...choices);
    }
  }
  for (const { name, inputSchema } of tools) {
    add("call", name);
    const names = Object.keys(inputSchema.properties ?? {}).map((argument) => `${argument}=`);
    if (names.length > 0) add(`call ${name} --arg`, ...names);
  }
  return [...places].map(([after, words]) => ({ after, words: [...words] }));
}

function bashScript(places: readonly Place[]): string {
  const cases = places.map(({ after, words }) => `    '${after}') words='${words.join(" ")}' ;;`);
  return `_kenning_words() {
  case "$1" in
${cases.join("\n")}
    *) return 1 ;;
  esac
}
_kenning() {
  local place words
  if [ "$COMP_CWORD" -gt 1 ]; then
    place="\${COMP_WORDS[1]}"
    if [ "$COMP_CWORD" -gt 2 ]; then
      if _kenning_words "$place \${COMP_WORDS[2]}"; then place="$place \${COMP_WORDS[2]}"; fi
      if _kenning_words "$place \${COMP_WORDS[COMP_CWORD-1]}"; then place="$place \${COMP_WORDS[COMP_CWORD-1]}"; fi
    fi
  fi
  words=
  _kenning_words "$place"
  case "$words" in *=) compopt -o nospace 2>/dev/null ;; esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _kenning kenning
`;
}

function fishScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ after, words }) => `    case '${after}'\n      printf '%s\\n' ${words.join(" ")}`,
  );
  return `function __kenning_words
  switch "$argv[1]"
${cases.join("\n")}
    case '*'
      return 1
  end
end
function __kenning
  set -l words (commandline -opc)[2..-1]
  set -l place "$words[1]"
  if test (count $words) -gt 1
    if __kenning_words "$place $words[2]" >/dev/null
      set place "$place $words[2]"
    end
    if __kenning_words "$place $words[-1]" >/dev/null
      set place "$place $words[-1]"
    end
  end
  __kenning_words "$place"
end
complete -c kenning -a '(__kenning)'
`;
}
