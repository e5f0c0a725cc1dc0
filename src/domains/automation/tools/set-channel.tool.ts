import { z } from "zod";
import { CHANNEL_KINDS } from "../../../platform/delivery/index.ts";
import { defineTool } from "../define.ts";
import { channelOf, channelShape } from "../recipients.ts";

/** Lets admins say where messages can go beside mail. What is secret is sealed, and does not come back. */
export const setChannel = defineTool({
  name: "set_channel",
  toolset: "notifications",
  title: "Set a channel",
  description:
    "Adds a channel that alerts and reports can go to, or changes the one of that name. Without secret the stored one stays. The signing secret of a webhook is made here and answered once, then only after rotate.",
  permission: "admin",
  effect: "write",
  input: z.strictObject({
    name: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    secret: z
      .string()
      .max(4_096)
      .optional()
      .describe("Bot token (xoxb-…), or the URL made by Slack or Teams"),
    room: z.string().optional().describe("Of a Slack bot: #general"),
    url: z.string().optional().describe("Of a webhook"),
    rotate: z.boolean().default(false).describe("New signing secret; the old one signs too for a day"),
  }),
  output: z.object({
    channel: channelShape,
    signing_secret: z.string().optional().describe("When it was just made"),
    former_until: z.string().optional(),
  }),

  async run(wish, { deliveries: { channels }, caller }) {
    const { channel, signingSecret } = await channels.set({ workspaceId: caller.workspace.id, ...wish });
    const { formerUntil } = channel;
    return {
      channel: channelOf(channel, caller),
      ...(signingSecret !== undefined && { signing_secret: signingSecret }),
      ...(wish.rotate && formerUntil !== null && { former_until: formerUntil.toISOString() }),
    };
  },
});
