import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { JsonValue } from "../../src/platform/analytics/index.ts";

export interface GoldQuestion {
  id: string;
  question: string;
  rows: JsonValue[][];
  ordered: boolean;
  gold_sql: string;
}

/** Databases whose questions are read by nobody before they judge. */
export const UNREAD = new Set(
  `aircraft architecture behavior_monitoring browser_web club_1 cre_Theme_park entertainment_awards journal_committee
  machine_repair musical pilot_record product_catalog program_share railway school_finance scientist_1 shop_membership
  store_1 store_product student_assessment tracking_grants_for_research tracking_orders tracking_share_transactions`.split(
    /\s+/,
  ),
);

/** The sets of a folder of evaluations: a folder a database, or one of tables with questions beside it. */
export function setsIn(root: string): { name: string; tables: string; questions: GoldQuestion[] }[] {
  const spider = join(root, "spider-train");
  const databases = readdirSync(spider)
    .sort()
    .map((name) => ({
      name,
      tables: join(spider, name, "tables"),
      questions: questionsOf(join(spider, name, "questions.jsonl")),
    }));
  const others = ["geo", "retail"].map((name) => ({
    name,
    tables: join(root, name, "tables"),
    questions: questionsOf(join(root, name, "questions.jsonl")),
  }));
  return [...others, ...databases];
}

function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as T);
}

/** What the workshop is called with; without a folder of evaluations it ends with how it is. */
export function optionsIn(usage: string) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      /** Where what was collected is kept. */
      kept: { type: "string", default: join(tmpdir(), "kenning-reader") },
      /** Share of the questions that is learned from. */
      part: { type: "string", default: "1" },
      /** Sets that are left unread as well. */
      without: { type: "string", default: "" },
      out: { type: "string" },
      /** So many questions of each set are asked of a real server as well. */
      door: { type: "string", default: "0" },
    },
  });
  const [sets] = positionals;
  if (sets === undefined) {
    console.error(usage);
    process.exit(2);
  }
  const without = values.without.split(",").filter((name) => name !== "");
  return {
    sets,
    kept: values.kept,
    part: Number(values.part),
    without,
    out: values.out,
    door: Number(values.door),
  };
}

/** Only those that have an answer, with rows to judge it by. */
function questionsOf(path: string): GoldQuestion[] {
  return readLines<Partial<GoldQuestion> & { expect?: string; question: string }>(path).flatMap((each, i) => {
    const { expect = "answer", rows, question, gold_sql = "", ordered = false } = each;
    if (expect !== "answer" || rows === undefined) return [];
    return [{ id: String(each.id ?? i + 1), question, rows, ordered, gold_sql }];
  });
}

/** A stable number from 0 to `most` - 1 for a name. */
export function bucketOf(name: string, most: number): number {
  let hash = 2_166_136_261;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return ((hash ^ (hash >>> 15)) >>> 0) % most;
}
