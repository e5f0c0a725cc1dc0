import { type Command, defineCommand } from "./command.ts";

/** Commands about the demo workspace. */
export const DEMO_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "demo create",
    summary: "Make and fill the workspace demo: a company that does not exist, to try everything with",
    notes: [
      "The first start on an empty home does so by itself. One that was begun and is not full is filled further. A server adds each new day to it.",
    ],
    run: async (_input, terminal) => (await import("./demo.ts")).createDemo(terminal),
  }),
  defineCommand({
    name: "demo remove",
    summary: "Remove the demo workspace with everything in it, also what you have added there",
    run: async (_input, terminal) => (await import("./demo.ts")).removeDemo(terminal),
  }),
];
