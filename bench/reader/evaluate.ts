import type { ReaderModels } from "../../src/domains/agent/reader/models.ts";
import { ranked, rankRows, resultKey } from "../../src/domains/agent/reader/rank.ts";
import type { Example } from "./examples.ts";
import { kindOf } from "./gold.ts";
import { isRight, Runner } from "./run.ts";

export interface Judged {
  example: Example;
  p: number;
  isRight: boolean;
  /** The place of the first right one, among different results; -1 where none is. */
  place: number;
  sql: string;
}

/** What the reader makes of questions by itself, without the rules beside it. */
export async function evaluate(examples: readonly Example[], models: ReaderModels): Promise<Judged[]> {
  const runner = new Runner();
  const judged: Judged[] = [];
  for (const example of examples) {
    const { known, results, sql } = await runner.tried(example, models.slots);
    const order = ranked(rankRows(known, results), models.rank);
    const different = [
      ...new Map(order.toReversed().map((each) => [resultKey(results[each.index]), each])).values(),
    ].toSorted((a, b) => b.score - a.score);
    const filled = different.find(({ index }) => (results[index]?.length ?? 0) > 0) ?? different[0];
    const right = (index: number) =>
      example.isSpoiled !== true && isRight(example.question.rows, results[index] ?? null);
    judged.push({
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
  const kinds = Map.groupBy(judged, ({ example: { gold } }) => (gold === undefined ? "other" : kindOf(gold)));
  const lines = [...kinds]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([kind, all]) => {
      const share = (some: readonly Judged[]) => `${Math.round((100 * some.length) / all.length)}%`;
      return `${kind} ${all.length}: ${share(all.filter((each) => each.isRight))} of ${share(all.filter(({ place }) => place >= 0))}`;
    });
  console.log(lines.join("; "));
}
