import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Child } from "../data/child.ts";
import { callTool, type Hello } from "../data/mcp.ts";
import { isRight, type Rows } from "./run.ts";
import type { GoldQuestion } from "./sets.ts";

interface Answered {
  id: string;
  outcome: "answer" | "clarify" | "refuse";
  rows: Record<string, Rows[number][number]>[];
  totalRows: number;
  reading: string | null;
  questions: { question: string; suggestions: string[] }[];
}

/** A set of tables with its questions. */
export interface DoorSet {
  name: string;
  tables: string;
  questions: readonly GoldQuestion[];
}

type Verdict = "right" | "wrong" | "asked" | "askedRight" | "refused";

/** Rows that an answer has; of more only the number is compared. */
const SHOWN = 100;

/** Asks a real server, as a newcomer would: tables are imported, and each question is a call of its own. */
export async function askThroughDoor(sets: readonly DoorSet[], most: number): Promise<void> {
  const total = new Map<Verdict, number>();
  const times: number[] = [];
  for (const { name, tables, questions } of sets) {
    const server = await Child.start<Hello>("kenning");
    const ids: number[] = [];
    for (const file of readdirSync(tables).filter((each) => each.endsWith(".csv"))) {
      const content = readFileSync(join(tables, file), "utf8");
      const args = { dataset_name: basename(file, ".csv"), content, file_type: "csv" };
      ids.push((await callTool<{ dataset_id: number }>(server, "import_file", args)).dataset_id);
    }
    const own = new Map<Verdict, number>();
    const step = Math.ceil(questions.length / most);
    for (const question of questions.filter((_, i) => i % step === 0)) {
      const start = performance.now();
      const verdict = await verdictOn(server, ids, question);
      times.push(performance.now() - start);
      for (const counts of [own, total]) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      if (verdict === "wrong") console.log(`  wrong: ${question.question}`);
    }
    console.log(lineOf(name, own));
    await server.stop();
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(0);
  console.log(`${lineOf("all", total)}; ${at(0.5)} ms (p50), ${at(0.95)} ms (p95)`);
}

async function verdictOn(server: Child<Hello>, ids: number[], question: GoldQuestion): Promise<Verdict> {
  const ask = (text: string, before?: string) =>
    callTool<Answered>(server, "ask_data", {
      question: text,
      dataset_ids: ids,
      ...(before !== undefined && { follow_up_to: before }),
    });
  const answer = await ask(question.question);
  if (answer.outcome === "answer") return isGood(question, answer) ? "right" : "wrong";
  if (answer.outcome === "refuse") return "refused";
  for (const choice of answer.questions.flatMap(({ suggestions }) => suggestions).slice(0, 3)) {
    const chosen = await ask(choice, answer.id);
    if (chosen.outcome === "answer" && isGood(question, chosen)) return "askedRight";
  }
  return "asked";
}

function isGood({ rows: gold }: GoldQuestion, { rows, totalRows }: Answered): boolean {
  if (gold.length > SHOWN) return totalRows === gold.length;
  return isRight(
    gold,
    rows.map((row) => Object.values(row)),
  );
}

function lineOf(name: string, counts: ReadonlyMap<Verdict, number>): string {
  const all = [...counts.values()].reduce((a, b) => a + b, 0);
  const share = (...some: Verdict[]) =>
    `${((100 * some.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0)) / all).toFixed(1)}%`;
  return `${name}, ${all} questions: ${share("right")} right, ${share("wrong")} wrong, ${share("asked", "askedRight")} asked (${share("askedRight")} with the right one), ${share("refused")} refused`;
}
