import { compile } from "../../src/domains/agent/compile/compile.ts";
import { ifCarried } from "../../src/domains/agent/compile/paths.ts";
import type { Ask } from "../../src/domains/agent/query/semantic-query.ts";
import type { ReaderModels } from "../../src/domains/agent/reader/models.ts";
import { ranked, rankRows, resultKey } from "../../src/domains/agent/reader/rank.ts";
import { decide, isComparable, type Weighed } from "../../src/domains/agent/reader/ranked-reader.ts";
import { understand } from "../../src/domains/agent/understand/understand.ts";
import type { Example } from "./examples.ts";
import { kindOf } from "./gold.ts";
import { isRight, isTied, Runner } from "./run.ts";

export interface Judged {
  example: Example;
  p: number;
  isRight: boolean;
  /** The place of the first right one, among different results; -1 where none is. */
  place: number;
  sql: string;
  /** What the rules make of it, and what both come to. */
  weighed: Weighed;
  isRuledRight: boolean;
  /** Right but for others that share the place. */
  isTied: boolean;
}

/** What the reader makes of questions by itself, without the rules beside it. */
export async function evaluate(examples: readonly Example[], models: ReaderModels): Promise<Judged[]> {
  const runner = new Runner();
  const judged: Judged[] = [];
  for (const example of examples) {
    const { known, results, sql, unknown } = await runner.tried(example, models.slots);
    const order = ranked(rankRows(known, results), models.rank);
    const different = [
      ...new Map(order.toReversed().map((each) => [resultKey(results[each.index]), each])).values(),
    ].toSorted((a, b) => b.score - a.score);
    const filled = different.find(({ index }) => (results[index]?.length ?? 0) > 0) ?? different[0];
    const right = (index: number) =>
      example.isSpoiled !== true && isRight(example.question.rows, results[index] ?? null);
    const ruled = await ruledFor(example, runner);
    const key = ruled.rows === undefined ? undefined : resultKey(ruled.rows);
    const same = order.find(({ index }) => key === resultKey(results[index]));
    judged.push({
      isTied:
        filled !== undefined &&
        isRight(example.question.rows, results[filled.index] ?? null, {
          isTied: isTied(example.question.gold_sql, sql[filled.index] ?? ""),
        }),
      weighed: {
        rules: ruled.k,
        p: filled?.p ?? 0,
        theirP: key === undefined ? 0 : (same?.p ?? 0),
        isComparable: ruled.ask !== undefined && isComparable(ruled.ask),
        isSame: filled !== undefined && key === resultKey(results[filled.index]),
        unknown,
        left: filled === undefined ? 0 : (known[filled.index]?.left ?? 0),
      },
      isRuledRight: ruled.rows !== undefined && isRight(example.question.rows, ruled.rows),
      example,
      p: filled?.p ?? 0,
      isRight: filled !== undefined && right(filled.index),
      place: different.findIndex(({ index }) => right(index)),
      sql: filled === undefined ? "" : (sql[filled.index] ?? ""),
    });
  }
  runner.close();
  return judged;
}

const NOW = { now: "2026-03-31T12:00:00", timeZone: "UTC" };

/** What the rules alone make of a question, without what is near to words that nothing is called by. */
async function ruledFor(
  { question, collected: { knowledge, rows } }: Example,
  runner: Runner,
): Promise<{ k: Weighed["rules"]; ask?: Ask; rows?: Awaited<ReturnType<Runner["rows"]>> }> {
  const { readings, missing, unclear } = understand({ text: question.question, ...NOW }, knowledge);
  if (missing.length > 0) return { k: "refuse" };
  if (unclear.length > 0) return { k: "clarify" };
  for (const { ask } of readings) {
    const sql = ifCarried(() => compile(knowledge.schema, ask).sql);
    if (sql !== undefined) return { k: "run", ask, rows: await runner.rows(rows, sql) };
  }
  return { k: "refuse" };
}

export function report(name: string, judged: readonly Judged[]): void {
  const percent = (some: readonly unknown[]) => ((100 * some.length) / judged.length).toFixed(1);
  const right = judged.filter((each) => each.isRight);
  const within = (most: number) => judged.filter(({ place }) => place >= 0 && place < most);
  console.log(`== ${name}: ${judged.length} questions`);
  console.log(
    `all answered: ${percent(right)} right; among the first three: ${percent(within(3))}; among all that were run: ${percent(within(99))}`,
  );
  for (const least of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
    const answered = judged.filter(({ p }) => p >= least);
    console.log(
      `  p >= ${least}: ${percent(answered.filter((each) => each.isRight))} right, ${percent(answered.filter((each) => !each.isRight))} wrong`,
    );
  }
  const tied = judged.filter((each) => each.isTied);
  console.log(`right but for those that share a place: ${percent(tied)}`);
  const ruled = judged.filter(({ weighed }) => weighed.rules === "run");
  const [ours, asked, theirs] = (["ours", "ask", "rules"] as const).map((verdict) =>
    judged.filter(({ weighed }) => decide(weighed) === verdict),
  ) as [Judged[], Judged[], Judged[]];
  const kept = theirs.filter(({ weighed }) => weighed.rules === "run");
  const good = [...ours.filter((each) => each.isRight), ...kept.filter((each) => each.isRuledRight)];
  const bad = ours.length + kept.length - good.length;
  console.log(
    `rules alone: ${percent(ruled.filter((each) => each.isRuledRight))} right, ${percent(ruled.filter((each) => !each.isRuledRight))} wrong; ` +
      `both: ${percent(good)} right, ${((100 * bad) / judged.length).toFixed(1)} wrong, ${percent(asked)} asked`,
  );
  const kinds = Map.groupBy(judged, ({ example: { gold } }) => (gold === undefined ? "other" : kindOf(gold)));
  const lines = [...kinds]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([kind, all]) => {
      const share = (some: readonly Judged[]) => `${Math.round((100 * some.length) / all.length)}%`;
      return `${kind} ${all.length}: ${share(all.filter((each) => each.isRight))} of ${share(all.filter(({ place }) => place >= 0))}`;
    });
  console.log(lines.join("; "));
}
