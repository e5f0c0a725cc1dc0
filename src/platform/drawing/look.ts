import { z } from "zod";
import { LIMITS } from "./limits.ts";

const { leastPx, mostPx } = LIMITS.drawing;

/** How a picture is to look. Without a height it has the one that suits what is drawn. */
export const lookShape = z.object({
  theme: z.enum(["light", "dark"]).default("light"),
  width: z.int().min(leastPx).max(mostPx).default(640),
  height: z.int().min(leastPx).max(mostPx).optional(),
  /** Of the numbers, such as en-US. */
  locale: z.string().max(35).default("en-US"),
});

export type Look = z.output<typeof lookShape>;

export interface Colours {
  text: string;
  muted: string;
  grid: string;
  axis: string;
  background: string;
}

export const COLOURS: Record<Look["theme"], Colours> = {
  light: { text: "#1a1d24", muted: "#5c6370", grid: "#e6e9ee", axis: "#aeb4be", background: "#ffffff" },
  dark: { text: "#eceff4", muted: "#9ea7b5", grid: "#2c313a", axis: "#555d6b", background: "#16181d" },
};

/** Each has a contrast of at least 3.3 to 1 on both backgrounds. */
const PALETTE = [
  "#306ce2",
  "#de6e29",
  "#009778",
  "#cd3380",
  "#8b8c14",
  "#8451c9",
  "#138db1",
  "#677284",
] as const;

/** From little to much. */
export const HEAT: Record<Look["theme"], readonly string[]> = {
  light: ["#eaf0fc", "#d3e0f9", "#b7cdf5", "#97b6f0", "#759dea", "#4f82e4", "#2f6ad9", "#2357ba", "#194494"],
  dark: ["#1d2433", "#22304a", "#283d64", "#2e4b80", "#345b9e", "#4471bf", "#5b8adb", "#7ca5ee", "#a5c3f8"],
};

/** Text on the darker, or in dark brighter, half of them. */
export const HEAT_TEXT: Record<Look["theme"], string> = { light: "#fdfdfe", dark: "#10131a" };

/** Text that can be read on a colour of the palette: no white of a background, which changes with the theme. */
export function textOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255) as [
    number,
    number,
    number,
  ];
  const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  return light > 0.21 ? "#0b0d11" : "#fefefe";
}

/** The colour of what is "Other": the one that stands back. */
export const OTHER_COLOUR = PALETTE[7];

export function colourOf(index: number): string {
  return PALETTE[index % PALETTE.length] as string;
}

/** The palette begins again here: these marks look different in another way as well. */
export function isRepeated(index: number): boolean {
  return index >= PALETTE.length;
}

export const FONT_FAMILY = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export const PADDING = 16;
export const SIZES = { title: 15, text: 12 } as const;
