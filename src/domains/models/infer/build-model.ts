import {
  keyThing,
  longWords,
  partWords,
  singular,
  snakeOf,
  thingOf,
  withUmlauts,
} from "../../../kernel/name-words.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { isReserved, looksLikeFile } from "../guard/checks.ts";
import { type ModelDataset, type Relationship, type SemanticModel, sqlOf } from "../model.ts";
import { type Counted, isIdLike, isLines, type SharedNumber, sharedNumbers } from "./counted-things.ts";
import { durationFields, durationGuesses } from "./durations.ts";
import { aiOf, expressionOf, fieldsOf, type InferredField } from "./fields.ts";
import type { Join, Looked } from "./joins.ts";
import { isCalled } from "./keys.ts";
import { metricsOf } from "./metrics.ts";
import type { Guess } from "./profile.ts";
import { roleOf } from "./roles.ts";
import { totalSentence } from "./totals.ts";

/** Numbers the rows of a dataset that nothing else tells apart. */
const ROW_NUMBER = "row_number";

interface Part {
  looked: Looked;
  dataset: ModelDataset;
  fields: InferredField[];
  thing: string[];
  counted: Counted[];
}

export interface InferredModel {
  document: SemanticModel;
  guesses: Guess[];
}

/** Puts what was found out about some datasets into a model. */
export function buildModel(name: string, all: readonly Looked[], joins: readonly Join[]): InferredModel {
  const parts = partsOf(all, joins);
  const partOf = (looked: Looked) => parts.find((part) => part.looked === looked) as Part;
  const relationships = relationshipsOf(joins, partOf);
  const measured = parts.map(({ dataset, thing, fields, looked, counted }) => ({
    dataset,
    counted,
    isPanel: isPanel(looked, fields),
    thing,
    fields: fields.filter(
      ({ field }) =>
        !relationships.some(
          ({ from, fromColumns }) => from === dataset.name && fromColumns.includes(field.name),
        ),
    ),
    isEvents: isEvents(fields, dataset),
    belongsTo: joins
      .filter(({ from, to }) => from !== to && partOf(from).dataset === dataset)
      .map(({ to }) => partOf(to)),
  }));
  const { metrics, guesses } = metricsOf(measured);
  const totals = parts.flatMap(totalsOf);
  const document: SemanticModel = {
    name,
    description: null,
    ai: {
      ...aiOf([]),
      instructions: totals.length === 0 ? null : totals.map(({ sentence }) => sentence).join(" "),
    },
    datasets: parts.map(({ dataset }) => dataset),
    relationships,
    metrics,
    extensions: [],
  };
  return {
    document,
    guesses: [
      ...parts.flatMap(keyGuesses),
      ...joins.map((join, i) => joinGuess(join, relationships[i] as Relationship)),
      ...parts.flatMap(dateGuesses),
      ...parts.flatMap(({ dataset, looked }) => durationGuesses(dataset.name, looked.spans)),
      ...totals.map(({ guess }) => guess),
      ...guesses,
    ],
  };
}

function partsOf(all: readonly Looked[], joins: readonly Join[]): Part[] {
  const taken = new Set<string>();
  return all.map((looked) => {
    const { dataset: source } = looked.profile;
    const shared = sharedNumbers(looked.profile).filter(
      ({ column, noun }) =>
        !joins.some((join) => join.from === looked && join.column === column.name) &&
        !all.some((other) => other !== looked && thingOf(other.profile.dataset.name).join(" ") === noun),
    );
    const isPart = isLines(looked.profile, shared);
    const thing = isPart ? [...thingOf(source.name), "line"] : thingOf(source.name);
    const snake = isPart ? thing.join("_") : snakeOf(source.name);
    const isUsable = (name: string) => !taken.has(name) && !isReserved(name) && !looksLikeFile(name);
    const name = [snake, `${snake}_data`].find(isUsable) ?? `dataset_${source.id}`;
    taken.add(name);
    const own = fieldsOf(looked.profile);
    const fields = [...own, ...durationFields(looked.spans, own)];
    const isForeign = joins.some(
      ({ from, column }) => from === looked && looked.keys.primary.includes(column),
    );
    const more = isForeign ? [] : keyNouns(looked, all);
    const counted = countedIn(fields, shared);
    const isFree = (noun: string) =>
      !counted.some((each) => each.noun === noun) && !fields.some(({ field }) => isNamedSo(field, noun));
    const short = shortNoun(source.name, thing);
    return {
      looked,
      fields,
      thing,
      counted,
      dataset: datasetOf(name, looked, fields, [thing.join(" "), ...more, ...short.filter(isFree)]),
    };
  });
}

