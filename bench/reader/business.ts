import { compile } from "../../src/domains/agent/compile/compile.ts";
import { ifCarried } from "../../src/domains/agent/compile/paths.ts";
import type { Knowledge } from "../../src/domains/agent/knowledge/build-knowledge.ts";
import { whereAll } from "../../src/domains/agent/query/parts.ts";
import type { Ask, Cond, Grain, Key, Num, Rel } from "../../src/domains/agent/query/semantic-query.ts";
import { link } from "../../src/domains/agent/reader/link.ts";
import {
  type Column,
  type LinkSchema,
  linkSchemaOf,
  type Table,
} from "../../src/domains/agent/reader/schema.ts";
import { languageOfQuestion } from "../../src/domains/agent/reader/words.ts";
import type { Example } from "./examples.ts";
import { Runner } from "./run.ts";
import { bucketOf } from "./sets.ts";

/** Questions that are asked of one set. */
const MOST = 60;

/**
 * Questions of people who run something: how much there was in which period, by month, growth, the best of a period.
 * Hardly any set of questions has them; here they are made of tables with a date, and their rows by the query itself.
 */
export async function businessQuestions(examples: readonly Example[]): Promise<Example[]> {
  const runner = new Runner();
  const made: Example[] = [];
  for (const [set, [example]] of Map.groupBy(examples, (each) => `${each.set} ${each.collected.name}`)) {
    if (example === undefined) continue;
    const asked = questionsFor(example).toSorted((a, b) => order(set, a) - order(set, b));
    let left = MOST;
    for (const { text, ask, now } of asked) {
      if (left === 0) break;
      const { knowledge, rows: path } = example.collected;
      const sql = ifCarried(() => compile(knowledge.schema, ask).sql);
      const rows = sql === undefined ? null : await runner.rows(path, sql);
      if (rows === null || rows.length === 0 || rows.length > 200 || rows.flat().includes(null)) continue;
      left -= 1;
      // Of what is first it is enough to say which it is.
      const gold = ask.k === "table" && ask.top !== undefined ? rows.map((row) => row.slice(0, 1)) : rows;
      const schema = linkSchemaOf(knowledge, languageOfQuestion(text));
      const question = { id: `${set} ${text}`, question: text, rows: gold, ordered: false, gold_sql: "" };
      const isSeries = ask.k === "table" && ask.by.some(({ bucket }) => bucket !== undefined);
      made.push({
        ...{ ...example, question, schema, linked: link(schema, text), gold: undefined, now },
        ...(isSeries && { hasGaps: true as const }),
      });
    }
  }
  runner.close();
  return made;
}

const order = (set: string, { text }: Asked) => bucketOf(`${set} ${text}`, 1_000_000);

interface Asked {
  text: string;
  ask: Ask;
  now: string;
}

const MONEY = /amount|price|cost|salary|revenue|sales|payment|fee|budget|income|value|total/;
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const MONATE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(
  " ",
);

/** What is asked about one table with one date. */
interface About {
  table: Table;
  rows: string;
  date: Key;
  first: number;
  last: number;
  now: string;
  month: number;
  measure: Column | undefined;
  /** There is no other that its rows could be about. */
  isOnlyMeasure: boolean;
  group: Group | undefined;
  other: Group | undefined;
}

interface Group {
  key: Key;
  words: string;
  values: readonly string[];
}

