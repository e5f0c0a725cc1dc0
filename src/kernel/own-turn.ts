import { setImmediate as nextTurn } from "node:timers/promises";

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop of one's own. Whatever takes a millisecond or two goes on after it, so that the
 * steps of many large texts at once do not add up to one long turn.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}
