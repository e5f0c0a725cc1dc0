import { flag, type SettingTree } from "../../platform/settings/index.ts";

export const ASSETS_SETTINGS = {
  exports: {
    escapeFormulas: flag(
      "KENNING_ESCAPE_FORMULAS",
      true,
      "Whether CSV files of `knowi_export_csv` have a `'` before cells that a spreadsheet would run as a formula. On `/mcp` the tool has an argument for it instead.",
    ),
  },
} as const satisfies SettingTree;