function questionsFor({ schema, collected: { knowledge } }: Example): Asked[] {
  return schema.tables.flatMap((table) => {
    const own = table.columns.map((i) => schema.columns[i] as Column);
    const dates = own.filter(({ kind }) => kind === "date");
    const [date] = dates;
    const period = knowledge.schema.periods?.find(({ ds, field }) => ds === date?.ds && field === date.field);
    if (date === undefined || dates.length > 1 || period === undefined) return [];
    const [first, last] = [Number(period.first.slice(0, 4)), Number(period.last.slice(0, 4))];
    if (first < 1900 || last > 2100) return [];
    const measures = own.filter((each) => isMeasure(each) && isOnlyOne(schema, each));
    const words = table.words.join(" ");
    const about: Omit<About, "measure" | "group" | "other"> = {
      ...{ table, rows: words.endsWith("s") ? words : `${words}s`, date: { ds: date.ds, field: date.field } },
      isOnlyMeasure: measures.length === 1,
      ...{ first, last, now: `${period.last.slice(0, 10)}T12:00:00`, month: Number(period.last.slice(5, 7)) },
    };
    const groups = groupsOf(schema, table, knowledge);
    const pairs = [undefined, ...measures.slice(0, 3)].flatMap((measure) =>
      (groups.length === 0 ? [undefined] : groups.slice(0, 2)).map((group) => ({
        ...{ measure, group, other: groups.find((each) => each !== group) },
      })),
    );
    return pairs.flatMap((pair) => [...asksOf({ ...about, ...pair })]);
  });
}

function isMeasure({ kind, isId, isKey, foreign, hasYear, distinct }: Column): boolean {
  return kind === "number" && !isId && !isKey && foreign < 0 && !hasYear && distinct > 2;
}

function isOnlyOne({ columns }: LinkSchema, { words, index }: Column): boolean {
  return !columns.some((each) => each.index !== index && each.words.join(" ") === words.join(" "));
}

function groupsOf({ columns, tables, edges }: LinkSchema, table: Table, knowledge: Knowledge): Group[] {
  const valuesOf = (key: Key) =>
    knowledge.values.find(({ ds, field }) => ds === key.ds && field === key.field)?.values ?? [];
  const own = table.columns
    .map((i) => columns[i] as Column)
    .filter(
      ({ kind, isId, isUnique, distinct }) =>
        kind === "text" && !isId && !isUnique && distinct > 1 && distinct < 40,
    )
    .map(({ ds, field, words }) => ({
      key: { ds, field },
      words: words.join(" "),
      values: valuesOf({ ds, field }),
    }));
  const linked = edges.flatMap(({ from, to }) => {
    const label = columns[tables[to]?.label ?? -1];
    const isOne = edges.filter((edge) => edge.from === from && edge.to === to).length === 1;
    if (from !== table.index || !isOne || label?.kind !== "text" || !label.isUnique) return [];
    const key = { ds: label.ds, field: label.field };
    return [{ key, words: (tables[to] as Table).words.join(" "), values: valuesOf(key) }];
  });
  return [...linked, ...own];
}

