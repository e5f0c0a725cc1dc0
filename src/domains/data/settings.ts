import { folders, type SettingTree } from "../../platform/settings/index.ts";

export const DATA_SETTINGS = {
  storage: {
    fileFolders: folders(
      "KENNING_FILE_FOLDERS",
      "Folders below which files of SQLite and DuckDB may lie that are datasources. Without any there can be no such datasource.",
    ),
  },
} as const satisfies SettingTree;
