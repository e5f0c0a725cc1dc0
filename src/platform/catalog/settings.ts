import { type SettingTree, serviceUrl } from "../settings/index.ts";

export const CATALOG_SETTINGS = {
  storage: {
    databaseUrl: serviceUrl(
      "DATABASE_URL",
      ["postgres", "postgresql"],
      "Your own PostgreSQL, version 15 or newer. Without it Kenning starts its own inside the data folder.",
    ),
  },
} as const satisfies SettingTree;
