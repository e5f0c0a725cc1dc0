import type { ChartSpec } from "../answer.ts";

const WISH =
  /\b(?:as|in|with)\s+(?:an?\s+)?(pie|bar|line|scatter)(?:\s*(?:chart|graph|plot|diagram))?\b|\b(?:als|im|mit)\s+(?:ein(?:em|en)?\s+)?(torten|kreis|balken|säulen|linien|streu)(?:diagramm)?\b/i;
const GERMAN: Readonly<Record<string, ChartSpec["type"]>> = {
  torten: "pie",
  kreis: "pie",
  balken: "bar",
  säulen: "bar",
  linien: "line",
  streu: "scatter",
};

/** The chart that a question wants, and the question without that. */
export function chartWish(text: string): { text: string; chart: ChartSpec["type"] | undefined } {
  const found = WISH.exec(text);
  if (found === null) return { text, chart: undefined };
  const [whole, english, german] = found;
  const chart =
    english === undefined ? GERMAN[german?.toLowerCase() ?? ""] : (english.toLowerCase() as "pie");
  return { text: text.replace(whole, " ").replaceAll(/\s+/g, " ").trim(), chart };
}
