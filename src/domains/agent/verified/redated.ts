import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Moment } from "../phases/plan.ts";
import { nodesIn, rebuilt } from "../query/parts.ts";
import type { Ask, Window } from "../query/semantic-query.ts";
import { momentFor } from "../settle/period.ts";
import { soFar } from "../typed/numbers.ts";
import { datesIn } from "../understand/candidates/dates.ts";

interface Days {
  from: Moment;
  to: Moment;
  knowledge: Knowledge;
}

/** A query of one day as the question means it on another; undefined where a period of it is not said there. */
export function redated(ask: Ask, question: string, { from, to, knowledge }: Days): Ask | undefined {
  const [then, now] = [windowsIn(question, from, knowledge), windowsIn(question, to, knowledge)];
  const found = (win: Window) => now[then.findIndex((each) => each.from === win.from && each.to === win.to)];
  if (then.length !== now.length || windowsOf(ask).some((win) => found(win) === undefined)) return undefined;
  return rebuilt(ask, (node) => (isWindow(node) ? { ...node, ...found(node as unknown as Window) } : node));
}

export function windowsOf(ask: Ask): Window[] {
  return nodesIn(ask).filter(isWindow) as unknown as Window[];
}

function isWindow(node: object): boolean {
  return "from" in node && "to" in node && "said" in node;
}

/** All until today, each period that the question says, and as much of it as is over. */
function windowsIn(text: string, moment: Moment, knowledge: Knowledge): Window[] {
  if (text.length > LIMITS.agent.datedCharacters) return [];
  const dates = datesIn({ text, ...momentFor(text, moment, knowledge) }, knowledge);
  const said = dates.flatMap((each) => (each.kind === "window" ? [{ ...each.window, said: each.said }] : []));
  return [soFar(undefined, moment.now), ...said.flatMap((win) => [win, soFar(win, moment.now)])];
}
