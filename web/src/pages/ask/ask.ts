import { type CallOptions, callTool } from "../../api/client.ts";
import { queries } from "../../api/hooks.ts";
import type { DataAnswer, DocumentsAnswer, MemoryHits, ModelAnswer, ModelList } from "../../api/tools.ts";
import { type Answer, ofData, ofDocuments, ofMemory, ofModel } from "./answer.ts";

export interface Question {
  text: string;
  /** The answer that this builds on. */
  before?: Pick<Answer, "id" | "source" | "model"> | undefined;
  /** Models answer those who may write questions into their history; tables answer everybody. */
  mayAskModels: boolean;
  /** Name of a model, "documents", or everything. */
  scope?: string | undefined;
}

const MEMORIES = 4;

/** Data first, by the model where there is one; where they know nothing of it, documents and memory. */
export async function ask(workspace: string, question: Question, options: CallOptions): Promise<Answer> {
  const { scope = "", before, text } = question;
  if (scope === "documents") {
    const answer = await askDocuments(workspace, text, options);
    const kept = { thread_id: options.thread, question: text };
    if (options.thread !== undefined && question.mayAskModels)
      await callTool(workspace, "change_thread", kept).catch(() => undefined);
    return answer;
  }
  const { models } = await modelsOf(workspace);
  const named =
    models.find(({ name }) => name === scope) ?? models.find(({ name }) => name === before?.model);
  const only = named ?? (models.length === 1 ? models[0] : undefined);
  const model = question.mayAskModels ? only : undefined;
  const byModel = model === undefined ? undefined : await askModel(workspace, model.name, question, options);
  if (byModel !== undefined && (byModel.outcome !== "refuse" || scope !== "")) return byModel;
  // A search of all tables may take long: documents are asked meanwhile, and an answer of theirs does not wait for it.
  const elsewhere = byModel && askElsewhere(workspace, text, options);
  elsewhere?.catch(() => undefined);
  const byData = await orSooner(askData(workspace, question, options), elsewhere);
  if (byData !== undefined && byData.outcome !== "refuse") {
    const answered = models.find(({ name }) => name === byData.model);
    if (answered === undefined || !question.mayAskModels) return byData;
    // A model's own answer says more: its chart, what it is made of, and it can be marked.
    const again = await askModel(workspace, answered.name, { ...question, before: undefined }, options);
    return again.outcome === "answer" ? again : byData;
  }
  return (await (elsewhere ?? askElsewhere(workspace, text, options))) ?? byModel ?? (byData as Answer);
}

const PATIENCE_MS = 4_000;

/** Undefined when the others have had an answer for some seconds. */
function orSooner<T>(work: Promise<T>, others: Promise<unknown> | undefined): Promise<T | undefined> {
  if (others === undefined) return work;
  const tired = others.then(
    (answer) =>
      new Promise<undefined>((resolve) => {
        if (answer !== undefined) setTimeout(resolve, PATIENCE_MS);
      }),
  );
  work.catch(() => undefined);
  return Promise.race([work, tired]);
}

async function askModel(
  workspace: string,
  model: string,
  { text, before }: Question,
  options: CallOptions,
): Promise<Answer> {
  const followed = before?.source === "model" && before.model === model ? before.id : null;
  const args = { question: text, model, ...(followed !== null && { follow_up_to: followed }) };
  return ofModel(await callTool<ModelAnswer>(workspace, "ask_question", args, options));
}

async function askData(workspace: string, { text, before }: Question, options: CallOptions): Promise<Answer> {
  const followed = before?.source === "data" ? before.id : null;
  const args = { question: text, ...(followed !== null && { follow_up_to: followed }) };
  return ofData(await callTool<DataAnswer>(workspace, "ask_data", args, options));
}

async function askDocuments(workspace: string, question: string, options: CallOptions): Promise<Answer> {
  return ofDocuments(await callTool<DocumentsAnswer>(workspace, "ask_documents", { question }, options));
}

/** Who may not read documents or memory is not refused the rest. */
async function askElsewhere(
  workspace: string,
  text: string,
  options: CallOptions,
): Promise<Answer | undefined> {
  const orNothing = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      return undefined;
    });
  const documents = await orNothing(askDocuments(workspace, text, options));
  if (documents?.outcome === "answer") return documents;
  const args = { query: text, k: MEMORIES };
  const recalled = await orNothing(callTool<MemoryHits>(workspace, "recall", args, options));
  return recalled === undefined || recalled.hits.length === 0 ? undefined : ofMemory(recalled);
}

function modelsOf(workspace: string): Promise<ModelList> {
  return queries.fetchQuery({
    // Its own key: a page that is left cancels what it was reading, and a question goes on.
    queryKey: ["models", workspace],
    queryFn: () => callTool<ModelList>(workspace, "list_semantic_models", {}).catch(() => ({ models: [] })),
  });
}

/** An answer that was given before, on the rows of now. */
export async function answerAgain(workspace: string, id: string, options: CallOptions): Promise<Answer> {
  return ofModel(await callTool<ModelAnswer>(workspace, "get_answer", { answer_id: id }, options));
}
