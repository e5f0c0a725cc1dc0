import { Resvg } from "@resvg/resvg-js";
import { FONT_PATHS, hasMissingGlyph } from "./font-metrics.ts";
import { COLOURS, type Look } from "./look.ts";
import type { Picture } from "./render-svg.ts";

/** Sharp on the screens that there are. */
const SCALE = 2;
/** Of one picture: a long dashboard is drawn less finely, or it would take seconds. */
const MOST_PIXELS = 8_000_000;

/** A picture as PNG, in its theme's background. What Inter has no letters for is written in a font of the system's. */
export function pngOf({ svg, width, height }: Picture, { theme }: Pick<Look, "theme">): Uint8Array {
  const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  const words = svg.replaceAll(/<[^>]*>/g, "");
  return new Resvg(svg, {
    background: COLOURS[theme].background,
    fitTo: { mode: "zoom", value: scale },
    font: {
      fontFiles: [...FONT_PATHS],
      loadSystemFonts: hasMissingGlyph(words.replaceAll(/\s/g, "")),
      defaultFontFamily: "Inter",
      sansSerifFamily: "Inter",
    },
  })
    .render()
    .asPng();
}
