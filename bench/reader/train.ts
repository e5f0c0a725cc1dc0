import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packed } from "../../src/domains/agent/reader/classifiers.ts";
import { packOf, type RankModels, type SlotModels } from "../../src/domains/agent/reader/models.ts";
import { rankRows } from "../../src/domains/agent/reader/rank.ts";
import { evaluate, report } from "./evaluate.ts";
import { type Example, examplesIn, spoiled } from "./examples.ts";
import { learnSlots } from "./learn.ts";
import { learnTrees } from "./learners.ts";
import { isRight, isTied, Runner } from "./run.ts";
import { bucketOf, UNREAD } from "./sets.ts";
import { otherStyles } from "./styles.ts";

const RANK = { trees: 120, rate: 0.12, share: 0.5 };

const started = performance.now();
const log = (text: string) => console.log(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${text}`);

/** Learns the weights of the reader from the sets collected in a folder, and says how well it reads those left unread. */
export async function train(
  folder: string,
  { part, without, weights }: { part: number; without: readonly string[]; weights: string },
): Promise<void> {
  const isKept = (name: string) => !UNREAD.has(name) && !without.includes(name);
  const asked = examplesIn(folder, isKept).filter(({ question }) => bucketOf(question.id, 100) < part * 100);
  const all = [...asked, ...otherStyles(asked)];
  log(
    `${all.length} questions, ${all.filter(({ gold }) => gold !== undefined).length} with a query that is read`,
  );
  const slots = learnSlots(all);
  log("parts of queries are learned");
  const rank = await learnRank([...all, ...spoiled(all)], slots.without);
  log("whole queries are learned");
  const file = packed(packOf({ slots: slots.all, rank }));
  mkdirSync(join(weights, ".."), { recursive: true });
  writeFileSync(weights, file);
  log(`${(file.length / 1_000).toFixed(0)} KB in ${weights}`);
  const unread = examplesIn(folder, (name) => UNREAD.has(name) || without.includes(name));
  for (const [name, examples] of Map.groupBy(unread, ({ set }) => (without.includes(set) ? set : "unread")))
    report(name, await evaluate(examples, { slots: slots.all, rank }));
  log("done");
}

/** The ranking of whole queries, from what comes of candidates that models without their fold have put together. */
async function learnRank(examples: readonly Example[], without: readonly SlotModels[]): Promise<RankModels> {
  const rows: Float32Array[] = [];
  const right: number[] = [];
  const groups: number[] = [];
  const runner = new Runner();
  const inOrder = examples.toSorted((a, b) => (a.collected.rows < b.collected.rows ? -1 : 1));
  let reachable = 0;
  for (const [group, example] of inOrder.entries()) {
    const { known, results, sql } = await runner.tried(example, without[example.fold] as SlotModels);
    const gold = example.question.rows;
    const judge = (isExact: boolean) =>
      results.map(
        (got, i) =>
          example.isSpoiled !== true &&
          isRight(gold, got, { isExact, isTied: isTied(example.question.gold_sql, sql[i] ?? "") }),
      );
    const exact = judge(true);
    const labels = exact.some(Boolean) ? exact : judge(false);
    if (labels.some(Boolean)) reachable += 1;
    for (const [i, row] of rankRows(known, results).entries()) {
      rows.push(row);
      right.push(labels[i] === true ? 1 : 0);
      groups.push(group);
    }
  }
  runner.close();
  log(
    `${rows.length} candidates; the right one is among them for ${((100 * reachable) / inOrder.length).toFixed(1)} %`,
  );
  return {
    point: learnTrees(rows, right, { ...RANK, depth: 6 }),
    list: learnTrees(rows, right, { ...RANK, depth: 5, groups }),
  };
}
