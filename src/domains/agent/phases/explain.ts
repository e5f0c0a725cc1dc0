import type { Answer, Result } from "../answer.ts";
import { homesIn } from "../compile/paths.ts";
import { startsOf } from "../compile/series.ts";
import { chartsOf, pictureOf } from "../explain/chart.ts";
import { show } from "../explain/format.ts";
import { lineageOf } from "../explain/lineage.ts";
import { narrate } from "../explain/narrative.ts";
import { inWords, type View } from "../explain/view.ts";
import { calledIn, period, t, word } from "../explain/words.ts";
import type { Wish } from "../follow-up/turn.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import { datasetIn } from "../query/parts.ts";
import type { Key, Num } from "../query/semantic-query.ts";
import { lastDayBefore } from "./data-period.ts";
import type { Verified } from "./verify.ts";

/** Readings that depend on a choice are less certain by this much for each. */
const CHOICE_DOUBT = 0.1;
const RIVAL_DOUBT = 0.1;
const EMPTY_DOUBT = 0.2;
/** What a reading costs counts this much, up to a bound: costs are comparable, but of no meaning by themselves. */
const COST_DOUBT = 0.1;
const COST_DOUBT_MOST = 0.4;
const LEAST_CONFIDENCE = 0.05;
const MOST_CONFIDENCE = 0.95;
/** Where somebody has confirmed what the question means. */
const VERIFIED_CONFIDENCE = 0.99;

interface Context {
  knowledge: Knowledge;
  verified: Verified;
  /** What the other phases have to say about how the answer came about. */
  notes: readonly string[];
  rivals: number;
  /** What stands behind our own first sentence instead of ours, where somebody else has written what holds. */
  told?: string | undefined;
  /** What they want to see. */
  chart?: Wish | undefined;
}

/** The Explainer: the answer in words, charts and lineage; every number is of the result, or follows from it. */
export function explain(result: Result, view: View, context: Context): Answer {
  const { reading, compiled, rows, totalRows } = result;
  const { knowledge, verified, notes, rivals, chart } = context;
  const { caveats, totals, emptiness, cut } = verified;
  const assumptions = reading.assumptions.map(({ choice }) => choice);
  const isEmpty = isWithoutNumbers(view);
  const ours =
    emptiness.length > 0 || isEmpty
      ? nothing(
          reading.said,
          emptiness,
          isEmpty ? undefined : narrate(result, view, { knowledge, totals, cut }),
        )
      : narrate(result, view, { knowledge, totals, cut });
  const [first] = ours.split("\n\n");
  const told = context.told === undefined ? ours : `${first}\n\n${context.told}`;
  const { verifiedBy } = reading;
  const verdict = verifiedBy && t`*Verified by ${verifiedBy}.*`;
  const assumed = assumptions.map((choice) => `- ${inWords(choice)}`).join("\n");
  const narrative = [told, basisOf(result, knowledge), verdict, assumed && `${t`Assumed:`}\n${assumed}`]
    .filter(Boolean)
    .join("\n\n");
  const open = reading.assumptions.filter(
    ({ others, isGuess }) => others.length > 0 || isGuess === true,
  ).length;
  const { said: words, ask } = reading;
  const periods = compiled.series && startsOf(knowledge.schema, compiled.series);
  const drawn = { said: words, ask, schema: knowledge.schema, periods };
  const charts = chart === "none" ? [] : chartsOf(view, { ...drawn, wish: chart });
  const isDrawn = chart === undefined || chart === "none" || charts.some(({ type }) => type === chart);
  const undrawn = isDrawn ? [] : [t`This cannot be drawn as a ${word(chart)} chart.`];
  const doubt =
    CHOICE_DOUBT * open +
    RIVAL_DOUBT * rivals +
    (rows.length === 0 ? EMPTY_DOUBT : 0) +
    Math.min(COST_DOUBT_MOST, Math.max(0, reading.cost) * COST_DOUBT);
  const most = verifiedBy === undefined ? MOST_CONFIDENCE : VERIFIED_CONFIDENCE;
  return {
    outcome: "answer",
    model: knowledge.model.name,
    narrative,
    columns: compiled.columns.map(({ name }) => name),
    types: result.types,
    rows,
    totalRows,
    sql: compiled.sql,
    reading: reading.said,
    assumptions: [...(verifiedBy === undefined ? [] : [t`verified by ${verifiedBy}`]), ...assumptions],
    confidence: Math.max(LEAST_CONFIDENCE, Math.round((most - doubt) * 100) / 100),
    charts,
    picture: pictureOf(view, charts, { title: inWords(reading.said), cut }),
    lineage: lineageOf(result, knowledge),
    caveats: [...notes, ...undrawn, ...caveats],
    questions: [],
  };
}

/** The days that were looked at, and by which date: the text before names only the period, or none. */
function basisOf({ compiled: { used }, reading }: Result, knowledge: Knowledge): string {
  const said = used.windows.map(({ date, win }) => {
    const days = [...win.said.matchAll(/\(([^()]*)\)/g)].map(([, text]) => text).join(" and ");
    return t`${period(days === "" ? win.said : days)} by ${calledIn(`${date.ds}.${date.field}`) ?? inWords(date.field).toLowerCase()}`;
  });
  const held = used.earlier.flatMap(({ win: { from, to } }) =>
    from === null || to === null
      ? []
      : [t`held against ${period(from.slice(0, 10))} to ${period(lastDayBefore(to))}`],
  );
  if (said.length > 0) return t`*Period: ${[...new Set([...said, ...held])].join("; ")}.*`;
  const data = daysBy(reading.ask.k === "table" ? dateOf(reading.ask.cols, knowledge) : undefined, knowledge);
  if (data === undefined) return "";
  const [first, last] = [data.first, data.last].map((day) =>
    show(day, { kind: "period", grain: "day", isFiscal: false }),
  ) as [string, string];
  return t`*Period: all there is, ${first} to ${last} by ${calledIn(`${data.ds}.${data.field}`) ?? inWords(data.field).toLowerCase()}.*`;
}

/** The date that a number of what happened goes by where none is named; customers are there always. */
function dateOf([num]: readonly Num[], { schema }: Pick<Knowledge, "schema">): Key | null | undefined {
  if (num?.k === "each") return dateOf([num.of], { schema });
  if (num?.k === "metric") {
    const { date, formula } = schema.metrics.get(num.name) ?? {};
    const [home] = formula?.aggregates.flatMap((aggregate) => homesIn(schema, aggregate)) ?? [];
    return date ?? (home === undefined ? undefined : schema.datasets.get(home)?.date);
  }
  const ds = num?.k === "agg" ? (num.in === undefined ? num.of?.ds : datasetIn(num.in)) : undefined;
  const { date, nameField } = schema.datasets.get(ds ?? "") ?? {};
  return /(^|_)(name|title)$/i.test(nameField ?? "") ? undefined : date;
}

/** No rows, or periods in none of which there is anything. */
function isWithoutNumbers({ rows, keys, numbers }: View): boolean {
  if (rows.length === 0) return true;
  if (keys.length === 0 || numbers.length === 0) return false;
  return rows.every((row) => numbers.every(({ index }) => row[index] === null));
}

/** That there is nothing is an answer; which condition is the reason, and what there is instead, helps on. */
function nothing(said: string, reasons: readonly string[], told: string | undefined): string {
  return [told ?? t`${inWords(said)}: nothing was found.`, ...reasons].join("\n\n");
}
