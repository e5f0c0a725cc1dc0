import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { t, word } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { SchemaDataset } from "../query/schema.ts";
import type { Literal } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { isSame } from "./chosen.ts";
import type { Query } from "./execute.ts";
import { filtersIn, instead, type NamedFilter } from "./filters.ts";
import type { Question } from "./question.ts";

/** A part of a name that several people can share. */
const PART_OF_NAME = /^(sur|last_?|first_?|fore|family_?|given_?)name$/i;

/** Fields by which entities of one name are told apart. */
const TOLD = 4;

/**
 * Numbers about somebody whose name others have as well are numbers about several people: one reading becomes one
 * for each of them, or the one that an answer has chosen.
 */
export async function apart(
  readings: readonly Reading[],
  { answers, isForced }: Question,
  { knowledge, query }: { knowledge: Knowledge; query: Query },
): Promise<{ readings: readonly Reading[]; isChosen: boolean }> {
  const [best, ...others] = readings;
  const asTheyAre = { readings, isChosen: false };
  if (best === undefined || best.ask.k !== "table" || isForced) return asTheyAre;
  for (const filter of filtersIn(best.ask)) {
    const dataset = entitiesNamedIn(filter, knowledge, best.oneOf);
    if (dataset === undefined) continue;
    const each = await oneForEach(best, filter, dataset, query);
    const chosen = each.find(({ said }) => answers.some((answer) => isSame(answer, said)));
    if (chosen !== undefined) return { readings: [chosen], isChosen: true };
    if (each.length > 1) return { readings: [...each, ...others], isChosen: false };
  }
  return asTheyAre;
}

/** The dataset whose entities a condition calls by a name that is not their key, or of which it should hold for one. */
function entitiesNamedIn(
  { key, value }: NamedFilter,
  { schema }: Knowledge,
  oneOf: string | undefined,
): SchemaDataset | undefined {
  const dataset = key === undefined ? undefined : schema.datasets.get(key.ds);
  if (dataset === undefined || value === undefined) return undefined;
  const field = key?.field ?? "";
  const isName = dataset.nameField === field || PART_OF_NAME.test(field) || oneOf === key?.ds;
  return isName && dataset.isKeyed && dataset.key.length === 1 && !dataset.key.includes(field)
    ? dataset
    : undefined;
}

async function oneForEach(
  reading: Reading,
  filter: NamedFilter,
  { name, key, fields, nameField }: SchemaDataset,
  query: Query,
): Promise<Reading[]> {
  const [id] = key as [string];
  const value = filter.value as string;
  const own = filter.key?.field ?? "";
  const texts = [...fields.values()].filter(
    ({ kind, name }) => kind === "text" && name !== own && name !== id,
  );
  const first = texts.filter(({ name }) => name === nameField);
  const told = [id, ...new Set([...first, ...texts].map((field) => field.name))].slice(0, TOLD + 1);
  const { rows } = await query(
    `SELECT ${told.map(quoteName).join(", ")} FROM ${quoteName(name)} WHERE ${quoteName(own)} = ${quoteText(value)} ORDER BY 1 LIMIT ${LIMITS.agent.rivals + 1}`,
  );
  // What is called the same again and again, such as a race of every year, is one thing.
  const isSeries = rows.length > LIMITS.agent.rivals && !PART_OF_NAME.test(own);
  if (rows.length < 2 || isSeries) return [];
  return rows.slice(0, LIMITS.agent.rivals).map((row) => {
    const name = row[told.indexOf(nameField ?? "")] ?? value;
    const facts = told.flatMap((field, i) =>
      field === nameField ? [] : [`${field.replaceAll("_", " ")} ${row[i] ?? word("unknown")}`],
    );
    const cond = {
      k: "is" as const,
      key: { ...(filter.key as NonNullable<NamedFilter["key"]>), field: id },
      values: [row[0] as Literal],
      match: "equal" as const,
    };
    return {
      ...reading,
      ask: instead(reading.ask, filter, cond),
      said: t`${reading.said}: ${String(name)} with ${facts.join(", ")}`,
    };
  });
}
