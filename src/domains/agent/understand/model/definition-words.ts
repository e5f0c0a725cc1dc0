import type { VisibleModel } from "../../../models/index.ts";
import type { Schema } from "../../query/schema.ts";
import type { Comparison, Cond, Key } from "../../query/semantic-query.ts";
import { COMPARATIVES } from "../languages/english/comparatives.ts";
import { fold, phraseKey } from "../languages/words.ts";
import { deedsOf } from "../lexicon/deeds.ts";
import { dimensionFields } from "./model-words.ts";

/** "a rep (or agent, seller)": each of the names. */
export function namesIn(text: string): string[] {
  return text
    .split(/[(),]|\b(?:or|and)\b/)
    .map((name) => name.trim().replace(/^(?:an?|the) /i, ""))
    .filter((name) => name !== "");
}

/** What a clause of a definition says of an entity. */
export function conditionIn(
  model: VisibleModel,
  schema: Schema,
  ds: string,
  clause: string,
): Cond | undefined {
  const without = /^(?:it |they )?(?:has|have|with) no (.+)$|^without (?:an? |any )?(.+)$/i.exec(clause);
  const named = (text: string) => {
    const field = fieldNamed(model, ds, text);
    return field === undefined ? undefined : { ds, field };
  };
  if (without !== null) {
    const key = named(without[1] ?? (without[2] as string));
    return key && { k: "null", key };
  }
  const apart = BEFORE_OR_AFTER.exec(clause);
  if (apart !== null) {
    const [a, b] = [apart[1], apart[3]].map((text) => dateIn(model, schema, ds, text as string));
    const op = /after|later/i.test(apart[2] as string) ? ">" : "<";
    return a && b && { k: "cmp", a, op, b };
  }
  const number = /(-?\d[\d.,]*)/.exec(clause)?.[1];
  if (number !== undefined) return measured(model, schema, ds, { clause, number });
  const having = /^(?:it |they )?(?:has|have|with) an? (.+)$/i.exec(clause)?.[1];
  if (having !== undefined) {
    const key = named(having);
    return key && { k: "not", of: { k: "null", key } };
  }
  return valued(model, ds, clause);
}

/** "it was shipped after its required date" */
const BEFORE_OR_AFTER =
  /^(?:(?:it|they) (?:was|were|is|are|has been|have been) |its |their |the )?(.+?)(?: (?:is|was|lies))? (after|later than|before|earlier than) (?:its |the |their )?(.+)$/i;

/** A date of a dataset by its name, or by what was done then. */
function dateIn(model: VisibleModel, schema: Schema, ds: string, text: string): Key | undefined {
  const dates = [...(schema.datasets.get(ds)?.fields.values() ?? [])].filter(({ kind }) => kind === "date");
  const named = fieldNamed(model, ds, text);
  const field =
    dates.find(({ name }) => name === named) ??
    dates.find(({ name }) => deedsOf(name).verbs.includes(fold(text)));
  return field && { ds, field: field.name };
}

/** "its population exceeds 150000", "it is longer than 750 kilometres" */
function measured(
  model: VisibleModel,
  schema: Schema,
  ds: string,
  { clause, number }: { clause: string; number: string },
): Cond | undefined {
  const compared = /is (\p{L}+) than/iu.exec(clause)?.[1];
  const [sign, dim] = (COMPARATIVES.get(fold(compared ?? "")) ?? "").split(":");
  const field = dim ? dimensionFields(model, schema, ds, dim)[0] : fieldNamed(model, ds, clause);
  const op = (sign || comparisonIn(clause)) as Comparison | undefined;
  if (field === undefined || op === undefined) return undefined;
  return { k: "cmp", a: { ds, field }, op, b: { k: "lit", v: Number(number.replaceAll(",", "")) } };
}

function comparisonIn(text: string): Comparison | undefined {
  if (/exceeds?|more than|over|above|greater than/i.test(text)) return ">";
  if (/at least|or more|from/i.test(text)) return ">=";
  if (/less than|below|under|fewer than/i.test(text)) return "<";
  return /at most|up to|or less/i.test(text) ? "<=" : undefined;
}

/** "with the job title A or B", "its status is A" */
function valued(model: VisibleModel, ds: string, clause: string): Cond | undefined {
  const rest = clause.replace(/^(?:with|whose|its|the) (?:the )?/i, "");
  const dataset = model.datasets.find(({ name }) => name === ds);
  for (const { name, ai, label } of dataset?.fields ?? []) {
    const called = [name.replaceAll("_", " "), label ?? "", ...ai.synonyms].find(
      (text) => text !== "" && rest.toLowerCase().startsWith(`${text.toLowerCase()} `),
    );
    if (called === undefined) continue;
    const values = rest
      .slice(called.length)
      .replace(/^ (?:is|equals) /i, "")
      .split(/,| or | and /)
      .map((value) => value.trim())
      .filter((value) => value !== "");
    return { k: "is", key: { ds, field: name }, values, match: "equal" };
  }
  return undefined;
}

export function datasetNamed(model: VisibleModel, text: string): string | undefined {
  const key = phraseKey(text);
  return model.datasets.find(({ name, ai }) => [name, ...ai.synonyms].some((word) => phraseKey(word) === key))
    ?.name;
}

export function metricNamed(model: VisibleModel, text: string): string | undefined {
  const key = phraseKey(text);
  return model.metrics.find(({ name, ai }) => [name, ...ai.synonyms].some((word) => phraseKey(word) === key))
    ?.name;
}

function fieldNamed(model: VisibleModel, ds: string, text: string): string | undefined {
  const key = ` ${phraseKey(text)} `;
  const fields = model.datasets.find(({ name }) => name === ds)?.fields ?? [];
  return fields.find(({ name, ai }) =>
    [name, ...ai.synonyms].some((word) => key.includes(` ${phraseKey(word)} `)),
  )?.name;
}

/** "order date", "the time the ticket was opened" */
export function dateNamed(model: VisibleModel, schema: Schema, said: string): Key | undefined {
  const dates = model.datasets.flatMap(({ name: ds, fields }) =>
    fields
      .filter(({ name }) => schema.datasets.get(ds)?.fields.get(name)?.kind === "date")
      .map((field) => ({ ds, field })),
  );
  const key = phraseKey(said);
  const exact = dates.find(({ field }) =>
    [field.name, ...field.ai.synonyms].some((text) => phraseKey(text) === key),
  );
  const words = new Set(key.split(" "));
  const near = dates.find(({ ds, field }) => {
    const own = [
      ...phraseKey(field.name).split(" "),
      ...field.ai.synonyms.flatMap((text) => phraseKey(text).split(" ")),
    ];
    const noun = phraseKey(ds)
      .split(" ")
      .some((word) => words.has(word));
    return noun && own.some((word) => words.has(word) && word !== "date" && word !== "at");
  });
  const found = exact ?? near;
  return found === undefined ? undefined : { ds: found.ds, field: found.field.name };
}
