import { clip } from "../../../kernel/text.ts";
import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { heldAgainst } from "./account/hold.ts";
import { sensesIn, type Weighed, weigh } from "./candidates/said.ts";
import type { Language } from "./languages/language.ts";
import { languagesOf } from "./languages/languages.ts";
import type { Question } from "./reading.ts";
import { queriesOf } from "./readings/queries.ts";
import type { Sense } from "./senses/fragment.ts";
import { meaningsOf, understand } from "./understand.ts";

/** How a question was read over one model, stage by stage. */
export interface Trace {
  datasets: string[];
  words: {
    text: string;
    /** Whether it says nothing where it stands. */
    isEmpty: boolean;
    /** What begins with this word, and what it can mean by itself. */
    meanings: { words: string; means: string; cost: number }[];
  }[];
  /** The likeliest queries, with what speaks against each. */
  readings: { said: string; cost: number; loose: number; left: string[] }[];
  /** What came of it, beside the readings. */
  missing: string[];
  unclear: string[];
}

const SHOWN = 5;

export function traceOf(question: Question, knowledge: Knowledge): Trace {
  const [language] = languagesOf(question.text);
  const said = weigh(sensesIn(language as Language, question, knowledge));
  const meanings = meaningsOf(said) ?? [];
  const { missing, unclear } = understand(question, knowledge);
  return {
    datasets: knowledge.model.datasets.map(({ name }) => name),
    words: said.all.map(({ text }, i) => ({
      text,
      isEmpty: said.empty.has(i),
      meanings: meaningsAt(i, said),
    })),
    readings: heldAgainst(said, queriesOf(meanings, said))
      .slice(0, SHOWN)
      .map(({ ask, cost, loose, left }) => ({
        said: say(ask),
        cost: rounded(cost),
        loose: rounded(loose),
        left: left.map((i) => said.all[i]?.text ?? ""),
      })),
    missing: missing.map(({ text }) => text),
    unclear: unclear.map((each) => each.question),
  };
}

function meaningsAt(at: number, { all, found }: Weighed): Trace["words"][number]["meanings"] {
  return found
    .filter(({ start }) => start === at)
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ sense, end, cost }) => ({
      words: all
        .slice(at, end)
        .map(({ text }) => text)
        .join(" "),
      means: clip(meaning(sense), 120),
      cost: rounded(cost),
    }));
}

/** A sense as it is, without the marks of JSON. */
function meaning({ t, ...rest }: Sense): string {
  return `${t} ${JSON.stringify(rest)
    .replaceAll(/[{}"[\]]/g, "")
    .replaceAll(",", ", ")}`;
}

function rounded(cost: number): number {
  return Math.round(cost * 100) / 100;
}
