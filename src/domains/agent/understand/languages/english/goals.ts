import { wordsOf } from "../words.ts";

const GOAL = String.raw`(?:(?:its|their|the|our|his|her|that)\s+)?(?:(?:revenue|sales|monthly|quarterly|yearly|annual)\s+)*(?:target|plan|goal|budget|quota)s?\b`;
const GOALS: readonly [RegExp, string][] = [
  [
    new RegExp(
      String.raw`\b(?:(?:has|have|had|did)\s+)?(?:miss(?:ed)?|not (?:reach|hit|meet|make)|fail(?:ed)? to (?:reach|hit|meet|make)|fell short of|below|under|behind)\s+${GOAL}`,
      "i",
    ),
    "below 100%",
  ],
  [
    new RegExp(
      String.raw`\b(?:beat|exceed(?:ed)?|surpass(?:ed)?|outperform(?:ed)?|above|over)\s+${GOAL}`,
      "i",
    ),
    "above 100%",
  ],
  [
    new RegExp(String.raw`\b(?:reach(?:ed)?|hit|met|meet|ma[dk]e|achieved?)\s+${GOAL}`, "i"),
    "of at least 100%",
  ],
];

/** "missed its target": of the number that says how much of a target was reached. */
export function withGoals(text: string, phrases: ReadonlyMap<string, unknown>): string {
  const reached = [...phrases.keys()].find((key) => / (attainment|achievement)$/.test(key));
  const goal = reached === undefined ? undefined : GOALS.find(([said]) => said.test(text));
  const part =
    /\bhow much of (?:its|the|our|their) (?:\p{L}+ )?(?:target|plan|goal|budget)s? (?:did|have|has) (.+?) (?:reach|achieve|hit|meet)(?:ed|d)?\b/iu;
  if (reached !== undefined && part.test(text)) return text.replace(part, `${reached} of $1`);
  // "what revenue are we supposed to make": the one that is planned.
  const planned =
    /\b(\p{L}+) (?:are|is|were|was|do) (?:we|they|our \p{L}+|each \p{L}+|the \p{L}+) (?:supposed|expected|planned|meant|plan|have) to (?:make|reach|achieve|get|have|bring in)\b(.*?)(?:,? according to (?:the |our )?(?:plan|budget|targets?)\b|(?=\?|$))/iu;
  const target = planned.exec(text);
  if (target !== null && phrases.has(`target ${wordsOf(target[1] ?? "")[0]?.stem ?? ""}`))
    return text.replace(planned, "target $1 $2");
  if (goal === undefined) return text;
  const [said, than] = goal;
  const asks = /^\s*(?:did|do|does|has|have)\s+(.+)$/i.exec(text)?.[1];
  if (asks !== undefined) return `${reached} of ${asks.replace(said, "")}`;
  return text.replace(said, `with ${reached} ${than}`);
}
