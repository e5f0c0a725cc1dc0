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
