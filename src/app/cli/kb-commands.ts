import { type Command, defineCommand } from "./command.ts";
import { JSON_OPTION, WORKSPACE } from "./common-options.ts";

/** Commands about knowledge bases, and the indexes that they are searched by. */
export const KB_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "kb create",
    summary: "Make a knowledge base for everybody in a workspace, for a group, or for one person",
    args: { name: "Its name" },
    options: {
      workspace: WORKSPACE,
      group: { value: "GROUP", description: "Only for the members of this group" },
      personal: { value: "EMAIL", description: "Only for this member" },
      description: { value: "TEXT", description: "What is in it" },
    },
    run: async (input, terminal) => (await import("./kb.ts")).createKnowledgeBase(input, terminal),
  }),
  defineCommand({
    name: "kb list",
    reads: true,
    summary: "List the knowledge bases of a workspace",
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./kb.ts")).listKnowledgeBases(input, terminal),
  }),
  defineCommand({
    name: "kb import",
    summary: "Put the files of a folder, and of those below it, into a knowledge base",
    args: { folder: "The folder; hidden files are left out" },
    options: {
      workspace: WORKSPACE,
      base: { value: "NAME", description: "Name or id of the knowledge base", required: true },
      ...JSON_OPTION,
    },
    notes: [
      "It ends when every file is searchable or has failed, and says which and why. The exit code is 1 when all of them failed.",
      "A file that was there already is left alone; one that has changed becomes a new version of its document.",
    ],
    run: async (input, terminal) => (await import("./kb.ts")).importFolder(input, terminal),
  }),
  defineCommand({
    name: "reindex",
    summary: "Build the search indexes of documents and memories anew from what the database holds",
    options: { workspace: { value: "SLUG", description: "Only this one" }, ...JSON_OPTION },
    notes: [
      "Searches go on meanwhile: a server that runs builds its own indexes beside those that answer, and changes over when they are ready.",
    ],
    run: async (input, terminal) => (await import("./reindex.ts")).reindex(input, terminal),
  }),
];
