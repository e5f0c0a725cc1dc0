import type { ChartSpec } from "../answer.ts";

/** A kind of chart, or none. */
export type Wish = ChartSpec["type"] | "none";

const WISH =
  /\b(?:as\s+(?:an?\s+)?|(?:in|with)\s+(?:an?\s+)?(?=\S+\s*(?:chart|graph|plot|diagram)))(pie|bar|line|scatter)(?:\s*(?:chart|graph|plot|diagram))?\b|\b(?:als|im|mit)\s+(?:ein(?:em|en)?\s+)?(torten|kreis|balken|säulen|linien|streu)(?:diagramm)?\b/i;
const GERMAN: Readonly<Record<string, ChartSpec["type"]>> = {
  torten: "pie",
  kreis: "pie",
  balken: "bar",
  säulen: "bar",
  linien: "line",
  streu: "scatter",
};

const PLAIN =
  /\b(?:as|in) (?:an? )?(?:table|list)\b|\bals (?:tabelle|liste)\b|\b(?:without|ohne) (?:an? |ein )?(?:chart|graph|diagramm)\b/i;

/** The chart that a question wants, and the question without that. */
export function chartWish(text: string): { text: string; chart: Wish | undefined } {
  const plain = PLAIN.exec(text);
  if (plain !== null) return { text: without(text, plain[0]), chart: "none" };
  const found = WISH.exec(text);
  if (found === null) return { text, chart: undefined };
  const [whole, english, german] = found;
  const chart =
    english === undefined ? GERMAN[german?.toLowerCase() ?? ""] : (english.toLowerCase() as "pie");
  return { text: without(text, whole), chart };
}

function without(text: string, part: string): string {
  return text.replace(part, " ").replaceAll(/\s+/g, " ").trim();
}
