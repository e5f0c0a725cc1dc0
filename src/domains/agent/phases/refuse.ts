import { AppError } from "../../../kernel/errors.ts";
import type { Answer, Outcome } from "../answer.ts";
import { t } from "../explain/words.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import type { Clarification, Understanding } from "../understand/reading.ts";
import type { Work } from "../work.ts";
import { namesThing } from "./namesakes.ts";
import { nearestNames } from "./offers.ts";
import { doYouMean } from "./question.ts";

/** Asked where readings that are equally good give different rows: one of them is meant. */
export const WHICH_READING = "Which of these do you mean?";

/** Numbers, and what they are told apart by, that a refusal names. */
const NAMED_METRICS = 20;
const NAMED_DIMENSIONS = 15;

const NOTHING = {
  columns: [],
  types: [],
  rows: [],
  totalRows: 0,
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
  { word, datasets, question }: Pick<Work, "word" | "datasets" | "question">,
): Answer {
  const { model } = knowledge;
  const lines = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");
  const available = `${t`**Available datasets:**`}\n${lines(datasets ?? model.datasets.map(({ name }) => name))}`;
  const unknown = missing.filter(({ isKnown }) => isKnown !== true);
  const isThing = ({ text }: Understanding["missing"][number]) => namesThing(text, question.text);
  const listed = (title: string, some: Understanding["missing"]) =>
    some.length === 0 ? [] : [`${title}\n${lines(some.map((each) => missingLine(each, knowledge)))}`];
  const things = unknown.filter(isThing);
  const others = unknown.filter((each) => !isThing(each));
  const known = missing.filter(({ isKnown }) => isKnown === true).map(({ text }) => `"${text}"`);
  const apart = known.length === 0 ? [] : [t`How ${known.join(", ")} is meant here could not be told.`];
  const asked = askable(knowledge);
  const numbers = asked.length === 0 ? [] : [`${t`**What can be asked:**`}\n${lines(asked)}`];
  const absent = missing.find(({ isAbsent }) => isAbsent === true)?.text;
  const narrative =
    absent !== undefined
      ? [t`I cannot answer this question because there is no "${absent}" in the calendar.`, ...numbers]
      : unknown.length > 0
        ? [
            things.length === 0
              ? t`I cannot answer this question because I did not understand all of it.`
              : t`I cannot answer this question because the required data is not available in the ${word}.`,
            ...listed(t`**Missing datasets:**`, things),
            ...(things.length === 0 ? [] : [available]),
            ...listed(t`**Not understood:**`, others),
            ...(things.length === 0 ? [available] : []),
            ...numbers,
          ]
        : [
            t`I cannot answer this question because I could not tell what of the ${word} it asks for.`,
            ...(obstacles.length === 0 ? apart : [lines([...new Set(obstacles)])]),
            available,
            ...numbers,
          ];
  return {
    ...NOTHING,
    outcome: "refuse",
    model: model.name,
    narrative: narrative.join("\n\n"),
    concealed: unknown.map(({ text }) => text),
  };
}

/** Of times that the data are not about nothing can be said. */
export function refuseTime(why: readonly string[], knowledge: Knowledge): Answer {
  const { name } = knowledge.model;
  const said = `${t`I cannot answer this question because there are no data of that time.`} ${[...new Set(why)].join(" ")}`;
  return { ...NOTHING, outcome: "refuse", model: name, narrative: said };
}

/** A refusal that ends with what can be answered instead; what is missing stays missing. */
export function offering(
  answer: Answer,
  offered: readonly string[],
  { missing }: Pick<Understanding, "missing">,
): Answer {
  if (offered.length === 0) return answer;
  const [only, ...others] = offered;
  const said = others.length === 0 ? ` ${only}` : `\n${offered.map((each) => `- ${each}`).join("\n")}`;
  return {
    ...answer,
    narrative: `${answer.narrative}\n\n${t`Nearest that can be answered:`}${said}`,
    questions: [
      doYouMean(
        offered,
        missing.map(({ text }) => text),
      ),
    ],
  };
}

/** Which numbers there are, by what they can be told apart, and of which days. */
function askable(knowledge: Knowledge): string[] {
  const { model, schema } = knowledge;
  const words = (name: string) => name.replaceAll("_", " ");
  const names = model.metrics.map(({ name }) => words(name));
  const isAgain = (name: string) =>
    names.includes(name.replace(/^average /, "total ")) && /^average /.test(name);
  const metrics = names.filter((name) => !isAgain(name));
  const dimensions = model.datasets.flatMap(({ name: ds, fields, primaryKey }) =>
    fields
      .filter(({ name }) => {
        const { kind, isDimension } = schema.datasets.get(ds)?.fields.get(name) ?? {};
        const isKind = isDimension === true && (kind === "text" || kind === "boolean");
        return isKind && !primaryKey.includes(name);
      })
      .map(({ name }) => words(name)),
  );
  const some = (all: readonly string[], most: number) => {
    const different = [...new Set(all)];
    return `${different.slice(0, most).join(", ")}${different.length > most ? " …" : ""}`;
  };
  const dated = [...schema.datasets.values()].find(({ name, date }) => date?.ds === name)?.date;
  const data = daysBy(dated, knowledge);
  return [
    ...(metrics.length === 0 ? [] : [some(metrics, NAMED_METRICS)]),
    ...(dimensions.length === 0 ? [] : [t`by ${some(dimensions, NAMED_DIMENSIONS)}`]),
    ...(data === undefined ? [] : [t`from ${data.first} to ${data.last} (${words(data.field)})`]),
  ];
}

function missingLine({ text, nearest }: Understanding["missing"][number], knowledge: Knowledge): string {
  const near = nearest.length === 0 ? nearestNames(text, knowledge) : nearest;
  return near.length === 0 ? text : t`${text} (nearest: ${near.slice(0, 3).join(", ")})`;
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

/** None of a model's datasets can be read by whoever asks. */
export function notReady(word: string, uuid: string): AppError {
  const called = word.replace(/^./, (first) => first.toUpperCase());
  return new AppError("conflict", `${called} not ready: none of its datasets can be read`, {
    hint: "Its data have to be loaded first, or to be opened to you.",
    data: { ontologyId: uuid, knectaCode: "ONTOLOGY_NOT_READY" },
  });
}
