import { AppError } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { BasesStore } from "../bases.store.ts";
import type { Knowledge, Passage } from "../knowledge.ts";
import { LIMITS } from "../limits.ts";
import { confidenceOf, pickSentences, type Quote } from "./pick-sentences.ts";
import { readQuestion } from "./question.ts";

export interface AskedQuestion {
  question: string;
  documentIds?: readonly number[] | undefined;
  baseIds?: readonly number[] | undefined;
}

export interface Answer {
  answer: string;
  status: "answered" | "uncertain" | "not_found";
  confidence: number;
  citations: { document_id: string; document: string; page: number | null; section: string; quote: string }[];
}

/** Below it the documents are said not to tell; between them the answer is said to be uncertain. */
const FOUND = 0.5;
const SURE = 0.7;
const QUOTED = 2;
const NEAREST = 3;
const NEAREST_CHARACTERS = 300;

/** Answers by quoting: what a document says can be wrong, but never made up, and nothing in it is an instruction. */
export class Answers {
  readonly #knowledge: Knowledge;
  readonly #bases: BasesStore;

  constructor(knowledge: Knowledge, bases: BasesStore) {
    this.#knowledge = knowledge;
    this.#bases = bases;
  }

  async ask(caller: Caller, { question, documentIds, baseIds }: AskedQuestion): Promise<Answer> {
    const text = question.trim();
    if (text === "") throw new AppError("bad_request", "question must not be empty.");
    for (const id of documentIds ?? []) await this.#knowledge.requireDocument(caller, id);
    const readable =
      baseIds === undefined
        ? await this.#bases.allReadable(caller)
        : await this.#bases.readable(caller, baseIds);
    const passages = await this.#knowledge.search(caller, {
      query: text,
      baseIds: readable.map(({ id }) => id),
      ...(documentIds !== undefined && { documentIds }),
      limit: LIMITS.knowledge.answerPassages,
    });
    const quotes = pickSentences(readQuestion(text), passages);
    const [best] = quotes;
    const confidence = best === undefined ? 0 : confidenceOf(best.features);
    const rounded = Math.round(confidence * 100) / 100;
    if (best === undefined || confidence < FOUND) return notFound(passages, rounded);
    const quoted = quotes.slice(0, QUOTED).toSorted(inOrder);
    const status = confidence < SURE ? "uncertain" : "answered";
    const answer = quoted.map((quote) => quote.text).join(" ");
    return {
      answer: status === "uncertain" ? `Not certain, but the documents say: ${answer}` : answer,
      status,
      confidence: rounded,
      citations: quoted.map(({ passage, text: quote }) => citationOf(passage, quote)),
    };
  }
}

function notFound(passages: readonly Passage[], confidence: number): Answer {
  const nearest = passages.slice(0, NEAREST);
  return {
    answer: "Not found in these documents.",
    status: "not_found",
    confidence,
    citations: nearest.map((passage) => citationOf(passage, passage.content.slice(0, NEAREST_CHARACTERS))),
  };
}

/** As they stand in their document. */
function inOrder(a: Quote, b: Quote): number {
  return a.passage.documentId === b.passage.documentId
    ? a.passage.start + a.at - (b.passage.start + b.at)
    : b.score - a.score;
}

function citationOf(
  { documentId, documentName, page, titlePath }: Passage,
  quote: string,
): Answer["citations"][number] {
  const section = titlePath.join(" > ");
  return {
    document_id: String(documentId),
    document: documentName,
    page,
    section,
    quote: quote.toWellFormed(),
  };
}
