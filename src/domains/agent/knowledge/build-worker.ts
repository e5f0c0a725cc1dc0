/** Runs in a thread of its own and works out what is known about models. None of its imports may load a whole slice. */
import { answerQuestions } from "../../../platform/workers/index.ts";
import type { VisibleModel } from "../../models/index.ts";
import { navigate } from "../phases/run-phases.ts";
import type { Ask } from "../query/semantic-query.ts";
import { buildKnowledge, type FieldValues, type Knowledge } from "./build-knowledge.ts";

export interface ToBuild {
  model: VisibleModel;
  values: FieldValues[];
  /** Queries that the model should carry. */
  asks?: readonly Ask[];
}

export interface Built extends Pick<Knowledge, "schema" | "definitions"> {
  /** Whether the model carries each of the queries. */
  carries: boolean[];
}

answerQuestions<ToBuild, Built>(({ model, values, asks = [] }) => {
  const { schema, definitions } = buildKnowledge(model, values);
  const carries = asks.map((ask) => {
    const reading = { ask, said: "", cost: 0, assumptions: [] };
    return navigate([reading], schema, true).routes.length > 0;
  });
  return { schema, definitions, carries };
});
