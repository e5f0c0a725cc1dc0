import { longWords } from "../../../kernel/name-words.ts";
import { sqlOf } from "../model.ts";
import { aiOf, expressionOf, fieldsOf, type InferredField } from "./fields.ts";
import { ask, type Guess, type Looking, type Profile } from "./profile.ts";
import { spanWords } from "./synonyms.ts";

/** How long it took from the date that rows go by until another date of theirs. */
export interface Span {
  from: string;
  to: string;
  unit: "days" | "hours" | "minutes";
}

/** Dates of one dataset that are looked at. */
const MOST_DATES = 6;
/** Share of the rows in which the later date may come first, by mistake. */
const BACKWARDS = 0.01;
/** Of fewer rows nothing is said. */
const FEWEST = 3;
const LOOKED_AT = 200_000;

/** Looks whether other dates of a dataset follow the one that its rows go by. */
export async function spansOf(looking: Looking, profile: Profile): Promise<Span[]> {
  const [first, ...others] = fieldsOf(profile).filter(
    ({ role, column }) => role === "date" && column !== null,
  );
  const later = others.filter(({ column }) => (column?.filled ?? 0) > 0).slice(0, MOST_DATES);
  if (first?.column == null || later.length === 0) return [];
  const { visible: _, ...tableView } = await looking.data.tableView(
    looking.caller,
    profile.dataset,
    "looked",
  );
  const start = sqlOf(first.field.expression);
  const facts = later.map(({ field }) => {
    const seconds = `date_diff('second', ${start}, ${sqlOf(field.expression)})`;
    return `count(${seconds}), count(*) FILTER (WHERE ${seconds} < 0), avg(${seconds})`;
  });
  const [row = []] = await ask(
    looking,
    [tableView],
    `SELECT ${facts.join(", ")} FROM (SELECT * FROM looked LIMIT ${LOOKED_AT})`,
  );
  return later.flatMap(({ field, column }, i) => {
    const [both = 0, back = 0, mean = 0] = row.slice(i * 3, i * 3 + 3).map(Number);
    if (column === null || both < FEWEST || back > both * BACKWARDS || mean <= 0) return [];
    const isDay = [first.field, field].some(({ dataType }) => dataType === "Date");
    const unit = isDay || mean > 14 * 86_400 ? "days" : mean < 3 * 3_600 ? "minutes" : "hours";
    return [{ from: first.field.name, to: field.name, unit }];
  });
}

const SECONDS = { days: 86_400, hours: 3_600, minutes: 60 };

/** Numbers of a dataset that say how long something took. */
export function durationFields(spans: readonly Span[], fields: readonly InferredField[]): InferredField[] {
  const named = new Map(fields.map((each) => [each.field.name, each]));
  return spans.flatMap(({ from, to, unit }): InferredField[] => {
    const [start, end] = [named.get(from), named.get(to)];
    const name = `${unit}_to_${to}`;
    if (start === undefined || end === undefined || named.has(name)) return [];
    const dates = [start, end].map((each) => sqlOf(each.field.expression));
    const isDay = unit === "days" && [start, end].some(({ field }) => field.dataType === "Date");
    const sql = isDay
      ? `date_diff('day', ${dates.join(", ")})`
      : `date_diff('second', ${dates.join(", ")}) / ${SECONDS[unit]}.0`;
    const until = longWords(to).join(" ");
    const [first, last] = [from, to].map((each) => each.replaceAll("_", " "));
    const field: InferredField["field"] = {
      name,
      expression: expressionOf(sql),
      label: null,
      description: `In ${unit}, from ${first} to ${last}`,
      dataType: isDay ? "Integer" : "Float",
      typeText: null,
      isTime: null,
      distinctValues: [],
      ai: aiOf([`time to ${until}`, `time until ${until}`, `${until} time`, ...spanWords(from, to)]),
      extensions: [],
    };
    return [{ field, role: "rate", column: null }];
  });
}

export function durationGuesses(dataset: string, spans: readonly Span[]): Guess[] {
  return spans.map(({ from, to, unit }) => ({
    about: `datasets.${dataset}`,
    guess: `${unit}_to_${to}: from ${from} to ${to}`,
    sure: "likely",
    why: "the one date hardly ever comes before the other",
  }));
}
