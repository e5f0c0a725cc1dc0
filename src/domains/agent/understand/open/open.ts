import { type Held, isMissed } from "../account/hold.ts";
import { countsNobody } from "../candidates/empty-words.ts";
import type { Weighed } from "../candidates/said.ts";
import type { Word } from "../languages/words.ts";
import type { Clarification, Understanding } from "../reading.ts";
import {
  isOfNew,
  judgedText,
  judges,
  NEW,
  namesNoMeasure,
  namesNoNumber,
  openPeriod,
  openWithout,
  SINCE_WHEN,
  someMetrics,
  WHICH_NUMBER,
} from "./left-open.ts";

/** What has to be known before a question is answered by its best reading. */
export interface Open {
  /** Words that carry meaning and that the reading says nothing of: each is one of the following. */
  skipped: readonly number[];
  /** "best", by no number. */
  judged: readonly number[];
  /** "new", since no time. */
  fresh: readonly number[];
  /** Everything is known, but nothing says which number of it is wanted. */
  isNumberless: boolean;
  /** Nothing in the model carries them. */
  unsaid: readonly number[];
}

/** What costs more beside its words was put together too loosely to be believed: half of it is wrong. */
const MOST_LOOSE = 2.1;

export function isLoose(best: Held | undefined): boolean {
  if (best === undefined || best.left.length > 0) return false;
  return best.loose > MOST_LOOSE;
}

export function openIn(best: Held | undefined, said: Weighed): Open {
  const skipped = best?.left ?? said.kept.filter((i) => isMissed(i, said));
  const judged = skipped.filter((i) => judges(i, said));
  const isNumberless = judged.length === 0 && lacksNumber(best, skipped, said);
  const fresh = skipped.filter((i) => NEW.test(said.all[i]?.norm ?? "") && isOfNew(i, best?.ask, said));
  const unsaid = (isNumberless ? [] : skipped).filter(
    (i) => !judged.includes(i) && !fresh.includes(i) && (judged.length === 0 || !said.known.has(i)),
  );
  return { skipped, judged, fresh, isNumberless, unsaid };
}

function lacksNumber(best: Held | undefined, skipped: readonly number[], said: Weighed): boolean {
  const { text, all, found, known, language, knowledge } = said;
  if (knowledge.model.metrics.length > 0 && skipped.some((i) => countsNobody(all, i, language))) return true;
  const asksHow = found.some(
    ({ sense, start }) => sense.t === "op" && sense.op === "how" && skipped.includes(start),
  );
  if (asksHow || skipped.some((i) => !known.has(i)) || knowledge.model.metrics.length === 0) return false;
  const read = skipped.length === 0 && !isLoose(best) ? best?.ask : undefined;
  return namesNoNumber(read, said) || (language.vague.test(text) && namesNoMeasure(said));
}

/** What a refusal names; words of grammar only where nothing else is missing. */
export function missingIn({ unsaid }: Open, said: Weighed): Understanding["missing"] {
  const { all, known, question, language } = said;
  const isGrammar = ({ norm, stem }: Word) => language.grammar.has(norm) || language.grammar.has(stem);
  const named = unsaid.filter((i) => !isGrammar(all[i] as Word));
  const left = named.length > 0 ? named : unsaid;
  // What nobody knows is named, and only where there is none of that, what did not fit together.
  const unknown = left.filter((i) => !known.has(i) && !/^\P{L}*$/u.test(all[i]?.norm ?? ""));
  const some = unknown.length > 0 ? unknown : left;
  // What was made of a compound or of a date was written by nobody.
  const asked = question.text.toLowerCase();
  const written = some.filter((i) => asked.includes((all[i] as Word).text.toLowerCase()));
  return (written.length > 0 ? written : some).map((i) => {
    const { start, end, text } = all[i] as Word;
    const isKnown = unknown.length === 0 && known.has(i);
    return { span: { start, end }, text, nearest: [], ...(isKnown && { isKnown: true as const }) };
  });
}

/** What is asked back, whichever reading is meant; what only a reading leaves open, where nothing is missing in it. */
export function clarificationsOf(open: Open, whole: Held | undefined, said: Weighed): Clarification[] {
  const { judged, fresh, isNumberless } = open;
  const suggestions = someMetrics(said.knowledge);
  const words = new Set(judged.map((i) => judgedText(i, said)));
  const isDated = said.found.some(({ sense }) => sense.t === "window");
  const left = whole === undefined ? [] : [openPeriod(whole, said), openWithout(whole, said)];
  return [
    ...[...words].map((word) => ({
      question: `By which number is "${word}" meant?`,
      suggestions,
      word,
      wants: "number" as const,
    })),
    ...(fresh.length > 0 && !isDated ? [SINCE_WHEN] : []),
    ...left.filter((each) => each !== undefined),
    ...(isNumberless ? [{ question: WHICH_NUMBER, suggestions, wants: "number" as const }] : []),
  ];
}
