import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packed } from "../../src/domains/agent/reader/classifiers.ts";
import { packOf, type RankModels, type SlotModels } from "../../src/domains/agent/reader/models.ts";
import { rankRows } from "../../src/domains/agent/reader/rank.ts";
import { businessQuestions } from "./business.ts";
import { evaluate, type Judged, report } from "./evaluate.ts";
import { type Example, examplesIn, spoiled } from "./examples.ts";
import { learnSlots } from "./learn.ts";
import { learnTrees } from "./learners.ts";
import { isRightFor, Runner } from "./run.ts";
import { bucketOf, UNREAD } from "./sets.ts";
import { otherStyles } from "./styles.ts";

/** A set whose numbers hang on definitions that stand in its model alone. */
const DEFINED = "retail";
const RANK = { trees: 200, rate: 0.12, share: 0.5, depth: 5 };

const started = performance.now();
const log = (text: string) => console.log(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${text}`);

/** Learns the weights of the reader from the sets collected in a folder, and says how well it reads those left unread. */
export async function train(
  folder: string,
  { part, without, weights }: { part: number; without: readonly string[]; weights: string },
): Promise<void> {
  const isKept = (name: string) => !UNREAD.has(name) && !without.includes(name);
  const asked = examplesIn(folder, isKept).filter(({ question }) => bucketOf(question.id, 100) < part * 100);
  const business = await businessQuestions(asked);
  const all = [...asked, ...otherStyles(asked), ...business];
  log(
    `${all.length} questions, ${all.filter(({ gold }) => gold !== undefined).length} with a query that is read, ${business.length} about periods`,
  );
  const slots = learnSlots(all);
  log("parts of queries are learned");
  const rank = await learnRank([...all, ...spoiled(all)], slots.without);
  log("whole queries are learned");
  const file = packed(packOf({ slots: slots.all, rank }));
  mkdirSync(join(weights, ".."), { recursive: true });
  writeFileSync(weights, file);
  log(`${(file.length / 1_000).toFixed(0)} KB in ${weights}`);
  const judged = new Map<string, Judged[]>();
  for (const [name, examples] of await unreadIn(folder, without))
    judged.set(name, await evaluate(examples, { slots: slots.all, rank }));
  report(judged);
  log("done");
}

/** What judges: questions of databases that were left unread, also with words that the data do not know, and sets by name. */
export async function unreadIn(
  folder: string,
  without: readonly string[],
): Promise<ReadonlyMap<string, readonly Example[]>> {
  const unread = examplesIn(folder, (name) => UNREAD.has(name));
  const business = await businessQuestions(unread);
  const named = without.map((name) => [name, examplesIn(folder, (each) => each === name)] as const);
  return new Map([
    ["unread", unread],
    ["periods", business],
    ["spoiled", spoiled([...unread, ...business])],
    ...named,
  ]);
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
    const judge = (isExact: boolean) =>
      results.map((got, i) => isRightFor(example, got, { isExact, tiedBy: sql[i] }));
    const exact = judge(true);
    const labels = exact.some(Boolean) ? exact : judge(false);
    const isReached = labels.some(Boolean);
    if (isReached) reachable += 1;
    // Nobody but its author knows what counts there, so that it says nothing of how the words were read.
    else if (example.set === DEFINED && example.isSpoiled !== true) continue;
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
    point: learnTrees(rows, right, RANK),
    list: learnTrees(rows, right, { ...RANK, groups }),
  };
}