/** What the rows are by their key: those of `supermarket_sales` with an `Invoice ID` are invoices. */
function keyNouns({ profile, keys: { primary } }: Looked, all: readonly Looked[]): string[] {
  const [only, ...others] = primary;
  if (only === undefined || others.length > 0 || !isIdLike(only)) return [];
  const noun = keyThing(only).join(" ");
  const isTaken = all.some(({ profile: { dataset } }) => thingOf(dataset.name).join(" ") === noun);
  const isField = profile.columns.some(({ name }) => partWords(name).join(" ") === noun);
  return noun === "" || isTaken || isField ? [] : [noun];
}

/** The rows of `summer_movies` are movies; but those of `monthly_passengers` are months. */
function shortNoun(name: string, thing: readonly string[]): string[] {
  const last = thing.at(-1) ?? "";
  const isMany =
    thing.length > 1 &&
    longWords(name)
      .map(withUmlauts)
      .some((word) => word !== last && singular(word) === last);
  return isMany && !SUMMED.test(thing[0] ?? "") ? [last] : [];
}

const SUMMED = /^(?:hourly|daily|weekly|monthly|quarterly|yearly|annual)$/;

function isNamedSo({ name, ai }: InferredField["field"], noun: string): boolean {
  return [name.replaceAll("_", " "), ...ai.synonyms].some((each) => each === noun || each === `${noun}s`);
}

/** The fields of shared numbers, which are also called by what they number: "by order", "per order". */
function countedIn(fields: readonly InferredField[], shared: readonly SharedNumber[]): Counted[] {
  return shared.flatMap(({ column, noun }) => {
    const field = fields.find((each) => each.column === column)?.field;
    if (field === undefined) return [];
    field.ai.synonyms.push(noun);
    return [{ noun, field: field.name }];
  });
}

function datasetOf(
  name: string,
  { profile, keys }: Looked,
  fields: readonly InferredField[],
  nouns: readonly string[],
): ModelDataset {
  const { dataset } = profile;
  const fieldFor = (column: string) =>
    fields.find((each) => each.column?.name === column)?.field.name ?? column;
  const isNumbered = keys.primary.length === 0 && !isNamedOnly(profile.dataset.name, fields);
  // Columns of a view query are fields as they are, so what is computed of a column is computed there.
  const made = isNumbered ? fields.filter(isRemade) : [];
  const replaced = made.map(
    ({ field, column }) => `${sqlOf(field.expression)} AS ${quoteName(column?.name ?? "")}`,
  );
  const all = replaced.length === 0 ? "*" : `* REPLACE (${replaced.join(", ")})`;
  const numbered = `SELECT ${all}, row_number() OVER () AS ${ROW_NUMBER} FROM ${quoteName(dataset.name)}`;
  const plainly = (each: InferredField) =>
    made.includes(each)
      ? { ...each.field, expression: expressionOf(quoteName(each.column?.name ?? "")) }
      : each.field;
  const plain = name.replaceAll("_", " ");
  const called = nouns.filter((noun) => noun !== plain);
  return {
    name,
    source: dataset.name,
    viewQuery: isNumbered ? numbered : null,
    primaryKey: isNumbered ? [ROW_NUMBER] : keys.primary.map(fieldFor),
    uniqueKeys: [],
    description: dataset.description,
    ai: aiOf([...called, ...(isDaily(profile, keys) ? ["day"] : [])]),
    fields: [...fields.map(plainly), ...(isNumbered ? [rowNumber()] : [])],
    policies: [],
    extensions: [],
  };
}

/** Computed of a column under the column's own name. */
function isRemade({ field, column }: InferredField): boolean {
  const isPlain = /^(?:\w+|"(?:[^"]|"")+")$/.test(sqlOf(field.expression));
  return column !== null && !isPlain && column.name.toLowerCase() === field.name.toLowerCase();
}

/** One row a day: "days" are its rows. */
function isDaily({ columns }: Looked["profile"], { primary: [only, ...others] }: Looked["keys"]): boolean {
  const key = columns.find(({ name }) => name === only);
  return others.length === 0 && key !== undefined && roleOf(key) === "date";
}

function rowNumber(): ModelDataset["fields"][number] {
  return {
    name: ROW_NUMBER,
    expression: { dialects: [{ dialect: "ANSI_SQL", expression: ROW_NUMBER }] },
    label: null,
    description: "Tells rows apart",
    dataType: "Integer",
    typeText: null,
    isTime: null,
    distinctValues: [],
    ai: aiOf([]),
    extensions: [],
  };
}

