import type { Answer, Result } from "../answer.ts";
import type { ByRules } from "../assist/assist.ts";
import { narrateByModel } from "../assist/narrative.ts";
import { type Compiled, compile } from "../compile/compile.ts";
import { CompileError, ifCarried } from "../compile/paths.ts";
import { lineageOf } from "../explain/lineage.ts";
import { inTheirWords } from "../explain/say.ts";
import { averagedOver, viewOf } from "../explain/view.ts";
import { t } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Key } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import type { Run, Work } from "../work.ts";
import { buildSql, execute } from "./execute.ts";
import { explain } from "./explain.ts";
import { inWholePeriods, likeWithLike } from "./like-with-like.ts";
import { apart } from "./namesakes.ts";
import { rivalsOf } from "./plan.ts";
import { clarify, refuse, refuseTime } from "./refuse.ts";
import { checksOf, verify } from "./verify.ts";

/** All phases after the Planner. */
export async function runPhases(planned: Run, work: Work): Promise<ByRules> {
  const { question, knowledge, query, begin, moment } = work;
  begin("Navigator");
  const said = inTheirWords(likeWithLike(planned.readings, question.text, moment.now));
  const plain = inWholePeriods(withoutTotals(said, knowledge), knowledge, moment.now);
  const { readings, isChosen } =
    work.isDry === true
      ? { readings: plain, isChosen: false }
      : await apart(plain, question, { knowledge, query });
  const { routes, obstacles } = navigate(readings, knowledge.schema, planned.isSettled);
  if (routes.length === 0)
    return { answer: refuse({ missing: [], obstacles }, knowledge, work), isTheirs: false };

  begin("SQL Builder");
  const statements = buildSql(routes);

  const [first] = statements;
  if (work.isDry === true && first !== undefined)
    return { answer: compiledOnly(first.route, work), isTheirs: true };

  begin("Executor");
  const [only, ...rivals] = statements;
  const checks = rivals.length > 0 || only === undefined ? {} : checksOf(only.route.reading.ask, knowledge);
  // They are remembered until the Verifier asks for them, which asks again where one has failed.
  for (const sql of Object.values(checks)) if (sql !== undefined) query(sql).catch(() => undefined);
  const execution = await execute(statements, work, planned.isSettled || isChosen);
  if (execution.k === "clarify") return { answer: clarify(execution.questions, knowledge), isTheirs: true };
  if (execution.k === "refuse") return { answer: refuseTime(execution.why, knowledge), isTheirs: true };
  const notes = [...(isChosen ? [] : planned.notes), ...execution.notes];
  const answer = await tell(execution.result, work, { notes, rivals: execution.rivals });
  return { answer, isTheirs: planned.isSettled || isChosen };
}

/** The SQL of the best reading, which nobody has run. */
function compiledOnly({ reading, compiled }: Route, { knowledge, moment }: Work): Answer {
  const { ask, said, assumptions } = reading;
  return {
    outcome: "answer",
    model: knowledge.model.name,
    narrative: t`Understood as "${said}". The SQL was not run.`,
    columns: compiled.columns.map(({ name }) => name),
    types: [],
    rows: [],
    totalRows: 0,
    sql: compiled.sql,
    reading: said,
    assumptions: assumptions.map(({ choice }) => choice),
    confidence: null,
    charts: [],
    lineage: lineageOf({ reading, compiled, types: [], rows: [], totalRows: 0 }, knowledge),
    query: { ask, said, ...moment, isPlain: false },
    caveats: [],
    questions: [],
  };
}

/** Verifies and explains a result. */
async function tell(
  result: Result,
  { knowledge, moment, query, question, begin, chart, narrate, isTheirs: isOwn }: Work,
  { notes, rivals }: { notes: readonly string[]; rivals: number },
): Promise<Answer> {
  begin("Verifier");
  const view = viewOf(result, knowledge);
  const verified = await verify(result, view, { knowledge, now: moment.now, query });

  begin("Explainer");
  const material = { question: question.text, result, view, totals: verified.totals, knowledge };
  const told = narrate === undefined ? undefined : await narrateByModel(material, narrate);
  const answer = explain(result, view, { knowledge, verified, notes, rivals, told, chart });
  const { ask, said, assumptions } = result.reading;
  const isPlain = !isOwn && !assumptions.some(({ isTheirs }) => isTheirs === true);
  return { ...answer, query: { ask, said, ...moment, isPlain } };
}

