import type { Answer, Result } from "../answer.ts";
import type { ByRules } from "../assist/assist.ts";
import { narrateByModel } from "../assist/narrative.ts";
import { inTheirWords } from "../explain/say.ts";
import { viewOf } from "../explain/view.ts";
import type { Run, Work } from "../work.ts";
import { buildSql } from "./build-sql.ts";
import { execute } from "./execute.ts";
import { explain } from "./explain.ts";
import { likeWithLike } from "./like-with-like.ts";
import { apart } from "./namesakes.ts";
import { navigate } from "./navigate.ts";
import { clarify, refuse, refuseTime } from "./refuse.ts";
import { checksOf, verify } from "./verify.ts";
import { inWholePeriods } from "./whole-periods.ts";
import { withoutTotals } from "./without-totals.ts";

/** All phases after the Planner. */
export async function runPhases(planned: Run, work: Work): Promise<ByRules> {
  const { question, knowledge, query, begin, moment } = work;
  begin("Navigator");
  const said = inTheirWords(likeWithLike(planned.readings, question.text, moment.now));
  const plain = inWholePeriods(withoutTotals(said, knowledge), knowledge, moment.now);
  const { readings, isChosen } = await apart(plain, question, { knowledge, query });
  const { routes, obstacles } = navigate(readings, knowledge.schema, planned.isSettled);
  if (routes.length === 0)
    return { answer: refuse({ missing: [], obstacles }, knowledge, work), isTheirs: false };

  begin("SQL Builder");
  const statements = buildSql(routes);

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
