import { type Command, defineCommand } from "./command.ts";
import { JSON_OPTION, WORKSPACE } from "./common-options.ts";

const NAME = { name: "What it is called in this workspace" } as const;

export const CHANNEL_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "channel set",
    summary: "Add a channel of Slack or Teams or a webhook that alerts and reports can go to, or change one",
    args: NAME,
    options: {
      workspace: WORKSPACE,
      kind: {
        value: "KIND",
        description: "What it is",
        choices: ["slack_bot", "slack_webhook", "teams", "webhook"],
        required: true,
      },
      room: { value: "ROOM", description: "Of a Slack bot: where it writes, such as #general" },
      url: { value: "URL", description: "Of a webhook: where it is" },
      "secret-file": {
        value: "FILE",
        description: "A file with the bot's token, or the address made for a chat",
      },
      "secret-stdin": { description: "Read that from standard input" },
      rotate: { description: "Of a webhook: make a new signing secret; the old one signs too for a day" },
    },
    notes: [
      "The secret is kept encrypted. Without --secret-file or --secret-stdin the stored one stays.",
      "The signing secret of a webhook is made here and printed.",
    ],
    run: async (input, terminal) => (await import("./channel.ts")).setChannel(input, terminal),
  }),
  defineCommand({
    name: "channel list",
    reads: true,
    summary: "List the channels of a workspace",
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./channel.ts")).listChannels(input, terminal),
  }),
  defineCommand({
    name: "channel remove",
    summary: "Remove a channel and its secret",
    args: NAME,
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./channel.ts")).removeChannel(input, terminal),
  }),
];
