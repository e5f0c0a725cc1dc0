const NAME = "quote";

/** Marks a passage in a text and brings it into sight; false where it is not there. */
export function showQuote(root: HTMLElement, quote: string): boolean {
  const found = rangeOf(root, quote) ?? rangeOf(root, quote.slice(0, 60));
  if (found === null) return false;
  if ("highlights" in CSS) CSS.highlights.set(NAME, new Highlight(found));
  found.startContainer.parentElement?.scrollIntoView({ block: "center" });
  return true;
}

/** Written as one letter after the other, however spaces and marks of Markdown stand between them. */
function rangeOf(root: HTMLElement, quote: string): Range | null {
  const wanted = lettersOf(quote);
  if (wanted === "") return null;
  const places: { node: Text; at: number }[] = [];
  let letters = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    for (let at = 0; at < node.data.length; at += 1) {
      const letter = lettersOf(node.data[at] as string);
      if (letter === "") continue;
      letters += letter[0];
      places.push({ node, at });
    }
  }
  const start = letters.indexOf(wanted);
  const [first, last] = [places[start], places[start + wanted.length - 1]];
  if (start === -1 || first === undefined || last === undefined) return null;
  const range = document.createRange();
  range.setStart(first.node, first.at);
  range.setEnd(last.node, last.at + 1);
  return range;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
