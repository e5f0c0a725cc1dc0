import type { Option } from "./command.ts";

/** Options that many commands have. */
export const WORKSPACE = {
  value: "SLUG",
  description: "The workspace",
  required: true,
} as const satisfies Option;
export const JSON_OPTION = { json: { description: "Print JSON" } } as const satisfies Record<string, Option>;
