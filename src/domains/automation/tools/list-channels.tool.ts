import { z } from "zod";
import { defineTool } from "../define.ts";
import { channelOf, channelShape } from "../recipients.ts";

/** Where messages can go beside mail. */
export const listChannels = defineTool({
  name: "list_channels",
  toolset: "notifications",
  title: "List channels",
  description:
    "The channels of Slack and Teams and the webhooks that alerts and reports can go to, without secrets.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({ channels: z.array(channelShape) }),

  async run(_, { deliveries, caller }) {
    const all = await deliveries.channels.list(caller.workspace.id);
    return { channels: all.map((channel) => channelOf(channel, caller)) };
  },
});
