import { createRequire } from "node:module";
import type { ChartDrawing, Drawing, Hover } from "./drawing.ts";
import { measure } from "./fonts.ts";
import { knownLocale, revive } from "./formats.ts";
import { FONT_FAMILY, type Look, SIZES } from "./look.ts";
import { plainSvgOf } from "./plain-svg.ts";
import { escapeXml, oneLine, wrap } from "./text.ts";

/** In one file: loading the hundreds that it is made of takes a second. */
const echarts: typeof import("echarts") = createRequire(import.meta.url)("echarts/dist/echarts.esm.min");

/** What ECharts takes for the height of a line is the width of this character. */
const LINE_PROBE = "国";
const LINE_HEIGHT = 1.2;

echarts.setPlatformAPI({
  measureText(text: string, font = "12px") {
    const size = Number(/([\d.]+)px/.exec(font)?.[1] ?? 12);
    if (text === LINE_PROBE) return { width: size * LINE_HEIGHT };
    return { width: measure(text, size, /\b(600|700|bold)\b/.test(font) ? 600 : 400) };
  },
});

/** A picture, and where in it the pointer is over what. */
export interface Picture {
  svg: string;
  width: number;
  height: number;
  title: string;
  hover: (Hover & { at?: number[] }) | null;
}

/** The part of a chart that its types leave out. */
interface WithModel {
  getModel(): {
    getSeriesByIndex(index: number): {
      getData(): { getItemLayout(index: number): { width: number; height: number } };
    };
  };
}

export function pictureOf(drawing: Drawing, look: Look): Picture {
  if (drawing.kind === "chart") return drawChart(drawing, look);
  const { svg, height } = plainSvgOf(drawing, look, measure);
  return { svg: described(svg, drawing.title), width: look.width, height, title: drawing.title, hover: null };
}

function drawChart({ option, hover, height, title }: ChartDrawing, look: Look): Picture {
  const { width } = look;
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    // How large a tile is, only ECharts knows, when it comes to write what stands in it.
    const writeTile = (mark: unknown) => {
      const { name, dataIndex } = mark as { name: string; dataIndex: number };
      return tileWords(
        name,
        (chart as unknown as WithModel).getModel().getSeriesByIndex(0).getData().getItemLayout(dataIndex),
      );
    };
    const revived = revive(option, knownLocale(look.locale), writeTile) as object;
    chart.setOption({ animation: false, textStyle: { fontFamily: FONT_FAMILY }, ...revived });
    const svg = described(chart.renderToSVGString(), title);
    if (hover?.by !== "category") return { svg, width, height, title, hover };
    const finder = hover.axis === "x" ? { xAxisIndex: 0 } : { yAxisIndex: 0 };
    const at = hover.titles.map((_, i) => Math.round(chart.convertToPixel(finder, i) as unknown as number));
    return { svg, width, height, title, hover: { ...hover, at } };
  } finally {
    // Without this the thread would never end.
    chart.dispose();
  }
}

/** What the edges of a tile take of its width, and how high a line in it is. */
const TILE = { edges: 7, line: 18, letters: 3 } as const;

/** A name is broken or cut where that leaves some letters of it; a number never, since it would be another one. */
function tileWords(name: string, { width, height }: { width: number; height: number }): string {
  const [label = "", value = ""] = name.split("\n");
  const room = width - TILE.edges;
  const lines = Math.floor(height / TILE.line);
  const hasValue = lines >= 2 && measure(value, SIZES.text, 400) <= room;
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const words = wrap(label, room, Math.min(2, lines - Number(hasValue)), style);
  const isCut = words.some((line) => line.endsWith("…") && line.length <= TILE.letters);
  if (lines < 1 || isCut) return "";
  return [...words, ...(hasValue ? [value] : [])].join("\n");
}

/** Without styles of its own, which change from drawing to drawing, and with its title for those who cannot see it. */
function described(svg: string, title: string): string {
  return (
    svg
      .replace(/<style\b[^>]*>.*?<\/style>\s*/s, "")
      .replaceAll(/ class="zr\d+-cls-\d+"/g, "")
      .replaceAll(/ (?:pointer-events="visible"|ecmeta_ssr_type="[a-z]+"|ecmeta_series_index="\d+")/g, "")
      // By a function: a title may have $& in it.
      .replace(/^<svg /, () => `<svg role="img" aria-label="${escapeXml(oneLine(title))}" `)
  );
}
