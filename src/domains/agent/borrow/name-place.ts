import { fold, stem } from "../understand/languages/words.ts";

/** Behind these stands what is counted, measured or told apart. */
const BEFORE_NAMES =
  /^(?:by|per|each|every|which|what|whose|of|the|our|all|average|avg|mean|median|total|sum|number|highest|lowest|largest|smallest|biggest|most|least|nach|pro|je|jede[mnrs]?|welche[mnrs]?|der|die|das|den|unsere?[mnrs]?|durchschnittliche[mnrs]?|gesamte?[mnrs]?|höchste[mnrs]?|niedrigste[mnrs]?|meisten|anzahl|summe)$/iu;
/** Behind these stands a value. */
const BEFORE_VALUES = /^(?:in|for|from|at|of|with|is|are|was|were|im|für|aus|bei|von|mit|ist|sind)$/iu;
/** Before these a noun is whole, and belongs to no other one. */
const AFTER_NAMES =
  /^(?:of|in|on|at|by|for|from|per|with|without|to|this|last|next|since|during|between|before|after|and|or|is|are|was|were|do|does|did|has|have|had|we|there|than|over|under|above|below|who|that|which|\d.*|von|im|am|pro|je|nach|für|aus|seit|letzte[mnrs]?|diese[mnrs]?|und|oder|ist|sind|war|waren|haben|hat|hatten|wir|mit|der|des)$/iu;
/** Verbs and adverbs, which no name can stand for. */
const NO_NOUN = /(?:ed|ing|ly)$/i;
/** Words on each side that a name may not repeat. */
const BESIDE = 3;

/** Whether a name can take the place of a word: that of a noun, which is not said beside it already. */
export function fitsName(
  text: string,
  at: { start: number; end: number },
  { name, isValue }: Offered,
): boolean {
  const before = wordsIn(text.slice(0, at.start));
  const after = wordsIn(text.slice(at.end));
  const [last, next] = [before.at(-1), after[0]];
  const isPlace = last === undefined || (isValue ? BEFORE_VALUES : BEFORE_NAMES).test(last);
  const isWhole = next === undefined || /^\s*[,;:?!.]/.test(text.slice(at.end)) || AFTER_NAMES.test(next);
  if (!isPlace || !isWhole || NO_NOUN.test(text.slice(at.start, at.end))) return false;
  const beside = new Set(
    [...before.slice(-BESIDE), ...after.slice(0, BESIDE)].map((each) => stem(fold(each))),
  );
  return !wordsIn(name).some((each) => beside.has(stem(fold(each))));
}

export interface Offered {
  name: string;
  /** One of the data, and no name of the model. */
  isValue: boolean;
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
