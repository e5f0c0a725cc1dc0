import { type SettingTree, serviceUrl } from "../settings/index.ts";

export const STATE_SETTINGS = {
  storage: {
    redisUrl: serviceUrl(
      "REDIS_URL",
      ["redis", "rediss"],
      "Redis for sessions and rate limits that several servers share. Without it they are kept in memory. While it cannot be reached, what it would count is refused.",
    ),
  },
} as const satisfies SettingTree;
