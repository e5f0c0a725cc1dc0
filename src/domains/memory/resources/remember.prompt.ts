import { definePrompt } from "../define.ts";

/** Has a model store what was said, without storing it twice. */
export const rememberPrompt = definePrompt({
  name: "remember",
  surfaces: ["all"],
  title: "Remember this",
  description: "Store something in the memory, or update what is there already.",
  permission: "memory:write",
  toolset: "memory",
  arguments: [{ name: "fact", description: "What to remember", required: true }],

  async get({ fact = "" }, { say }) {
    const text = say(
      [
        `Remember this: ${fact}`,
        "First look with {tool:recall} whether the memory says something about it already.",
        "If it says the same, tell me so and store nothing. If the fact has changed, use {tool:update_fact} with a reason. Otherwise store it with {tool:store_memory}: one fact, a short title, tags, and where it is from.",
        "Then link it with {tool:link_memories} to the people, organisations or projects that it is about, if they are in the memory. Say in one sentence what you did.",
      ].join("\n"),
    );
    return [{ role: "user", content: { type: "text", text } }];
  },
});
