import { type Command, defineCommand } from "./command.ts";
import { JSON_OPTION, WORKSPACE } from "./common-options.ts";

/** Commands about the memory of a workspace. */
export const MEMORY_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "memory import",
    summary: "Store the memories of a JSON Lines file",
    args: { file: "One JSON object a line" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: [
      "A line has content and, if wished, title, memory_type, tags, source, memory_id, valid_from, valid_to, created_at, and relations as a list of rel_type and to.",
      "Lines whose memory_id is there already are left alone, so that an import that was stopped can be started again. The exit code is 1 when every line failed.",
    ],
    run: async (input, terminal) => (await import("./memory.ts")).importFile(input, terminal),
  }),
];
