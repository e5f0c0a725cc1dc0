import {
  confidenceOf,
  FEATURES,
  type Features,
  rankSentences,
  readQuestion,
} from "../../src/domains/knowledge/answers/pick-sentences.ts";
import type { Passage } from "../../src/domains/knowledge/knowledge.ts";
import type { Collection } from "../../src/platform/retrieval/index.ts";
import { fitLogistic, logistic } from "./logistic.ts";
import { BenchStore } from "./store.ts";
import { LANGUAGES, type Part, readPart } from "./xquad.ts";

/** With the paragraph that answers it, without it, or with a name in it exchanged for one that nobody mentions. */
const KINDS = ["answerable", "without", "exchanged"] as const;

/** One question, as the best sentence shows it. */
interface Case {
  article: string;
  features: Features;
  kind: (typeof KINDS)[number];
}

const NAMES =
  "Brotherton Quillfeather Zanzarella Orsolya Vastergard Wrennfield Tavira Oakhaven Lindqvist Morgansby".split(
    " ",
  );
/** A name inside of an English question; in German it is one where it stands in the English question, too. */
const NAME = /(?<=\S\s)\p{Lu}[\p{L}.]{3,}(?:\s\p{Lu}[\p{L}.]+)*/gu;

const PASSAGES = 5;
const NOTHING: Features = {
  own: 0,
  around: 0,
  hasType: 0,
  rank: 0,
  passage: 0,
  tokens: 0,
  unknownName: 1,
  unknownNoun: 1,
};

/**
 * Answers made of quotes: how often the answer is in the first sentences, and how well the confidence tells questions
 * whose paragraph is there from those whose paragraph is not, or which name something else. `--fit` prints weights, and what weights that were fitted
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
    const found = await look(documents, workspaceId, part, readPart(folder, "en"));
    cases.push(...found.cases);
    rows.push(`| ${language} | ${found.within.map(short).join(" / ")} | ${told(found.cases, confidence)} |`);
    if (isFit)
      rows.push(`| ${language}, weights of other articles | | ${told(found.cases, fitted(found.cases))} |`);
  }
  await store.close();
  console.log(
    "\n| Answers | in first / two / three sentences | AUC | at .5: answered, false without its paragraph, false with another name | at .7 |",
  );
  console.log("| --- | --- | --- | --- | --- |");
  for (const row of rows) console.log(row);
  if (isFit)
    console.log(
      FEATURES,
      fitLogistic(
        cases.map(vectorOf),
        cases.map(({ kind }) => kind === "answerable"),
      ),
    );
}

async function look(documents: Collection, workspaceId: number, part: Part, english: Part) {
  const byId = new Map(part.paragraphs.map((paragraph) => [paragraph.id, paragraph]));
  const ids = [...byId.keys()];
  const cases: Case[] = [];
  const hits = [0, 0, 0];
  for (const [i, { question: asked, paragraph, answer }] of part.questions.entries())
    for (const kind of KINDS) {
      const among = kind === "without" ? ids.filter((id) => id !== paragraph) : ids;
      const names = english.questions[i]!.question.match(NAME) ?? [];
      const name = names.find((one) => asked.includes(one));
      if (kind === "exchanged" && name === undefined) continue;
      const question = kind === "exchanged" ? asked.replace(name!, NAMES[i % NAMES.length]!) : asked;
      const found = await documents.search(workspaceId, {
        text: question,
        k: PASSAGES,
        filter: { paragraph: among },
      });
      const passages = found.map(({ id, score, legs }) => passageOf(byId.get(id)!, score, legs));
      const quotes = rankSentences(readQuestion(question), passages);
      const [best] = quotes;
      // Where nothing has what is asked for, nothing is answered.
      cases.push({ article: byId.get(paragraph)!.title, features: best?.features ?? NOTHING, kind });
      if (best === undefined) continue;
      if (kind === "answerable")
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
      others.map(({ kind }) => kind === "answerable"),
    );
    byArticle.set(article, weights);
  }
  return (one) => logistic(byArticle.get(one.article)!, vectorOf(one));
}

function vectorOf({ features }: Case): number[] {
  return [1, ...FEATURES.map((name) => features[name] ?? 0)];
}

function told(cases: readonly Case[], sure: (one: Case) => number): string {
  const [yes, without, exchanged] = KINDS.map((kind) =>
    cases.filter((one) => one.kind === kind).map((one) => ({ value: sure(one) })),
  ) as [Valued[], Valued[], Valued[]];
  const above = (of: Valued[], threshold: number) =>
    short(of.filter(({ value }) => value >= threshold).length / of.length);
  const at = [0.5, 0.7].map((threshold) =>
    [yes, without, exchanged].map((of) => above(of, threshold)).join(", "),
  );
  return [short(auc(yes, without)), ...at].join(" | ");
}

type Valued = { value: number };

function auc(yes: readonly Valued[], no: readonly Valued[]): number {
  let sum = 0;
  for (const { value: a } of yes) for (const { value: b } of no) sum += a > b ? 1 : a === b ? 0.5 : 0;
  return sum / (yes.length * no.length);
}

function short(value: number): string {
  return value.toFixed(3).replace(/^0/, "");
}
