import { isOver } from "../candidates/candidates.ts";
import type { Said } from "../candidates/said.ts";
import { isEnd } from "../lexicon/deeds.ts";
import type { Understanding } from "../reading.ts";

const COUNTS = /\b(?:how many|number of|wie ?viele|anzahl)(?!\p{L})/iu;
/** "did we have at the end of 2025", "hatten wir Ende 2025": how many there were then, whenever they came. */
const THERE_THEN =
  /\b(?:have|had|there (?:were|are|was)|(?:were|are|was) there|haben|hatten?|gab es|waren es)(?: (?:we|wir))?(?: (?:in total|altogether|overall|insgesamt))?,? (?:(?:at|by|as of|zum?|am) )?(?:the )?(?:very )?(?:(?:end|start|beginning|close) of|(?:jahres|monats|quartals)?(?:ende|anfang|beginn))(?!\p{L})/iu;
/** "had not cancelled by the end of 2025": of those who were there by then. */
const NOT_BY_THEN =
  /\b(?:had(?: still)? not|hadn['’]?t|hatten?\b.*\bnoch nicht)\b.*?\b(?:by|until|till|as of|at the end of|bis)\b/iu;

const NEW = /\b(?:new|neue?[nrs]?)\b/i;

/** How many there were at a date is another number than how many came in the days before it. */
export function atDate(said: Said): Understanding["missing"][number] | undefined {
  const { all, found } = said;
  const { text } = said.question;
  const [window] = found.filter(({ sense }) => sense.t === "window");
  if (window === undefined || !COUNTS.test(text) || NEW.test(text) || !lasts(said)) return undefined;
  const isTerm = window.sense.t === "window" && window.sense.win.from === null;
  if (!THERE_THEN.test(text) && !(isTerm && NOT_BY_THEN.test(text))) return undefined;
  const span = { start: all[window.start]?.start ?? 0, end: all[window.end - 1]?.end ?? 0 };
  const when = all
    .slice(window.start, window.end)
    .map((word) => word.text)
    .join(" ");
  return {
    span,
    text: `how many there were ${when}: only what happened in a period is counted`,
    nearest: [],
  };
}

/** Whether what is spoken of is there for a while: what only happened is of the days that it happened on. */
function lasts({ found, grammar, knowledge: { schema } }: Said): boolean {
  return found.some(({ sense }) => {
    if (sense.t !== "rel" || sense.form === "name") return false;
    const fields = [...(schema.datasets.get(sense.ds)?.fields.values() ?? [])];
    return !grammar.isEvent(sense.ds) || fields.some(({ name, kind }) => kind === "date" && isEnd(name));
  });
}

/** "joined and cancelled in 2025": the period is said once and holds for both; undefined where nothing is so. */
export function bothThen({ text, all, found, grammar }: Said): string | undefined {
  const datesAt = (i: number) =>
    found.flatMap(({ sense, start, end }) =>
      start === i && sense.t === "field" && sense.isDone === true && grammar.isDate(sense.key)
        ? [{ end, key: sense.key }]
        : [],
    );
  const isAnd = (i: number) =>
    found.some((each) => isOver(each, i) && each.sense.t === "op" && each.sense.op === "and");
  for (const i of all.keys()) {
    for (const first of datesAt(i)) {
      if (!isAnd(first.end)) continue;
      const from = first.end + (ALSO.test(all[first.end + 1]?.norm ?? "") ? 2 : 1);
      const second = datesAt(from).find(
        ({ key }) => key.ds === first.key.ds && key.field !== first.key.field,
      );
      const then = found.find(
        ({ sense, start }) =>
          sense.t === "window" && second !== undefined && WHEN.test(betweenIn(all, second.end, start)),
      );
      if (second === undefined || then === undefined) continue;
      const said = text.slice(all[second.end]?.start, all[then.end - 1]?.end);
      const at = all[first.end - 1]?.end ?? 0;
      return `${text.slice(0, at)} ${said}${text.slice(at)}`;
    }
  }
  return undefined;
}

const ALSO = /^(?:also|then|later|auch|dann|wieder)$/;
const WHEN = /^(?:|in|during|within|im)$/;

function betweenIn(all: Said["all"], start: number, end: number): string {
  return end < start
    ? "-"
    : all
        .slice(start, end)
        .map(({ norm }) => norm)
        .join(" ");
}
