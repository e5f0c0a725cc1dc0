/** What opens, by what closes it. */
const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

/** A place in a text that stands outside of brackets and quotes. */
interface Found {
  at: number;
  sign: string;
}

/** Where a sign stands outside of brackets and quotes; undefined where these do not fit together. */
export function outside(text: string, sign: RegExp): Found[] | undefined {
  const sticky = new RegExp(sign.source, `${sign.flags.replace(/[gy]/g, "")}y`);
  const open: string[] = [];
  const found: Found[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (open.length === 0) {
      sticky.lastIndex = at;
      const [hit] = sticky.exec(text) ?? [];
      if (hit) {
        found.push({ at, sign: hit });
        at += hit.length - 1;
        continue;
      }
    }
    if (letter === '"' || isQuote(text, at)) {
      const end = text.indexOf(letter, at + 1);
      if (end === -1) return undefined;
      at = end;
    } else if (letter === "(" || letter === "[") open.push(letter);
    else if (letter in PAIRS && open.pop() !== PAIRS[letter]) return undefined;
  }
  return open.length === 0 ? found : undefined;
}

/** An apostrophe inside of a word is none. */
function isQuote(text: string, at: number): boolean {
  return text.charAt(at) === "'" && !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
}

/** The parts between such signs. */
export function splitOutside(text: string, sign: RegExp): string[] {
  const cuts = outside(text, sign) ?? [];
  const starts = [0, ...cuts.map((cut) => cut.at + cut.sign.length)];
  return starts.map((start, i) => text.slice(start, cuts[i]?.at).trim());
}

/** What stands before a bracket that ends the text, and what in it: `count(orders[2025])` for "(". */
export function beforeBracket(
  text: string,
  opening: "(" | "[",
): { head: string; inside: string } | undefined {
  if (PAIRS[text.at(-1) ?? ""] !== opening) return undefined;
  const starts = [...text].flatMap((letter, at) => (letter === opening ? [at] : []));
  const at = starts.find((start) => outside(text.slice(start + 1, -1), /(?!)/) !== undefined);
  return at === undefined || outside(text.slice(0, at), /(?!)/) === undefined
    ? undefined
    : { head: text.slice(0, at).trim(), inside: text.slice(at + 1, -1).trim() };
}
