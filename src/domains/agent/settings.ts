import { type SettingTree, timeZone } from "../../platform/settings/index.ts";

export const AGENT_SETTINGS = {
  agent: {
    timeZone: timeZone(
      "KENNING_TIME_ZONE",
      "UTC",
      "The time zone in which questions about today, this week or last month are understood; members can choose their own.",
    ),
  },
} as const satisfies SettingTree;
