import { chmodSync, copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { FONT_PATHS, fallbackFonts, hasGlyph } from "./fonts.ts";
import { COLOURS, type Look } from "./look.ts";
import type { Picture } from "./render-svg.ts";

/** Sharp on the screens that there are. */
const SCALE = 2;
/** Of one picture: a long dashboard is drawn less finely, or it would take seconds. */
const MOST_PIXELS = 8_000_000;

export interface PngQuestion extends Pick<Picture, "svg" | "width" | "height">, Pick<Look, "theme"> {
  fontFolders: readonly string[];
}

/**
 * Pictures by resvg, which is native code: for sandboxed processes alone, when they are loaded. It takes fonts by their
 * paths, and the user that such a process becomes need not be able to enter the project's folder, so its working folder
 * gets a copy.
 */
export function openResvg() {
  const { Resvg } = createRequire(import.meta.url)("@resvg/resvg-js") as typeof import("@resvg/resvg-js");
  hasGlyph(" ");
  const ownFonts = FONT_PATHS.map((path) => {
    const name = basename(path);
    copyFileSync(path, name);
    chmodSync(name, 0o644);
    return name;
  });
  const fontsWith = (paths: readonly string[]) => ({
    fontFiles: [...ownFonts, ...paths],
    loadSystemFonts: false,
    defaultFontFamily: "Inter",
    sansSerifFamily: "Inter",
  });
  return {
    /** A picture in its theme's background, and whether there was a font for all that is written in it. */
    png({ svg, width, height, theme, fontFolders }: PngQuestion) {
      const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
      const { paths, isComplete } = fallbackFonts(wordsIn(svg), fontFolders);
      const picture = new Resvg(svg, {
        background: COLOURS[theme].background,
        fitTo: { mode: "zoom", value: scale },
        font: fontsWith(paths),
      });
      return { png: new Uint8Array(picture.render().asPng()), hasAllGlyphs: isComplete };
    },
    /**
     * A picture whose words are all in Inter, or outlines of its words: other programs look for the letters that a font
     * lacks each in their own way, and Typst never comes back from some.
     */
    plain(svg: string, fontFolders: readonly string[]) {
      const words = wordsIn(svg);
      const isInter = Array.from(words).every((each) => /\s/.test(each) || hasGlyph(each));
      if (isInter) return { svg, hasAllGlyphs: true };
      const { paths, isComplete } = fallbackFonts(words, fontFolders);
      return { svg: new Resvg(svg, { font: fontsWith(paths) }).toString(), hasAllGlyphs: isComplete };
    },
  };
}

function wordsIn(svg: string): string {
  return svg.replaceAll(/<[^>]*>/g, "");
}
