import { z } from "zod";
import { CHANNEL_KINDS, type Channel } from "../../../platform/delivery/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { maskedUrl } from "../delivery-shape.ts";

/** A channel, as tools tell of it: without its secret. */
export const channelShape = z.object({
  id: z.int().describe("Of Teams, for teamsActionIds"),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  room: z.string().nullable(),
  url: z.string().nullable(),
  disabled: z.string().nullable().describe("Why nothing is sent to it any more"),
});

/** The whole address of a webhook is for admins, who manage channels: whoever knows it can send there. */
export function channelOf(
  { id, name, kind, room, url, disabled }: Channel,
  { role }: Caller,
): z.output<typeof channelShape> {
  const shown = url === null || role === "admin" ? url : maskedUrl(url);
  return { id, name, kind, room, url: shown, disabled };
}
