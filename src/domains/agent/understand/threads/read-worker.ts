/** Runs in a thread of its own and reads questions, one at a time. None of its imports may load a whole slice. */
import { answerQuestions } from "../../../../platform/workers/index.ts";
import { type Material, materialOf } from "../../assist/material.ts";
import { misfitOf } from "../../assist/misfit.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { LIMITS } from "../../limits.ts";
import type { Ask } from "../../query/semantic-query.ts";
import { type Proposals, propose, type Ruled } from "../../reader/propose.ts";
import type { Question, Understanding } from "../reading.ts";
import { understand } from "../understand.ts";

export interface ToRead {
  question: Question;
  /** Read by the rules, what it may mean beside what they make of it, made ready for a language model, or a query held against it. */
  by: { k: "rules" } | { k: "ranks"; ruled: Ruled } | { k: "model" } | { k: "fits"; ask: Ask };
  /** What names the knowledge from now on. */
  id: number;
  /** Left out where this thread may have it from an earlier question. */
  knowledge?: Knowledge;
}

/** Undefined: this thread does not have the knowledge. */
export type Read = Understanding | Proposals | Material | string | undefined;

/** The latest used last. */
const known = new Map<number, Knowledge>();

answerQuestions<ToRead, Read>(({ question, by, id, knowledge = known.get(id) }) => {
  if (knowledge === undefined) return undefined;
  known.delete(id);
  known.set(id, knowledge);
  const [oldest] = known.keys();
  if (known.size > LIMITS.agent.keptModels && oldest !== undefined) known.delete(oldest);
  switch (by.k) {
    case "rules":
      return understand(question, knowledge);
    case "ranks":
      return propose(question, knowledge, by.ruled);
    case "model":
      return materialOf(question, knowledge);
    case "fits":
      return misfitOf(by.ask, question, knowledge);
  }
});