/** A reading with its way through the model: datasets, relationships, dates. */
export interface Route {
  reading: Reading;
  compiled: Compiled;
}

export interface Routes {
  /** The best reading that the model can carry, and its rivals. */
  routes: Route[];
  /** Why others cannot be carried. */
  obstacles: string[];
}

/** The Navigator: which readings the model's relationships can carry, and how. */
export function navigate(readings: readonly Reading[], schema: Schema, isSettled: boolean): Routes {
  const routes: Route[] = [];
  const obstacles: string[] = [];
  for (const reading of readings) {
    // Enough to compare; whatever comes later is worse.
    if (routes.length === (isSettled ? 1 : LIMITS.agent.rivals)) break;
    try {
      const compiled = compile(schema, reading.ask);
      routes.push({ reading: told(reading, compiled, schema), compiled });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      obstacles.push(error.message);
    }
  }
  const rivals = rivalsOf(routes.map(({ reading }) => reading));
  return { routes: routes.filter(({ reading }) => rivals.includes(reading)), obstacles };
}

function told(reading: Reading, { used }: Compiled, schema: Schema): Reading {
  const averaged = averagedOver(used.averages, schema);
  if (averaged.length === 0) return reading;
  return { ...reading, assumptions: [...reading.assumptions, ...averaged] };
}

/** Readings without rows that are sums of the other ones, unless a question says which of them it means. */
function withoutTotals(
  readings: readonly Reading[],
  { schema, definitions }: Pick<Knowledge, "schema" | "definitions">,
): Reading[] {
  const { totals } = definitions;
  if (totals.length === 0) return [...readings];
  return readings.map((reading) => {
    const used = datasetsOf(reading.ask, schema);
    const left = totals.filter(({ key }) => used.has(key.ds) && !isAskedFor(reading.ask, key));
    const ask = left.reduce(leftOut, reading.ask);
    const assumptions = left.map(({ key, value }) => ({
      at: null,
      choice: t`${key.field.replaceAll("_", " ")} "${value}" is the total of the others, and was left out`,
      others: [],
    }));
    return left.length === 0
      ? reading
      : { ...reading, ask, assumptions: [...reading.assumptions, ...assumptions] };
  });
}

function datasetsOf(ask: Ask, schema: Knowledge["schema"]): ReadonlySet<string> {
  return ifCarried(() => compile(schema, ask).used.datasets) ?? new Set();
}

/** Whether there is a condition on the field already. */
function isAskedFor(node: unknown, key: Key): boolean {
  if (typeof node !== "object" || node === null) return false;
  const isOwn = (value: unknown) =>
    typeof value === "object" &&
    value !== null &&
    "field" in value &&
    "ds" in value &&
    value.ds === key.ds &&
    value.field === key.field;
  if ("k" in node && (node.k === "is" || node.k === "null") && "key" in node && isOwn(node.key)) return true;
  return Object.values(node).some((value) => isAskedFor(value, key));
}

function leftOut(ask: Ask, { key, value }: { key: Key; value: string }): Ask {
  const cond: Cond = { k: "not", of: { k: "is", key, values: [value], match: "equal" } };
  const some = narrowed(ask, key.ds, cond) as Ask;
  if (some.k === "list") return some;
  const { scope = {} } = some;
  const all: Cond = scope.if === undefined ? cond : { k: "and", of: [scope.if, cond] };
  return { ...some, scope: { ...scope, if: all } };
}

/** The same with fewer rows in the place of all those of a dataset. */
function narrowed(node: unknown, ds: string, cond: Cond): unknown {
  if (Array.isArray(node)) return node.map((each) => narrowed(each, ds, cond));
  if (typeof node !== "object" || node === null) return node;
  if ("k" in node && node.k === "all" && "ds" in node && node.ds === ds)
    return { k: "where", in: node, if: cond };
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, narrowed(value, ds, cond)]));
}
