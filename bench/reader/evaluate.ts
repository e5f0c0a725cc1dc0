import type { ReaderModels } from "../../src/domains/agent/reader/models.ts";
import { type Ranked, ranked, rankRows } from "../../src/domains/agent/reader/rank.ts";
import { bestOf, decide, differing, isSameAs } from "../../src/domains/agent/reader/ranked-reader.ts";
import type { Example } from "./examples.ts";
import { kindOf } from "./gold.ts";
import { isRightFor, Runner, type Tried } from "./run.ts";

export interface Judged {
  example: Example;
  /** How likely the best is, and whether it is right. */
  p: number;
  isRight: boolean;
  /** Right but for others that share the place. */
  isTied: boolean;
  /** The place of the first right one, among different results; -1 where none is. */
  place: number;
  /** The statement of the best. */
  sql: string;
  verdict: "ours" | "rules" | "ask" | "refused";
  /** What the rules alone make of it. */
  rules: "right" | "wrong" | "none";
}

/** What is made of questions by ranking the reader's candidates and the rules' reading. */
export async function evaluate(examples: readonly Example[], models: ReaderModels): Promise<Judged[]> {
  const runner = new Runner();
  const judged: Judged[] = [];
  for (const example of examples)
    judged.push(judgedBy(example, await runner.tried(example, models.slots), models));
  runner.close();
  return judged;
}

function judgedBy(example: Example, tried: Tried, { rank }: Pick<ReaderModels, "rank">): Judged {
  const { known, results, sql, unknown, ruled } = tried;
  const different = differing(ranked(rankRows(known, results), rank), results);
  const best = bestOf(different, results);
  const right = (index: number, isTied = false) =>
    isRightFor(example, results[index] ?? null, { tiedBy: isTied ? (sql[index] ?? "") : undefined });
  const theirs = known.findIndex(({ isRuled }) => isRuled === true);
  const isTheirs = best !== undefined && isSameAs(best.index, theirs, results);
  const of = (one: Ranked | undefined) => ({
    p: one?.p ?? 0,
    isRight: one !== undefined && right(one.index),
    isTied: one !== undefined && right(one.index, true),
    sql: one === undefined ? "" : (sql[one.index] ?? ""),
  });
  const p = best?.p ?? 0;
  const isTimeless = best !== undefined && known[best.index]?.isTimeless === true;
  const { isWhole = false, isBeyond = false } = known[theirs] ?? {};
  const read = different.find(({ index }) => isSameAs(index, theirs, results));
  const how = { isTheirs, theirs: read?.p ?? 0, isWhole, isBeyond, isTimeless, isForced: false };
  const decided = decide({ rules: ruled.k, p, unknown, ...how });
  const isRead = decided === "rules" && ruled.k === "run" && read !== undefined;
  return {
    example,
    ...of(isRead ? read : best),
    place: different.findIndex(({ index }) => right(index)),
    verdict: decided === "rules" && !isTheirs && !isRead ? "refused" : decided,
    rules: theirs === -1 ? "none" : right(theirs) ? "right" : "wrong",
  };
}

const LEVELS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** The sets in one table, and of each the curve and its kinds of queries. */
export function report(sets: ReadonlyMap<string, readonly Judged[]>): void {
  const lines = [...sets].map(([name, judged]) => {
    const share = (is: (each: Judged) => boolean) =>
      ((100 * judged.filter(is).length) / judged.length).toFixed(1);
    const isAnswered = ({ verdict }: Judged) => verdict === "ours" || verdict === "rules";
    const isThree = ({ place }: Judged) => place >= 0 && place < 3;
    return [
      ...[name, judged.length],
      ...[
        share((each) => isAnswered(each) && each.isRight),
        share((each) => isAnswered(each) && !each.isRight),
      ],
      ...[
        share(({ verdict }) => verdict === "ask"),
        share((each) => each.verdict === "ask" && isThree(each)),
      ],
      ...[share(({ verdict }) => verdict === "refused"), share((each) => each.isRight)],
      ...[share((each) => each.isTied), share(isThree), share(({ place }) => place >= 0)],
      ...[share(({ rules }) => rules === "right"), share(({ rules }) => rules === "wrong")],
    ];
  });
  const head =
    "set, questions, right, wrong, asked, of these with the right one, refused, all answered, with ties,";
  for (const line of [`${head} among three, among all, rules right, rules wrong`.split(", "), ...lines])
    console.log(`| ${line.join(" | ")} |`);
  for (const [name, judged] of sets) {
    const share = (some: readonly unknown[]) => ((100 * some.length) / judged.length).toFixed(1);
    const curve = LEVELS.map((least) => {
      const answered = judged.filter(({ p }) => p >= least);
      const [good, bad] = [answered.filter((each) => each.isRight), answered.filter((each) => !each.isRight)];
      return `${least}: ${share(good)}/${share(bad)} (${share(answered.filter((each) => !each.isTied))})`;
    });
    console.log(`${name}, right/wrong (with ties) by p: ${curve.join(", ")}`);
    const kinds = Map.groupBy(judged, ({ example: { gold } }) =>
      gold === undefined ? "other" : kindOf(gold),
    );
    const byKind = [...kinds]
      .sort((a, b) => b[1].length - a[1].length)
      .map(([kind, all]) => {
        const of = (some: readonly Judged[]) => `${Math.round((100 * some.length) / all.length)}%`;
        return `${kind} ${all.length}: ${of(all.filter((each) => each.isRight))} of ${of(all.filter(({ place }) => place >= 0))}`;
      });
    console.log(byKind.join("; "));
  }
}
