import { type Command, defineCommand } from "./command.ts";
import { WORKSPACE } from "./common-options.ts";

const TEST_BED = {
  model: { value: "FILE", description: "The semantic model; without one it is guessed from the tables" },
  tables: { value: "DIR", description: "A folder with a .csv file for each of its sources", required: true },
} as const;

/** Commands that test semantic models with questions. */
export const EVAL_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "eval questions",
    reads: true,
    summary: "Ask questions over a model and its tables, and compare the answers with the right ones",
    options: {
      ...TEST_BED,
      questions: { value: "FILE", description: "One question a line, as JSON", required: true },
      out: { value: "FILE", description: "Where to write the answers, one a line" },
      "at-least": { value: "PERCENT", description: "Exit with 1 where fewer are right" },
    },
    notes: [
      "A question has: question, and if you like id, as_of (today's date for it), kind, expect (answer, clarify or refuse), rows (the right ones), ordered.",
      "One that builds on an earlier one has follows: the id of that.",
      "Everything runs in a temporary place; the data of the server are not touched.",
    ],
    run: async (input, terminal) => (await import("./eval.ts")).evalQuestions(input, terminal),
  }),
  defineCommand({
    name: "eval trace",
    reads: true,
    summary: "Show how a question is read, stage by stage",
    args: { question: "The question, as one word" },
    options: {
      ...TEST_BED,
      "as-of": { value: "DATE", description: "Today's date for it" },
    },
    notes: ["What each word can mean, the readings with what speaks against each, and what is missing."],
    run: async (input, terminal) => (await import("./eval-trace.ts")).evalTrace(input, terminal),
  }),
  defineCommand({
    name: "eval verified",
    reads: true,
    summary: "Test published models with the questions whose answers were marked as right",
    options: {
      workspace: WORKSPACE,
      model: { value: "NAME", description: "Only this semantic model" },
    },
    notes: [
      "Each is run on the present model, and read again by the rules as of the time when it was asked.",
      "The exit code is 1 when a model cannot answer one of them any more.",
    ],
    run: async (input, terminal) => (await import("./eval-verified.ts")).evalVerified(input, terminal),
  }),
];
