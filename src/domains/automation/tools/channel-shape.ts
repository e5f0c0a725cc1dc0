import { z } from "zod";
import { CHANNEL_KINDS, type Channel } from "../../../platform/delivery/index.ts";

/** A channel, as tools tell of it: without its secret. */
export const channelShape = z.object({
  id: z.int().describe("Of Teams, for teamsActionIds"),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  room: z.string().nullable(),
  url: z.string().nullable(),
  disabled: z.string().nullable().describe("Why nothing is sent to it any more"),
});

export function channelOf({ id, name, kind, room, url, disabled }: Channel): z.output<typeof channelShape> {
  return { id, name, kind, room, url, disabled };
}
