import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Ask } from "../query/semantic-query.ts";
import { datesIn } from "../understand/candidates/dates.ts";
import type { Question } from "../understand/reading.ts";
import { askNumbers, isTimeless } from "./ask-features.ts";
import { askOf } from "./ask-of.ts";
import { enumerate } from "./enumerate.ts";
import { type Linked, link } from "./link.ts";
import { type SlotModels, slotsOf } from "./models.ts";
import { type Drafted, type Known, knownOf, NOT_DRAFTED, type Runnable } from "./rank.ts";
import { type LinkSchema, linkSchemaOf } from "./schema.ts";
import { readerModels } from "./weights.ts";
import { languageOfQuestion } from "./words.ts";

/** A query that the question may mean, ready to be run. */
export interface Proposal {
  ask: Ask;
  sql: string;
  known: Known;
}

export interface Proposals {
  proposals: Proposal[];
  /** Words that name nothing here. */
  unknown: string[];
}

/** What the rules have made of the question: one more that it may mean. */
export interface Ruled {
  k: "run" | "clarify" | "refuse";
  ask?: Ask;
  cost?: number;
  /** Readings of theirs, and choices that they made. */
  readings?: number;
  assumptions?: number;
}

/** What a question may mean, the likeliest first and what the rules make of it last; nothing is run. */
export function propose(question: Question, knowledge: Knowledge, ruled: Ruled): Proposals {
  const schema = linkSchemaOf(knowledge, languageOfQuestion(question.text));
  const linked = link(schema, question.text);
  const dates = datesIn(question, knowledge).map(({ start, end }) => question.text.slice(start, end));
  return runnable(schema, linked, knowledge, readerModels().slots, { ...ruled, dates });
}

/** The likeliest queries that the model can carry, each statement once. */
export function runnable(
  schema: LinkSchema,
  linked: Linked,
  knowledge: Knowledge,
  models: SlotModels,
  ruled: Ruled & { dates: readonly string[] },
): Proposals {
  const slots = slotsOf(schema, linked, models);
  const found = new Map<string, Runnable & { ask: Ask }>();
  for (const candidate of enumerate(schema, linked, slots)) {
    if (found.size === LIMITS.agent.candidateQueries) break;
    const ask = askOf(schema, candidate.draft);
    const compiled = ask && ifCarried(() => compile(knowledge.schema, ask));
    if (ask === undefined || compiled === undefined || found.has(compiled.sql)) continue;
    found.set(compiled.sql, { ask, candidate, read: compiled.used.datasets });
  }
  const drafted = knownOf(schema, linked, slots, [...found.values()]);
  const more = (one: Pick<Runnable, "read"> & { ask: Ask }) => {
    const { numbers, ...how } = askNumbers(schema, linked, { ...one, dates: ruled.dates });
    const own = [
      ...RULED_BY.map((k) => (k === ruled.k ? 1 : 0)),
      Math.min(9, ruled.cost ?? -1),
      ruled.readings ?? 0,
      ruled.assumptions ?? 0,
      slots.unknown.length,
      linked.tokens.length,
      Math.max(...slots.sketch.kind),
      ...numbers,
    ];
    return { own, ...how };
  };
  const proposals = [...found].map(([sql, one], i): Proposal => {
    const known = drafted[i] as Drafted;
    const isOutOfTime = isTimeless({ ask: one.ask, dates: ruled.dates }, linked);
    const { own, ...how } = more(one);
    const all = { ...known, ...how, own: [...known.own, ...own] };
    return { ask: one.ask, sql, known: { ...all, ...(isOutOfTime && { isTimeless: true }) } };
  });
  const { ask } = ruled;
  const compiled = ask && ifCarried(() => compile(knowledge.schema, ask));
  if (ask !== undefined && compiled !== undefined) {
    const same = proposals.find(({ sql }) => sql === compiled.sql);
    const { own, ...how } = more({ ask, read: compiled.used.datasets });
    const alone: Known = { ...how, logP: 0, own: [...NOT_DRAFTED, ...own], isAlien: true };
    if (same === undefined) proposals.push({ ask, sql: compiled.sql, known: { ...alone, isRuled: true } });
    else Object.assign(same, { ask, known: { ...same.known, isRuled: true } });
  }
  return { proposals, unknown: [...slots.unknown] };
}

const RULED_BY = ["run", "clarify", "refuse"] as const;
