import { z } from "zod";
import type { Delivery } from "../../platform/delivery/index.ts";

/** A message to one recipient, as tools tell of it. */
export const deliveryShape = z.object({
  delivery_id: z.int(),
  channel: z.string(),
  target: z.string(),
  state: z.enum(["waiting", "sent", "dead"]),
  tries: z.int(),
  error: z.string().nullable(),
  note: z.string().nullable().describe("Where it went: without a mail server, the file in the data folder"),
});

export function deliveryOf({
  id,
  channel,
  target,
  state,
  tries,
  lastError,
  note,
}: Delivery): z.output<typeof deliveryShape> {
  return { delivery_id: id, channel, target, state, tries, error: lastError, note };
}
