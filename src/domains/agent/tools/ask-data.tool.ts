import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { checkInstruction } from "../../../kernel/prompt-injection.ts";
import { compactRows } from "../../../registry/compact-content.ts";
import { rowShape } from "../../../registry/define-tool.ts";
import { columnShape } from "../../data/index.ts";
import { shownOf } from "../answer-shape.ts";
import { withoutValues } from "../conversations/question-event.ts";
import type { DatasetsAnswer } from "../datasets/ask-datasets.ts";
import type { Before } from "../datasets/data-conversations.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { suggestedIn } from "../phases/question.ts";
import { PHASES } from "../work.ts";

const question = z
  .string()
  .meta({ minLength: 1, maxLength: KERNEL.call.instructionCharacters })
  .describe("Natural language question about your data");
const ids = z.array(z.int()).min(1).max(LIMITS.agent.namedDatasets).optional();

/** A plain question about datasets that need no semantic model: what is missing of one is guessed. */
export const askData = defineTool({
  name: "ask_data",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_ask",
      description:
        "Ask a data question in natural language. Finds the relevant dataset, generates a query, executes it, and returns results.",
      input: z.strictObject({
        question,
        datasetIds: ids.describe(
          "Specific dataset IDs to query. If omitted, all accessible datasets are searched.",
        ),
      }),
      adapt: ({ question, datasetIds }: { question: string; datasetIds?: number[] }) => ({
        question,
        ...(datasetIds !== undefined && { dataset_ids: datasetIds }),
      }),
    },
  },
  title: "Ask about data",
  description:
    "Answer a question in plain words about datasets, without a semantic model: it finds the right ones, how they are joined, and the query. Gives the query, rows (first 100) and what was searched. If it asks back, ask again with dataset_ids or with the answer in brackets behind the question.",
  permission: "bi:read",
  effect: "read",
  isMetered: true,
  timeoutMs: LIMITS.agent.totalMs + 10_000,
  input: z.strictObject({
    question,
    dataset_ids: ids.describe("Only these; all that you see when left out"),
    follow_up_to: z.uuid().optional().describe("Id of the answer that the question builds on"),
  }),
  output: z.object({
    id: z.uuid(),
    outcome: z.enum(["answer", "clarify", "refuse"]),
    answer: z.string(),
    query: z.string().nullable().describe("The SQL that was executed"),
    fields: z.array(columnShape),
    rows: z.array(rowShape),
    totalRows: z.int(),
    returnedRows: z.int(),
    datasets: z.array(z.object({ id: z.int(), name: z.string() })).describe("Those that were searched"),
    model: z.string().nullable().describe("The published semantic model that answered, if one did"),
    reading: z.string().nullable(),
    confidence: z.number().nullable(),
    notes: z.array(z.string()),
    questions: z.array(z.object({ question: z.string(), suggestions: z.array(z.string()) })),
  }),
  compact: (output) => compactRows({ ...output, columns: output.fields.map(({ name }) => name) }),

  async run(
    { question: sent, dataset_ids: datasetIds, follow_up_to: followed },
    { datasetQuestions, dataConversations, conversations, otherSources, askedRows, ...context },
  ) {
    const { caller, meta, client, signal, note, conceal, say } = context;
    const question = sent.trim();
    if (question === "") throw new AppError("bad_request", "question is empty.", { hint: "Ask something." });
    checkInstruction(question);
    const before = await dataConversations.before(caller, meta, followed);
    let done = 0;
    const found = await datasetQuestions.ask(caller, {
      question,
      datasetIds,
      before,
      signal,
      onPhase(phase) {
        // Several sets of datasets may be asked; what a person sees goes forward only.
        const at = PHASES.indexOf(phase);
        if (at < done) return;
        done = at + 1;
        client.progress(at, { total: PHASES.length, message: phase });
      },
    });
    const id = await dataConversations.keep(caller, meta, nextBefore(found, question, before));
    await conversations.note(caller, meta, question);
    const { outcome, confidence, sql, concealed, ...answer } = found.answer;
    const reading = answer.reading && withoutValues(answer.reading, answer.query);
    conceal(concealed ?? []);
    note({ answerId: id, model: found.model, outcome, reading, confidence, rows: answer.rows.length, sql });
    const output = outputOf(found, askedRows);
    if (outcome !== "refuse") return { id, ...output };
    const pointers = await otherSources.pointersFor(caller, question, say);
    return { id, ...output, answer: [output.answer, ...pointers].join("\n\n") };
  },
});

/** What the next question may build on. What was refused leaves everything as it was. */
function nextBefore({ answer, asked }: DatasetsAnswer, question: string, before: Before | undefined): Before {
  const datasetIds = asked.map(({ id }) => id);
  const { outcome, query = null } = answer;
  const same = before?.datasetIds.join() === datasetIds.join() ? before : undefined;
  if (outcome === "answer") {
    const earlier = [same?.query?.ask ?? [], same?.earlier ?? []].flat().slice(0, MOST_EARLIER);
    return { datasetIds, query, earlier, waiting: [], suggested: [] };
  }
  const refused = [...(same?.refused ?? []), ...(outcome === "refuse" ? [question] : [])].slice(
    -MOST_WAITING,
  );
  const offered = suggestedIn(answer);
  if (outcome === "refuse" && before !== undefined && offered.length === 0)
    return { ...before, suggested: [], refused };
  const known = same?.query ?? null;
  const waiting = outcome === "clarify" ? [...(before?.waiting ?? []), question].slice(-MOST_WAITING) : [];
  return {
    datasetIds,
    query: known,
    earlier: same?.earlier ?? [],
    waiting,
    suggested: offered,
    refused: known === null ? [] : refused,
  };
}

/** Nobody is asked back more often and still answers the first question. */
const MOST_WAITING = 8;
/** Nobody speaks of what was answered before these. */
const MOST_EARLIER = 3;

function outputOf({ answer, searched, model }: DatasetsAnswer, most: number) {
  const { outcome, narrative, sql, columns, types, rows, totalRows, reading, confidence, questions } = answer;
  const shown = shownOf({ rows, types }, most);
  return {
    outcome,
    answer: narrative,
    query: sql,
    fields: columns.map((name, i) => ({ name, type: types[i] ?? "VARCHAR" })),
    rows: shown.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null]))),
    totalRows,
    returnedRows: shown.length,
    datasets: searched.map(({ id, name }) => ({ id, name })),
    model,
    reading,
    confidence,
    notes: [...new Set([...answer.assumptions, ...answer.caveats])],
    questions,
  };
}
