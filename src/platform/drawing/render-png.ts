import { Resvg } from "@resvg/resvg-js";
import { fallbackFonts } from "./fallback-fonts.ts";
import { FONT_PATHS } from "./font-metrics.ts";
import { COLOURS, type Look } from "./look.ts";
import type { Picture } from "./render-svg.ts";

/** Sharp on the screens that there are. */
const SCALE = 2;
/** Of one picture: a long dashboard is drawn less finely, or it would take seconds. */
const MOST_PIXELS = 8_000_000;

/** A picture as PNG, in its theme's background, and whether there was a font for all that is written in it. */
export function pngOf(
  { svg, width, height }: Picture,
  { theme }: Pick<Look, "theme">,
  fontFolders: readonly string[],
): { png: Uint8Array; hasAllGlyphs: boolean } {
  const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  const { paths, isComplete } = fallbackFonts(svg.replaceAll(/<[^>]*>/g, ""), fontFolders);
  const picture = new Resvg(svg, {
    background: COLOURS[theme].background,
    fitTo: { mode: "zoom", value: scale },
    font: {
      fontFiles: [...FONT_PATHS, ...paths],
      loadSystemFonts: false,
      defaultFontFamily: "Inter",
      sansSerifFamily: "Inter",
    },
  });
  return { png: new Uint8Array(picture.render().asPng()), hasAllGlyphs: isComplete };
}
