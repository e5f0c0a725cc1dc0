import { chosenOf, isNumber } from "../phases/chosen.ts";
import type { Clarification, Understanding } from "../understand/reading.ts";

/** What somebody says who was asked something. */
export type Reply =
  /** One of the suggestions. */
  | { k: "chosen"; answer: string }
  /** An answer in their own words. */
  | { k: "said" }
  /** A question of its own. */
  | { k: "question" }
  /** Neither: what was asked is still open. */
  | { k: "open" };

const YES =
  /^\s*(?:yes|yep|yeah|right|correct|exactly|sure|ok|okay|ja|genau|richtig|stimmt)\b[\s,]*(?:please|bitte|exactly|genau)?[\s.!]*$/i;

/** What has more, and means something by itself, is a question. */
const FRAGMENT_WORDS = 2;

export function replyTo(
  text: string,
  questions: readonly Clarification[],
  /** The text, read for itself. */
  alone: Understanding,
): Reply {
  const suggestions = questions.flatMap((each) => each.suggestions);
  const answer = YES.test(text) && suggestions.length === 1 ? suggestions[0] : chosenOf(text, suggestions);
  if (answer !== undefined) return { k: "chosen", answer };
  const wants = questions.map((each) => each.wants);
  if (wants.includes("number") && BY.test(text) && isNumber(alone)) return { k: "said" };
  if (isQuestion(text, alone)) return { k: "question" };
  if (wants.includes("yes")) return { k: "question" };
  if (wants.includes("choice")) return { k: "open" };
  return wants.includes("number") && !isNumber(alone) ? { k: "open" } : { k: "said" };
}

/** "by revenue in 2025": which number, and of when. */
export const BY = /^(?:by|nach)\s+/i;

/** Whether it can stand for itself: it asks, or is long enough and means something, though not each of its words. */
export function isQuestion(text: string, { readings: [best], missing, unclear }: Understanding): boolean {
  if (ASKS.test(text.trim())) return true;
  if (best === undefined || unclear.length > 0) return false;
  const { ask } = best;
  if (missing.length > 0) return ask.k === "table" && text.trim().split(/\s+/).length > FRAGMENT_WORDS;
  if (ask.k === "list" && ask.rel.k === "all") return false;
  // "revenue yesterday" says of what, and when.
  const isScoped = ask.k === "table" && (ask.by.length > 0 || ask.scope?.win !== undefined);
  return isScoped || text.trim().split(/\s+/).length > FRAGMENT_WORDS;
}

const ASKS =
  /^(?:how|what|which|who|whose|when|where|show|list|give|find|wie|was|welche[rnms]?|wer|wann|wo|zeige?|nenne)\b/i;
