import { definePrompt } from "../define.ts";

/** Has a model tell what the memory holds about something, and nothing else. */
export const whatDoWeKnowPrompt = definePrompt({
  name: "what_do_we_know",
  surfaces: ["all"],
  title: "What do we know about …",
  description: "Tell what the memory knows about a topic, with where it is from.",
  permission: "memory:read",
  toolset: "memory",
  arguments: [
    { name: "topic", description: "A person, a client, a project, a question", required: true },
    { name: "as_of", description: "A time, ISO 8601; now if left out", required: false },
  ],

  async get({ topic = "", as_of = "" }, { say }) {
    const look =
      as_of === ""
        ? "Ask {tool:recall} for it, in two or three different wordings."
        : `Ask {tool:recall_at_time} for it with as_of ${as_of}, in two or three different wordings.`;
    const text = say(
      [
        `What do we know about ${topic}?`,
        look,
        "Follow the relations of the best hits with {tool:list_relations} where that helps.",
        "Answer only with what the memories say, each statement with the id and source of its memory. Say what contradicts what, and what the memory does not know.",
      ].join("\n"),
    );
    return [{ role: "user", content: { type: "text", text } }];
  },
});
