import { integer, type SettingTree, secret, text } from "../../platform/settings/index.ts";

const YEAR_MINUTES = 525_600;

export const OAUTH_SETTINGS = {
  security: {
    accessTtlMinutes: integer(
      "JWT_ACCESS_TTL_MINUTES",
      { default: 15, min: 1, max: YEAR_MINUTES },
      "Life of an access token.",
    ),
    refreshTtlDays: integer(
      "JWT_REFRESH_TTL_DAYS",
      { default: 14, min: 1, max: 3_650 },
      "Life of a refresh token.",
    ),
    authorizationCodeTtlMinutes: integer(
      "OAUTH_AUTHORIZATION_CODE_TTL_MINUTES",
      { default: 10, min: 1, max: 60 },
      "Life of an authorization code.",
    ),
    deviceCodeTtlMinutes: integer(
      "OAUTH_DEVICE_CODE_TTL_MINUTES",
      { default: 15, min: 1, max: 1_440 },
      "Life of a device code.",
      { reserved: true },
    ),
    signInFile: text(
      "KENNING_SIGN_IN_FILE",
      "A YAML file with the identity providers of your company (OpenID Connect) that people sign in with: see [sign-in](sign-in.md).",
    ),
    googleClientId: text(
      "GOOGLE_CLIENT_ID",
      "Client id for sign-in with Google, by people who have an account here or are invited. Its redirect URI is `APP_URL/api/auth/google/callback`.",
    ),
    googleClientSecret: secret("GOOGLE_CLIENT_SECRET", 1, "Client secret for sign-in with Google."),
  },
} as const satisfies SettingTree;
