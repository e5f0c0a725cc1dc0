import { isAggregate } from "../../models/index.ts";
import { schemaOf } from "../query/schema.ts";
import type { FieldValues, Knowledge } from "../understand/understand.ts";

export type { FieldValues, Knowledge } from "../understand/understand.ts";

/** What the rules make of a model and its values, once for all questions. */
export function buildKnowledge(model: Knowledge["model"], values: FieldValues[]): Knowledge {
  return { model, schema: schemaOf(model, { isAggregate }), values };
}
