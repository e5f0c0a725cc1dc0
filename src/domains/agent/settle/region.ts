import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isSame } from "../phases/chosen.ts";
import type { Clarification } from "../understand/reading.ts";

const OWN = /(?<!\p{L})(?:my|our own|mein(?:e[nrs]?)?)\s+region(?!\p{L})/giu;
/** Regions that are suggested. */
const SUGGESTED = 8;

/** The regions that there are, where a question speaks of one's own. */
export function regionIn(text: string, { values }: Knowledge): readonly string[] | undefined {
  if (text.search(OWN) === -1) return undefined;
  const named = values.filter(({ field }) => /region/i.test(field) && !/id$/i.test(field));
  const [best] = named.toSorted((a, b) => Number(!/name/i.test(a.field)) - Number(!/name/i.test(b.field)));
  return best === undefined || best.values.length === 0 ? undefined : best.values;
}

export function regionQuestion(values: readonly string[]): Clarification {
  return { question: "Which region is yours?", suggestions: values.slice(0, SUGGESTED) };
}

export function answeredRegion(answers: readonly string[], values: readonly string[]): string | undefined {
  return values.find((value) => answers.some((answer) => isSame(answer, value)));
}

/** Once, so that a long name does not multiply a question; and as it is, whatever signs it has in it. */
export function withRegion(text: string, region: string): string {
  let isFirst = true;
  return text.replaceAll(OWN, () => {
    const said = isFirst ? `region ${region}` : "region";
    isFirst = false;
    return said;
  });
}
