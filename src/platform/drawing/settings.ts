import { folders, type SettingTree } from "../settings/index.ts";

export const DRAWING_SETTINGS = {
  exports: {
    fontFolders: folders(
      "KENNING_FONT_FOLDERS",
      "Folders with fonts (TrueType or OpenType) for PDFs and PNGs, for what the built-in one has no letters for, such as Chinese, Japanese or Arabic. Fonts of the system, for example of Debian's `fonts-noto-cjk`, are found without this. If the server runs as root, everybody must be able to read them.",
    ),
  },
} as const satisfies SettingTree;
