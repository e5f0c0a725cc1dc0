import { addsUp } from "../../../models/quantities/index.ts";
import type { Key } from "../../query/semantic-query.ts";
import type { Facts } from "./facts.ts";
import { isSummed, isTaken } from "./model-words.ts";

/** What each has one of: the cost of a unit, the level at which it is ordered again. */
const OF_EACH = /^unit_|_per_|(^|_)(level|limit|point|threshold|min|max|minimum|maximum|grenze)$/i;

/** Whether there is so much of it that something can be told for each: square metres and seats, but no prices. */
export function isShared(facts: Facts, key: Key): boolean {
  const { field } = key;
  if (facts.isFraction(key) || isTaken(field) || OF_EACH.test(field)) return false;
  return addsUp(field) || isSummed(field);
}
