import { createHash } from "node:crypto";
import { isAppError } from "../../../kernel/errors.ts";
import { maskQuestion } from "../../../kernel/masking.ts";
import type { Caller } from "../../../registry/caller.ts";
import { InputNeeded, readDatasets } from "../../../registry/context.ts";
import type { AuditEvent, AuditSink } from "../../../registry/ports.ts";
import type { PublishedModel } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import type { FieldValues, Knowledge } from "../knowledge/build-knowledge.ts";
import { fold, phraseKey, stemsOf, wordsOf } from "../understand/languages/words.ts";
import { valuesIn } from "../verified/query-text.ts";
import type { Assisted } from "../work.ts";

/** Where it is written down, and what is known about a model as whoever asks sees it. */
interface Log {
  audit: Pick<AuditSink, "record">;
  knowledge: { get(caller: Caller, model: PublishedModel): Promise<Pick<Knowledge, "values">> };
}

interface AskedOf {
  model: PublishedModel;
  question: string;
  /** Whether a part of the work has written it down already. */
  isWritten?: () => boolean;
}

/** How a question ended. */
interface Ending {
  outcome: string;
  /** Without values of the data; null where nobody could tell which words are such. */
  question: string | null;
  answer?: Answer;
  /** The language model that had a part in it. */
  llm?: string | undefined;
}

const MARK_CHARACTERS = 16;
/** Longer values are named by a part of them. */
const VALUE_WORDS = 8;
/** Characters by which values are chosen that a question may name. */
const BEGINNING = 3;

/** The values of the data that a query names; nobody who reads the audit log is told them. */
function namedValues(query: Answer["query"]): string[] {
  return valuesIn(query?.ask).flatMap(({ values }) => values.map(String));
}

/** How a question was read, without its literals and the values of the data that it names. */
export function withoutValues(text: string, query: Answer["query"]): string {
  return maskQuestion(text, namedValues(query));
}

/** The words of a question that name values of the data, in whatever form. */
function valuesNamedIn(question: string, fields: readonly FieldValues[]): string[] {
  const words = wordsOf(question);
  const begins = new Set(words.map(({ norm }) => norm.slice(0, BEGINNING)));
  const near = fields.flatMap(({ values }) =>
    values.filter((value) => begins.has(fold(value.slice(0, BEGINNING + 1)).slice(0, BEGINNING))),
  );
  const keys = new Set(near.map((value) => phraseKey(value)));
  return words.flatMap(({ start }, from) =>
    words
      .slice(from, from + VALUE_WORDS)
      .filter((_, i) => keys.has(stemsOf(words.slice(from, from + i + 1))))
      .map(({ end }) => question.slice(start, end)),
  );
}

/** Answers a question, and writes down how that ended. */
export async function recorded(
  { audit, knowledge }: Log,
  caller: Caller,
  asked: AskedOf,
  work: () => Promise<Assisted & { model?: PublishedModel }>,
): Promise<Answer> {
  const started = performance.now();
  const record = (model: PublishedModel, end: Ending) => {
    if (asked.isWritten?.() === true) return;
    audit.record(questionEvent(caller, model, end, performance.now() - started));
  };
  let known: readonly FieldValues[] | undefined;
  const knowing = knowledge.get(caller, asked.model).then(
    ({ values }) => {
      known = values;
    },
    () => undefined,
  );
  try {
    const { answer: found, llm, model = asked.model } = await work();
    if (asked.isWritten?.() === true) return found;
    await knowing;
    const values = model === asked.model ? known : (await knowledge.get(caller, model)).values;
    const concealed = [
      ...(found.concealed ?? []),
      ...namedValues(found.query),
      ...valuesNamedIn(asked.question, values ?? []),
    ];
    const answer = { ...found, concealed };
    const question = maskQuestion(asked.question, concealed);
    record(model, { outcome: answer.outcome, question, answer, llm });
    return answer;
  } catch (error) {
    const question = known && maskQuestion(asked.question, valuesNamedIn(asked.question, known));
    const outcome = isAppError(error) ? error.code : "internal";
    // Whoever waits for the client asks again.
    if (!(error instanceof InputNeeded)) record(asked.model, { outcome, question: question ?? null });
    throw error;
  }
}

/** What the audit log keeps of a question; nothing of the data, which policies may hide from whoever reads the log. */
function questionEvent(
  { workspace, user }: Caller,
  { record, isInferred }: PublishedModel,
  { outcome, question, answer, llm }: Ending,
  durationMs: number,
): AuditEvent {
  const response = answer && {
    characters: answer.narrative.length,
    columns: answer.columns.length,
    rows: answer.rows.length,
    sha256: createHash("sha256").update(answer.narrative).digest("base64url").slice(0, MARK_CHARACTERS),
  };
  return {
    action: "agent.question",
    workspaceId: workspace.id,
    userId: user.id,
    resourceType: isInferred === true ? "dataset" : "semantic_model",
    resourceId: isInferred === true ? null : record.uuid,
    success: answer !== undefined,
    outcome,
    durationMs,
    datasets: readDatasets(),
    metadata: {
      model: isInferred === true ? null : record.name,
      question,
      response: response ?? null,
      llm: llm ?? null,
    },
  };
}