/** True if a thing and a time together tell rows apart. */
function isPanel({ keys: { primary } }: Looked, fields: readonly InferredField[]): boolean {
  const roles = primary.map((name) => fields.find(({ column }) => column?.name === name)?.role);
  return roles.length > 1 && roles.some((role) => role === "date" || role === "year");
}

/** Things that have a name which occurs in several rows, as a river has in each state: the name tells them apart. */
function isNamedOnly(dataset: string, fields: readonly InferredField[]): boolean {
  const thing = thingOf(dataset).join(" ");
  const most = Math.max(0, ...fields.map(({ column }) => (column?.kind === "number" ? column.distinct : 0)));
  return fields.some(({ field, role, column }) => {
    const words = longWords(field.name).join(" ");
    const isName = role === "text" && (words === thing || words === `${thing} name`);
    // Where there are more numbers than names, two of one name are two things: used cars of one make.
    return isName && (column?.distinct ?? 0) >= most;
  });
}

/** True if rows are things that happened rather than things that are called something. */
function isEvents(fields: readonly InferredField[], { name }: ModelDataset): boolean {
  const isName = ({ field, role, column }: InferredField) =>
    role === "text" &&
    // What several rows share is the name of something else.
    (column === null || column.distinct > column.filled / 2) &&
    (/(^|_)(name|title|label)$/.test(field.name)
      ? !/_/.test(field.name) || isCalled(field.name, name) || field.name === "full_name"
      : longWords(field.name).join(" ") === thingOf(name).join(" "));
  return !fields.some(isName);
}

function relationshipsOf(joins: readonly Join[], partOf: (looked: Looked) => Part): Relationship[] {
  const taken = new Set<string>();
  return joins.map(({ from, column, to, key }) => {
    const [left, right] = [partOf(from), partOf(to)];
    const fieldOf = ({ fields }: Part, name: string) =>
      fields.find((each) => each.column?.name === name)?.field.name ?? name;
    const fromField = fieldOf(left, column);
    const wanted = `${left.dataset.name}_${right.dataset.name}`;
    const name = taken.has(wanted) ? `${wanted}_by_${fromField}` : wanted;
    taken.add(name);
    const role = keyThing(column);
    const isOther = role.length > 0 && role.join(" ") !== right.thing.join(" ");
    const isVerb = /^(reports|belongs|refers) (to|under)$/.test(role.join(" "));
    return {
      name,
      from: left.dataset.name,
      to: right.dataset.name,
      fromColumns: [fromField],
      toColumns: [fieldOf(right, key)],
      ai: aiOf(isOther && isIdLike(column) && (from !== to || isVerb) ? [role.join(" ")] : []),
      extensions: [],
    };
  });
}

function keyGuesses({ dataset, looked: { profile, keys } }: Part): Guess[] {
  const about = `datasets.${dataset.name}`;
  if (keys.primary.length === 0) {
    const guess = dataset.viewQuery === null ? "no key: told apart by name" : "no key: rows are numbered";
    return [
      { about, guess, sure: "guess", why: "no column, and no two of them, are different in every row" },
    ];
  }
  const rows = profile.rows.toLocaleString("en");
  const why =
    profile.rows === 0
      ? "by its name; there are no rows"
      : `different in every row, and always there (${rows}${profile.isSample ? " and more" : ""} rows)`;
  return [{ about, guess: `key: ${dataset.primaryKey.join(", ")}`, sure: keys.sure, why }];
}

function joinGuess({ sure, why }: Join, { from, to, fromColumns, toColumns, name }: Relationship): Guess {
  return {
    about: `relationships.${name}`,
    guess: `${from}.${fromColumns[0]} → ${to}.${toColumns[0]}`,
    sure,
    why,
  };
}

/** Rows that are sums of others would be counted twice. */
function totalsOf({ dataset, fields, looked }: Part): { sentence: string; guess: Guess }[] {
  return looked.totals.map(({ column, value }) => {
    const field = fields.find((each) => each.column?.name === column)?.field.name ?? column;
    const guess = `${JSON.stringify(value)} is the total of the others`;
    const why = "its numbers are the sums of theirs; questions leave it out unless they name it";
    return {
      sentence: totalSentence(dataset.name, field, value),
      guess: { about: `datasets.${dataset.name}.${field}`, guess, sure: "likely" as const, why },
    };
  });
}

function dateGuesses({ dataset, fields }: Part): Guess[] {
  const dates = fields.filter(({ role }) => role === "date");
  const [first, ...others] = dates;
  if (first === undefined || others.length === 0) return [];
  const why = `of ${dates.length} dates; the first one in the list is meant when a question names none`;
  return [{ about: `datasets.${dataset.name}`, guess: `date: ${first.field.name}`, sure: "likely", why }];
}
