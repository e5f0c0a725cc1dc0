import type { Answer, Outcome } from "../answer.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Clarification, Understanding } from "../understand/reading.ts";
import { nearestNames } from "./nearest-names.ts";

/** Metrics that a refusal names. */
const NAMED_METRICS = 20;

const NOTHING = {
  columns: [],
  types: [],
  rows: [],
  isTruncated: false,
  sql: null,
  reading: null,
  assumptions: [],
  confidence: null,
  charts: [],
  lineage: null,
  caveats: [],
  questions: [],
} satisfies Partial<Answer>;

/** Says what is missing and what there is, so that whoever asked can ask for that. */
export function refuse(
  { missing, obstacles }: { missing: Understanding["missing"]; obstacles: readonly string[] },
  knowledge: Knowledge,
  { word, datasets }: { word: string; datasets?: readonly string[] | undefined },
): Answer {
  const { model } = knowledge;
  const lines = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");
  const available = `**Available datasets:**\n${lines(datasets ?? model.datasets.map(({ name }) => name))}`;
  const unknown = missing.filter(({ isKnown }) => isKnown !== true);
  const known = missing.filter(({ isKnown }) => isKnown === true).map(({ text }) => `"${text}"`);
  const apart = known.length === 0 ? [] : [`How ${known.join(", ")} is meant here could not be told.`];
  const metrics = model.metrics.slice(0, NAMED_METRICS).map(({ name }) => name);
  const numbers = metrics.length === 0 ? [] : [`**Available metrics:**\n${lines(metrics)}`];
  const narrative =
    unknown.length > 0
      ? [
          `I cannot answer this question because the required data is not available in the ${word}.`,
          `**Missing datasets:**\n${lines(unknown.map((each) => missingLine(each, knowledge)))}`,
          available,
          ...numbers,
        ]
      : [
          `I cannot answer this question because I could not tell what of the ${word} it asks for.`,
          ...(obstacles.length === 0 ? apart : [lines([...new Set(obstacles)])]),
          available,
          ...numbers,
        ];
  return { ...NOTHING, outcome: "refuse", model: model.name, narrative: narrative.join("\n\n") };
}

function missingLine({ text, nearest }: Understanding["missing"][number], knowledge: Knowledge): string {
  const near = nearest.length === 0 ? nearestNames(text, knowledge) : nearest;
  return near.length === 0 ? text : `${text} (nearest: ${near.slice(0, 3).join(", ")})`;
}

export function clarify(questions: readonly Clarification[], { model }: Knowledge): Answer {
  return clarified(questions, model.name);
}

/** What has to be known first, as an answer. */
export function clarified(questions: readonly Clarification[], model: string): Answer {
  const narrative = questions
    .map(({ question, suggestions }) => [question, ...suggestions.map((each) => `- ${each}`)].join("\n"))
    .join("\n\n");
  return { ...NOTHING, outcome: "clarify", model, narrative, questions: [...questions] };
}

/** What is left of a question that had no answer. */
export function unanswered(outcome: Outcome, model: string): Answer {
  const narrative = "There was no answer to this question, so there is nothing to read again. Ask it again.";
  return { ...NOTHING, outcome, model, narrative };
}
