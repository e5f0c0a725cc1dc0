import { integer, type SettingTree } from "../../platform/settings/index.ts";

const YEAR_MINUTES = 525_600;

export const MCP_SETTINGS = {
  mcp: {
    sessionTtlMinutes: integer(
      "MCP_SESSION_TTL_MINUTES",
      { default: 60, min: 1, max: YEAR_MINUTES },
      "Idle time after which an MCP session ends. Sessions of the `bi` endpoint end after 30 minutes.",
    ),
    sessionCleanupIntervalMinutes: integer(
      "MCP_SESSION_CLEANUP_INTERVAL_MINUTES",
      { default: 15, min: 1, max: 1_440 },
      "How often ended sessions are swept away.",
    ),
  },
} as const satisfies SettingTree;
