import { type Command, defineCommand } from "./command.ts";
import { JSON_OPTION, WORKSPACE } from "./common-options.ts";

/** Commands about the memory of a workspace. */
export const MEMORY_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "memory import",
    summary: "Store the memories of a JSON Lines file or of a folder with Markdown notes",
    args: { path: "A file with one JSON object a line, or a folder" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: [
      "A line has content and, if wished, title, memory_type, tags, source, memory_id, valid_from, valid_to, created_at, kind (document), and relations as a list of rel_type and to; an export also writes versions, what it said before. Notes have the same in their front matter. The file of @modelcontextprotocol/server-memory is taken as it is.",
      "What is there already is left alone, so that an import that was stopped can be started again. Types of relations that the workspace does not know become RELATED_TO, and are told. The exit code is 1 when everything failed.",
    ],
    run: async (input, terminal) => (await import("./memory.ts")).importPath(input, terminal),
  }),
  defineCommand({
    name: "memory export",
    summary: "Write all memories of a workspace",
    args: { path: "A file, or for Markdown a folder" },
    options: {
      workspace: WORKSPACE,
      format: {
        value: "FORMAT",
        choices: ["jsonl", "markdown", "server-memory"],
        description: "jsonl for a file that ends so, otherwise markdown",
      },
    },
    notes: [
      "With what each memory said before, except in the format server-memory. What was retracted is not written.",
    ],
    run: async (input, terminal) => (await import("./memory.ts")).exportPath(input, terminal),
  }),
  defineCommand({
    name: "memory rules",
    reads: ({ options }) => options.set === undefined && !options.remove,
    summary: "Show, set or remove the rules for relations of a workspace",
    options: {
      workspace: WORKSPACE,
      set: { value: "FILE", description: "SHACL shapes in Turtle that take the place of those there are" },
      remove: { description: "Remove them" },
    },
    run: async (input, terminal) => (await import("./memory.ts")).relationRules(input, terminal),
  }),
];
