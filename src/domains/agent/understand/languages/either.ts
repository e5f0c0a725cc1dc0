import { fold } from "./words.ts";

/** Words by which two are compared without a third, and what stands between the two. */
const MORE =
  /(?<![\p{L}\d])(?:more often|more frequently|more|fewer|less|higher|lower|larger|smaller|bigger|longer|shorter|mehr|weniger|höher|niedriger|größer|kleiner|länger|kürzer|öfter|häufiger)(?![\p{L}])/giu;
const PREPOSITION = "by|via|per|from|in|for|with|of|at|on|through|using|bei|mit|aus|von|für|über|im|an|auf";
const PAIR = new RegExp(
  String.raw`(?:,\s*|\b(${PREPOSITION})\s+)?(?:the\s+|more\s+|mehr\s+)?([\p{L}\p{N}-]+(?:\s[\p{L}\p{N}-]+)??)\s+(?:or|oder)\s+(?:(?:${PREPOSITION}|more|mehr|the)\s+)*([\p{L}\p{N}-]+(?:\s[\p{L}\p{N}-]+)?)`,
  "iu",
);
const OPENER =
  /^\s*(?:(?:did|do|does|have|has|had|is|are|was|were)\s+(?:we|there|our|you)?\s*(?:get|have|had|receive|make|see)?|who|what|(?:haben|hatten|bekommen|bekamen|gibt|gab|ist|sind|war|waren)\s+(?:wir|es)?|wer)\b/iu;

/** Where a comparative stood. */
const MARK = "⁂";

/**
 * "did we get more tickets by phone or by chat" compares the number of both, "is the price higher in A or in B" the
 * price: written as a comparison of the two, where both are values of the data.
 */
export function eitherOr(
  text: string,
  { isValue, isRows }: { isValue: (word: string) => boolean; isRows: (word: string) => boolean },
  words: { compare: string; of: string; and: string; count: string },
): string {
  const pair = /\b(?:than|als)\b/i.test(text) || text.search(MORE) === -1 ? null : PAIR.exec(text);
  if (pair === null) return text;
  const [whole, , left = "", right = ""] = pair;
  const a = namedIn(left, isValue, "last");
  const b = namedIn(right, isValue, "first");
  if (a === undefined || b === undefined) return text;
  const after = `${right.slice(b.length)}${text.slice(pair.index + whole.length)}`
    .replaceAll(MORE, " ")
    .trim();
  // What stands beside the names is no part of them.
  const before = `${text.slice(0, pair.index)} ${left.slice(0, left.length - a.length)}`.replace(OPENER, "");
  const counted = (noun: string) => (isRows(noun) ? `${words.count} ${noun}` : noun);
  const said = before
    .replaceAll(MORE, MARK)
    .replace(new RegExp(`${MARK}\\s+([\\p{L}-]+)`, "u"), (_, noun: string) => counted(noun))
    .replace(new RegExp(`([\\p{L}-]+)\\s+${MARK}`, "u"), (_, noun: string) => counted(noun))
    .replaceAll(MARK, "")
    .trim();
  // "more urgent or more low tickets"
  const [, noun = "", rest = ""] = /^([\p{L}-]+)(.*)$/su.exec(after) ?? [];
  const isBehind = said === "" && isRows(noun);
  const what = isBehind ? counted(noun) : said;
  return `${words.compare} ${what} ${words.of} ${a} ${words.and} ${b} ${isBehind ? rest : after}`;
}

/** The words of a stretch that are a value: all of them, or those next to the other. */
function namedIn(
  text: string,
  isValue: (word: string) => boolean,
  side: "first" | "last",
): string | undefined {
  if (isValue(fold(text))) return text;
  const parts = text.split(" ");
  const near = (side === "first" ? parts[0] : parts.at(-1)) ?? "";
  return isValue(fold(near)) ? near : undefined;
}

/** Whether data have a value by this name, of one or of several. */
export function isValue(word: string, values: ReadonlyMap<string, unknown>): boolean {
  return [word, word.replace(/s$/, ""), word.replace(/(?:en|n|e)$/, "")].some((each) => values.has(each));
}
