import { choice, flag, integer, type SettingTree } from "../../platform/settings/index.ts";

const DAY_MS = 86_400_000;

export const IDENTITY_SETTINGS = {
  storage: {
    auditRetentionDays: integer(
      "KENNING_AUDIT_RETENTION_DAYS",
      { default: 365, min: 0, max: 36_500 },
      "How long audit events are kept. `0` keeps them for ever.",
    ),
    auditArguments: choice(
      "KENNING_AUDIT_ARGUMENTS",
      ["shapes", "values"],
      "shapes",
      "What audit events keep of the arguments of a call: names, types, sizes and what names something, with SQL and questions without their literals; or also the values, secrets masked, which whoever reads the audit log then sees past all policies.",
    ),
  },
  security: {
    passwordSignIn: flag(
      "KENNING_PASSWORD_SIGN_IN",
      true,
      "Whether people can sign in with a password. `false` leaves the identity providers of [sign-in](sign-in.md) alone.",
    ),
  },
  mcp: {
    rateLimitEnabled: flag(
      "RATE_LIMIT_ENABLED",
      true,
      "Rate limits of all endpoints but the external knowledge one, which has its own. Repeated wrong passwords and tokens are slowed down in any case.",
    ),
    rateLimitWindowMs: integer(
      "MCP_RATE_LIMIT_WINDOW_MS",
      { default: 60_000, min: 1_000, max: DAY_MS },
      "Window in which questions to `/api/data-agent/mcp` are counted.",
    ),
    rateLimitMaxRequests: integer(
      "MCP_RATE_LIMIT_MAX_REQUESTS",
      { default: 5, min: 1, max: 1_000_000 },
      "Questions on `/api/data-agent/mcp` that one person may ask in one window. Those on `/mcp` and `/api/2.0/mcp` are bounded by the requests of a token only.",
    ),
  },
} as const satisfies SettingTree;
