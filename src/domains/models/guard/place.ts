/** Characters that are shown of a line, around the place. */
const SHOWN = 80;

/** The line at a place in a text, with a mark below it, as the engine shows it. Places count whole characters. */
export function placeIn(text: string, at: number): string {
  const before = [...text].slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  const number = before.filter((character) => character === "\n").length + 1;
  const column = before.length - lineStart;
  const line = [...(text.split("\n")[number - 1] ?? "")];
  const from = Math.max(0, column - SHOWN / 2);
  const piece = line
    .slice(from, from + SHOWN)
    .join("")
    .replaceAll(/[\t\r]/g, " ");
  const beginning = `LINE ${number}: ${from > 0 ? "…" : ""}`;
  const end = from + SHOWN < line.length ? "…" : "";
  return `\n${beginning}${piece}${end}\n${" ".repeat(beginning.length + column - from)}^`;
}