function* asksOf(about: About): Generator<Asked> {
  const { table, rows, date, first, last, now, month, measure, group, isOnlyMeasure, other } = about;
  const all: Rel = { k: "all", ds: table.ds };
  const during = (from: string | null, to: string | null): Cond => ({
    k: "during",
    win: { from, to, on: date, said: "" },
  });
  const inYear = (year: number) => during(`${year}-01-01`, `${year + 1}-01-01`);
  const num = (fn: "sum" | "avg" | "max" | "min", ...conds: Cond[]): Num =>
    measure === undefined
      ? { k: "agg", fn: "count", in: whereAll(all, conds) }
      : { k: "agg", fn, of: { ds: measure.ds, field: measure.field }, in: whereAll(all, conds) };
  const table1 = (by: Key[], ...cols: Num[]): Ask => ({ k: "table", by, cols });
  const per = (grain: Grain): Key => ({ ...date, bucket: grain });
  const top = (by: Key, n: number, of: Num, dir: "max" | "min" = "max"): Ask => ({
    ...{ k: "table", by: [by], cols: [of] },
    top: { n, by: of, dir, ties: n === 1 ? "keep" : "cut" },
  });
  const said = (text: string, ask: Ask): Asked => ({ text, ask, now });
  const year = first + (bucketOf(`${table.ds} ${measure?.field}`, 97) % (last - first + 1));
  const inMonth = (y: number, m: number) =>
    during(
      `${y}-${String(m).padStart(2, "0")}-01`,
      m === 12 ? `${y + 1}-01-01` : `${y}-${String(m + 1).padStart(2, "0")}-01`,
    );
  const english = MONTHS[month - 1];
  const german = MONATE[month - 1];
  if (measure === undefined) {
    const count = (...conds: Cond[]) => num("sum", ...conds);
    yield said(`How many ${rows} were there in ${year}?`, table1([], count(inYear(year))));
    yield said(`How many ${rows} did we have?`, table1([], count()));
    yield said(`how many ${rows}?`, table1([], count()));
    yield said(`number of ${rows} in ${english} ${last}`, table1([], count(inMonth(last, month))));
    yield said(`${rows} in ${year}`, table1([], count(inYear(year))));
    yield said(`how many ${rows} since ${year}`, table1([], count(during(`${year}-01-01`, null))));
    yield said(`How many ${rows} before ${year + 1}?`, table1([], count(during(null, `${year + 1}-01-01`))));
    yield said(`number of ${rows} last year`, table1([], count(inYear(last - 1))));
    yield said(`how many ${rows} this month?`, table1([], count(inMonth(last, month))));
    yield said(`${rows} per month in ${year}`, table1([per("month")], count(inYear(year))));
    yield said(`number of ${rows} by year`, table1([per("year")], count()));
    yield said(`how many ${rows} per quarter in ${last}?`, table1([per("quarter")], count(inYear(last))));
    yield said(`Wie viele ${rows} gab es ${year}?`, table1([], count(inYear(year))));
    yield said(`Anzahl der ${rows} im ${german} ${last}`, table1([], count(inMonth(last, month))));
    yield said(`Wie viele ${rows} gab es pro Jahr?`, table1([per("year")], count()));
    if (group === undefined) return;
    const { key, words } = group;
    yield said(`number of ${rows} by ${words} in ${year}`, table1([key], count(inYear(year))));
    yield said(`Which ${words} had the most ${rows} in ${year}?`, top(key, 1, count(inYear(year))));
    yield said(`top 3 ${words} by number of ${rows} in ${year}`, top(key, 3, count(inYear(year))));
    yield said(`Anzahl ${rows} je ${words} in ${year}`, table1([key], count(inYear(year))));
    const some = valuesIn(group, table.ds);
    if (some === undefined) return;
    const [a, b] = some;
    const is = (...values: string[]): Cond => ({ k: "is", key, values, match: "equal" });
    yield said(
      `how many ${rows} of ${a} in ${english} ${last}?`,
      table1([], count(is(a), inMonth(last, month))),
    );
    yield said(
      `how many ${rows} of ${b} were there in ${english} ${year}?`,
      table1([], count(is(b), inMonth(year, month))),
    );
    yield said(`how many ${rows} of ${a} in ${year}`, table1([], count(is(a), inYear(year))));
    yield said(`${rows} of ${a} by month in ${year}`, table1([per("month")], count(is(a), inYear(year))));
    yield said(`how many ${rows} excluding ${a} and ${b}?`, table1([], count({ k: "not", of: is(a, b) })));
    const [c] = (other === undefined ? undefined : valuesIn(other, rows)) ?? [];
    if (other !== undefined && c !== undefined) {
      const neither: Cond[] = [
        { k: "not", of: is(a) },
        { k: "not", of: { k: "is", key: other.key, values: [c], match: "equal" } },
      ];
      yield said(`how many ${rows} excluding ${a} and ${c}?`, table1([], count(...neither)));
      yield said(`how many ${rows} except for ${c} or ${a}?`, table1([], count(...neither)));
      yield said(`how many ${rows} without ${a} and without ${c}?`, table1([], count(...neither)));
      yield said(`Wie viele ${rows} ohne ${a} und ${c}?`, table1([], count(...neither)));
      yield said(`${rows} of ${a} by ${other.words}`, table1([other.key], count(is(a))));
    }
    yield said(`how many ${rows} without ${a}`, table1([], count({ k: "not", of: is(a) })));
    yield said(`how many ${rows} are not ${a}?`, table1([], count({ k: "not", of: is(a) })));
    yield said(`number of ${rows} for ${a} and ${b}`, table1([key], count(is(a, b))));
    yield said(`compare ${a} and ${b} by number of ${rows}`, table1([key], count(is(a, b))));
    yield said(`what share of ${rows} are ${a}?`, table1([], share(count(is(a)), count())));
    yield said(
      `share of ${a} in ${rows} in ${year}`,
      table1([], share(count(is(a), inYear(year)), count(inYear(year)))),
    );
    yield said(`Wie viele ${rows} ohne ${a}?`, table1([], count({ k: "not", of: is(a) })));
    yield said(`Anteil von ${a} an den ${rows}`, table1([], share(count(is(a)), count())));
    return;
  }
  const m = measure.words.join(" ");
  yield said(`total ${m} in ${year}`, table1([], num("sum", inYear(year))));
  yield said(
    `What was the total ${m} of ${rows} in ${english} ${last}?`,
    table1([], num("sum", inMonth(last, month))),
  );
  yield said(`average ${m} in ${year}`, table1([], num("avg", inYear(year))));
  yield said(`average ${m} of ${rows} since ${year}`, table1([], num("avg", during(`${year}-01-01`, null))));
  yield said(`highest ${m} in ${year}`, table1([], num("max", inYear(year))));
  yield said(`total ${m} last year`, table1([], num("sum", inYear(last - 1))));
  yield said(`total ${m} by month in ${year}`, table1([per("month")], num("sum", inYear(year))));
  yield said(`average ${m} per quarter`, table1([per("quarter")], num("avg")));
  yield said(`total ${m} by year`, table1([per("year")], num("sum")));
  yield said(`Show the average ${m} of ${rows} for each year`, table1([per("year")], num("avg")));
  yield said(`Summe ${m} pro Jahr`, table1([per("year")], num("sum")));
  yield said(`durchschnittliche ${m} der ${rows} in ${year}`, table1([], num("avg", inYear(year))));
  const some0: Cond = {
    k: "cmp",
    a: { ds: measure.ds, field: measure.field },
    op: ">",
    b: { k: "lit", v: 0 },
  };
  const rowsWith = (...conds: Cond[]): Num => ({ k: "agg", fn: "count", in: whereAll(all, conds) });
  if (measure.isWhole && measure.min === 0) {
    yield said(`how many ${rows} with ${m}?`, table1([], rowsWith(some0)));
    yield said(`share of ${rows} with ${m}`, table1([], share(rowsWith(some0), rowsWith())));
    if (group !== undefined)
      yield said(`${rows} with ${m} by ${group.words}`, table1([group.key], rowsWith(some0)));
  }
  const row = table.words.join(" ").replace(/s$/, "");
  if (isOnlyMeasure && MONEY.test(m)) {
    yield said(`average ${row} in ${year}`, table1([], num("avg", inYear(year))));
    yield said(`average ${row}`, table1([], num("avg")));
    yield said(`how much money in ${year}?`, table1([], num("sum", inYear(year))));
    yield said(`total money by year`, table1([per("year")], num("sum")));
    if (group !== undefined) {
      const { key, words } = group;
      yield said(`average ${row} by ${words}`, table1([key], num("avg")));
      yield said(`average ${row} per ${words} in ${year}`, table1([key], num("avg", inYear(year))));
      yield said(`Which ${words} had the most money?`, top(key, 1, num("sum")));
      yield said(`money by ${words}`, table1([key], num("sum")));
    }
  }
  if (year > first) {
    const growth: Num = {
      k: "calc",
      op: "growth",
      a: num("sum", inYear(year)),
      b: num("sum", inYear(year - 1)),
    };
    yield said(`growth of total ${m} from ${year - 1} to ${year}`, table1([], growth));
  }
  if (group === undefined) return;
  const { key, words } = group;
  const some = valuesIn(group, measure.field);
  if (some !== undefined) {
    const [a, b] = some;
    const is = (...values: string[]): Cond => ({ k: "is", key, values, match: "equal" });
    yield said(`total ${m} of ${a}`, table1([], num("sum", is(a))));
    yield said(`average ${m} of ${a} in ${year}`, table1([], num("avg", is(a), inYear(year))));
    yield said(`compare ${a} and ${b} by average ${m}`, table1([key], num("avg", is(a, b))));
    yield said(`How do ${a} and ${b} compare on total ${m}?`, table1([key], num("sum", is(a, b))));
    yield said(`total ${m} excluding ${a}`, table1([], num("sum", { k: "not", of: is(a) })));
    yield said(`what share of total ${m} went to ${a}?`, table1([], share(num("sum", is(a)), num("sum"))));
    yield said(`${a} ${m} by month in ${year}`, table1([per("month")], num("sum", is(a), inYear(year))));
  }
  const bound = Math.round(measure.min + (measure.max - measure.min) * 0.6);
  const over = (of: Num): Ask => ({
    ...{ k: "table", by: [key], cols: [of] },
    having: { k: "cmp", a: of, op: ">", b: { k: "lit", v: bound } },
  });
  yield said(`which ${words} had more than ${bound} ${m} in total?`, over(num("sum")));
  yield said(`${words} with total ${m} above ${bound} in ${year}`, over(num("sum", inYear(year))));
  yield said(`median ${m} by ${words}`, table1([key], { ...num("avg"), fn: "median" } as Num));
  yield said(`total ${m} by ${words} in ${year}`, table1([key], num("sum", inYear(year))));
  yield said(`average ${m} per ${words} in ${year}`, table1([key], num("avg", inYear(year))));
  yield said(`average ${m} by ${words}`, table1([key], num("avg")));
  yield said(`top 3 ${words} by ${m}`, top(key, 3, num("sum")));
  yield said(`top 5 ${words} by ${m} in ${year}`, top(key, 5, num("sum", inYear(year))));
  yield said(`${words} with the most ${m} in ${year}`, top(key, 1, num("sum", inYear(year))));
  yield said(`${m} by ${words}`, table1([key], num("sum")));
  if (isOnlyMeasure && MONEY.test(m)) {
    yield said(`which ${words} paid more than ${bound} in total?`, over(num("sum")));
    yield said(`Which ${words} gave the most?`, top(key, 1, num("sum")));
  }
  yield said(`top 1 ${words} by ${m}`, top(key, 1, num("sum")));
  yield said(`Which ${words} has the most ${m} in total?`, top(key, 1, num("sum")));
  yield said(`top 3 ${words} by total ${m}`, top(key, 3, num("sum")));
  yield said(`top 5 ${words} by total ${m} in ${year}`, top(key, 5, num("sum", inYear(year))));
  yield said(`Which ${words} had the highest total ${m} in ${year}?`, top(key, 1, num("sum", inYear(year))));
  yield said(`Which ${words} has the lowest average ${m}?`, top(key, 1, num("avg"), "min"));
  yield said(`gesamte ${m} nach ${words} in ${year}`, table1([key], num("sum", inYear(year))));
}

const share = (a: Num, b: Num): Num => ({ k: "calc", op: "/", a, b });

/** Two values that can be told from other words. */
function valuesIn({ values }: Group, seed: string): [string, string] | undefined {
  const some = values.filter((value) => /^\p{Lu}[\p{L} ]{3,24}$/u.test(value));
  const start = some.length === 0 ? 0 : bucketOf(seed, some.length);
  const [a, b] = [some[start], some[(start + 1) % Math.max(1, some.length)]];
  return a === undefined || b === undefined || a === b ? undefined : [a, b];
}
