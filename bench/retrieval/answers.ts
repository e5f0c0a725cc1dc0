import {
  confidenceOf,
  type Features,
  rankSentences,
  sentencesIn,
} from "../../src/domains/knowledge/answers/pick-sentences.ts";
import { readQuestion } from "../../src/domains/knowledge/answers/question.ts";
import type { Passage } from "../../src/domains/knowledge/knowledge.ts";
import type { Collection } from "../../src/platform/retrieval/index.ts";
import { fitLogistic, logistic } from "./logistic.ts";
import { BenchStore } from "./store.ts";
import { LANGUAGES, type Part, readPart } from "./xquad.ts";

/** One question with or without the paragraph that answers it, as the best sentence shows it. */
interface Case {
  article: string;
  features: Features;
  isAnswerable: boolean;
}

const FEATURES = ["own", "around", "hasType", "passage", "tokens"] as const;
const PASSAGES = 5;

/**
 * Answers made of quotes: how often the answer is in the first sentences, and how well the confidence tells questions
 * whose paragraph is there from those whose paragraph is not. `--fit` prints weights, and what weights that were fitted
 * on the other articles would have given.
 */
export async function benchAnswers(folder: string, isFit: boolean, models?: string): Promise<void> {
  const store = await BenchStore.open(models);
  const documents = store.collection("document");
  const cases: Case[] = [];
  const rows: string[] = [];
  for (const [workspaceId, language] of LANGUAGES.entries()) {
    const part = readPart(folder, language);
    const embedded = await store.embeddings.embed(part.paragraphs.map(({ text }) => text));
    for (const [i, { id, title, text }] of part.paragraphs.entries())
      store.put(
        workspaceId,
        { id, body: text, title: title.replaceAll("_", " "), attributes: { paragraph: id } },
        embedded[i],
      );
    const found = await look(documents, workspaceId, part);
    cases.push(...found.cases);
    rows.push(`| ${language} | ${found.within.map(short).join(" / ")} | ${told(found.cases, confidence)} |`);
    if (isFit)
      rows.push(`| ${language}, weights of other articles | | ${told(found.cases, fitted(found.cases))} |`);
  }
  await store.close();
  console.log("\n| Answers | in first / two / three sentences | AUC | answered, false at .5 | at .7 |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const row of rows) console.log(row);
  if (isFit)
    console.log(
      FEATURES,
      fitLogistic(
        cases.map(vectorOf),
        cases.map(({ isAnswerable }) => isAnswerable),
      ),
    );
}

async function look(documents: Collection, workspaceId: number, part: Part) {
  const byId = new Map(part.paragraphs.map((paragraph) => [paragraph.id, paragraph]));
  const ids = [...byId.keys()];
  const cases: Case[] = [];
  const hits = [0, 0, 0];
  for (const { question, paragraph, answer } of part.questions)
    for (const isAnswerable of [true, false]) {
      const among = isAnswerable ? ids : ids.filter((id) => id !== paragraph);
      const found = await documents.search(workspaceId, {
        text: question,
        k: PASSAGES,
        filter: { paragraph: among },
      });
      const passages = found.map(({ id, score, legs }) => passageOf(byId.get(id)!, score, legs));
      const quotes = rankSentences(readQuestion(question), sentencesIn(passages));
      const [best] = quotes;
      if (best === undefined) continue;
      cases.push({ article: byId.get(paragraph)!.title, features: best.features, isAnswerable });
      if (isAnswerable)
        for (const n of [0, 1, 2])
          if (quotes.slice(0, n + 1).some(({ text }) => text.includes(answer))) hits[n]! += 1;
    }
  return { cases, within: hits.map((count) => count / part.questions.length) };
}

function passageOf(
  { id, title, text }: Part["paragraphs"][number],
  score: number,
  legs: Passage["legs"],
): Passage {
  const place = { documentId: id, position: 0, page: null, start: 0, baseId: 1, baseName: "" };
  const documentName = `${title} ${id}.txt`;
  return { ...place, id, content: text, titlePath: [], documentName, score, legs };
}

function confidence({ features }: Case): number {
  return confidenceOf(features);
}

/** By weights that were fitted on all articles but its own. */
function fitted(cases: readonly Case[]): (one: Case) => number {
  const byArticle = new Map<string, number[]>();
  for (const article of new Set(cases.map((each) => each.article))) {
    const others = cases.filter((each) => each.article !== article);
    const weights = fitLogistic(
      others.map(vectorOf),
      others.map(({ isAnswerable }) => isAnswerable),
    );
    byArticle.set(article, weights);
  }
  return (one) => logistic(byArticle.get(one.article)!, vectorOf(one));
}

function vectorOf({ features }: Case): number[] {
  return [1, ...FEATURES.map((name) => features[name] ?? 0)];
}

function told(cases: readonly Case[], sure: (one: Case) => number): string {
  const judged = cases.map((one) => ({ isAnswerable: one.isAnswerable, value: sure(one) }));
  const yes = judged.filter(({ isAnswerable }) => isAnswerable);
  const no = judged.filter(({ isAnswerable }) => !isAnswerable);
  const above = (of: typeof judged, threshold: number) =>
    short(of.filter(({ value }) => value >= threshold).length / of.length);
  const at = [0.5, 0.7].map((threshold) => `${above(yes, threshold)}, ${above(no, threshold)}`);
  return [short(auc(yes, no)), ...at].join(" | ");
}

function auc(yes: readonly { value: number }[], no: readonly { value: number }[]): number {
  let sum = 0;
  for (const { value: a } of yes) for (const { value: b } of no) sum += a > b ? 1 : a === b ? 0.5 : 0;
  return sum / (yes.length * no.length);
}

function short(value: number): string {
  return value.toFixed(3).replace(/^0/, "");
}
