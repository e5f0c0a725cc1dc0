import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Rel } from "../query/semantic-query.ts";
import type { Reading, Understanding } from "../understand/reading.ts";
import { fold } from "../understand/words.ts";
import type { chartWish } from "./chart-wish.ts";
import { mergeList, mergeTable, withNumber } from "./merge.ts";

/** What was asked before, as it was understood. */
export interface Previous {
  ask: Ask;
  said: string;
}

/** Words with which people go on from what was said; what they add follows. */
const GOES_ON =
  /^(?:(?:and|but|now|then|ok|okay|or|und|aber|jetzt|dann|oder)\b[\s,]*)*(?:(?:what|how) about\b|was ist mit\b|wie (?:ist|war|sieht) es (?:mit|aus mit|bei)\b|(?:the )?same\b(?: thing)?(?: again)?|dasselbe\b|das gleiche\b|instead\b|stattdessen\b|also\b|auch\b|only\b|just\b|nur\b|please\b|bitte\b|show (?:it|that|this|them|me)\b|zeige? (?:es|das|mir)\b|(?:break|split) (?:it|that|this|them)(?: down| up)?\b|broken down\b|aufgeteilt\b)?[\s,]*/i;
/** Asks for something to be shown, and not for a change of what was. */
const SHOWS = /\b(?:show me|zeige? mir)\b/i;
/** Whoever asks who, what or how many names what is asked for; more words than "how many?" are a question. */
const OPENER =
  /^(?:show|list|give|name|find|which|what|who|whose|when|where|how|zeige?|liste|nenne|welche[rnms]?|was|wer|wann|wo|wie)\b/i;
const EXCLUDES = /^(?:without|excluding|except(?: for)?|not|ohne|außer|nicht)\b/i;
const ADDS =
  /\b(?:also|too|as well|additionally|in addition|broken down|break|split|auch|zusätzlich|aufgeteilt)\b/i;
const COUNTS = /^(?:how many(?: (?:are|were) (?:there|they|that))?|wie viele(?: sind (?:es|das))?)\s*\??$/i;
/** What follows one of these is a grouping or a period, and no other number. */
const GROUPS = /^(?:by|per|in|since|from|during|until|nach|pro|je|im|seit|bis)\b/i;
/** A fragment begins with one of these; a whole question may as well. */
const PREPOSITION = /^(?:by|per|for|in|with|since|from|during|until|nach|pro|je|für|im|seit|mit|bis|von)\b/i;

export interface Going {
  knowledge: Knowledge;
  read: (text: string) => Promise<Understanding>;
}

/**
 * What was asked before, changed by what is said now: another grouping, period, condition or number. Undefined
 * when the text is a question of its own.
 */
export async function followUp(
  { text, chart }: ReturnType<typeof chartWish>,
  previous: Previous,
  going: Going,
): Promise<Reading | undefined> {
  if (chart !== undefined && text.replace(GOES_ON, "").replaceAll(/[?!.\s]/g, "") === "") {
    return carried(previous.ask, previous);
  }
  const lead = GOES_ON.exec(text)?.[0] ?? "";
  const rest = text
    .slice(lead.length)
    .replace(/[?!.\s]+$/, "")
    .trim();
  const goesOn = lead.replace(SHOWS, "").trim() !== "" || EXCLUDES.test(rest) || COUNTS.test(text);
  const more = goesOn ? undefined : topOf(rest, previous.ask);
  if (more !== undefined) return carried(more, previous);
  if (!goesOn && (await isWhole(text, going))) return undefined;
  // A sentence of its own is one also where it cannot be answered.
  if (!goesOn && OPENER.test(text.trim()) && !PREPOSITION.test(rest)) return undefined;
  const isPrefix = lead.trim() === "" && PREPOSITION.test(rest);
  if (!goesOn && !isPrefix && rest.split(/\s+/).length > MOST_WORDS) return undefined;
  const ask =
    rest === "" ? undefined : await changed(rest, previous.ask, { ...going, adds: ADDS.test(text) });
  if (ask === undefined || JSON.stringify(ask) === JSON.stringify(previous.ask)) return undefined;
  return carried(ask, previous);
}

/** "top 10" of what was ranked before: by the same number. */
function topOf(rest: string, ask: Ask): Ask | undefined {
  const [, word = "", n] = /^(?:the )?(top|first|best|bottom|worst) (\d{1,3})$/i.exec(rest) ?? [];
  if (n === undefined || ask.k !== "table" || ask.by.length === 0) return undefined;
  const [by] = ask.cols;
  const dir = /bottom|worst/i.test(word) ? ("min" as const) : ("max" as const);
  return by === undefined ? undefined : { ...ask, top: { n: Number(n), by, dir, ties: "cut" } };
}

/** Where a question ends and something more is said of it. */
const SAYS_MORE =
  /^(?<head>.{8,}?)(?:[.?!;]\s+|\s+[-–]\s+|\s*\(|,\s+(?=(?:counting |but )?(?:only|just|excluding|without|not counting|ignoring|leav(?:e|ing) out)\b))(?<tail>[^.?!;()]{3,})[.?!)]*$/is;
const LEADS =
  /^(?:(?:please|but|and|counting|look(?:ing)? at|consider(?:ing)?|take|use|i mean|i\.e\.|meaning|that is|only|just)\b[\s,:]*)+/i;

/** A question and a sentence that limits it: "Which store grew most? Only those that opened before 2024." */
export async function saidInTwo(text: string, going: Going): Promise<Reading | undefined> {
  const { head, tail = "" } = SAYS_MORE.exec(text)?.groups ?? {};
  if (head === undefined) return undefined;
  const { readings, missing, unclear } = await going.read(head);
  const [first] = readings;
  if (first === undefined || missing.length > 0 || unclear.length > 0) return undefined;
  const ask = await changed(tail.replace(LEADS, "").trim(), first.ask, {
    ...going,
    adds: false,
    limits: true,
  });
  if (ask === undefined || JSON.stringify(ask) === JSON.stringify(first.ask)) return undefined;
  return { ...first, ask, said: say(ask) };
}

/** More words without any that go on are a question of their own. */
const MOST_WORDS = 5;

/** The same query, presented in another way. */
function carried(ask: Ask, { said }: Previous): Reading {
  const choice = `carried over from the question before: ${said}`;
  return { ask, cost: 0, said: say(ask), assumptions: [{ at: null, choice, others: [], isTheirs: true }] };
}

async function isWhole(text: string, { read }: Going): Promise<boolean> {
  const { readings, missing, unclear } = await read(text);
  return (readings.length > 0 && missing.length === 0) || unclear.length > 0;
}

interface Changing extends Going {
  adds: boolean;
  /** It says of which rows the same is wanted, and nothing else. */
  limits?: true;
}

async function changed(
  rest: string,
  ask: Ask,
  { adds, limits, ...going }: Changing,
): Promise<Ask | undefined> {
  const excludes = EXCLUDES.test(rest);
  const fragment = rest.replace(EXCLUDES, "").trim();
  if (COUNTS.test(rest)) {
    if (ask.k === "table") return undefined;
    return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: ask.rel }] };
  }
  if (ask.k === "table" && !excludes && limits !== true && !GROUPS.test(fragment)) {
    const named = fragment.replace(/^(?:for|für|of|von|with|mit)\s+/i, "");
    // "and the budget?" after an average is the average budget.
    const other =
      (await numberIn(named, going)) ??
      (await numberIn(
        `${aggregateOf(ask, going.knowledge)} ${named.replace(/^(?:the|das|die|der)\s+/i, "")}`,
        going,
      ));
    if (other !== undefined) return withNumber(ask, other);
  }
  const carrier = ask.k === "table" ? carrierOf(ask, going.knowledge) : nounOf(ask.rel);
  if (carrier === undefined) return undefined;
  const texts = PREPOSITION.test(fragment)
    ? [`${carrier} ${fragment}`]
    : [
        `${carrier} for ${fragment}`,
        `${carrier} in ${fragment}`,
        `${carrier} ${fragment}`,
        `${carrier} by ${fragment}`,
      ];
  for (const text of texts) {
    const { readings, missing, unclear } = await going.read(text);
    const [reading] = readings;
    if (reading === undefined || missing.length > 0 || unclear.length > 0) continue;
    const merged =
      ask.k === "table"
        ? mergeTable(ask, reading.ask, { adds, excludes })
        : mergeList(ask, reading.ask, { excludes });
    const isRegrouped =
      merged?.k === "table" && ask.k === "table" && JSON.stringify(merged.by) !== JSON.stringify(ask.by);
    if (merged !== undefined && !(limits === true && isRegrouped)) return merged;
  }
  return undefined;
}

/** A fragment that is another number: a metric, or entities to be counted. */
async function numberIn(
  text: string,
  { read, knowledge }: Going,
): Promise<Extract<Ask, { k: "table" }> | undefined> {
  const { readings, missing, unclear } = await read(text);
  const [best] = readings;
  if (best === undefined || missing.length > 0 || unclear.length > 0) return undefined;
  if (best.ask.k === "table") return best.ask;
  const { rel, show } = best.ask;
  const [only, ...others] = show;
  if (rel.k !== "all" || only === undefined || others.length > 0) return undefined;
  const { nameField, key = [] } = knowledge.schema.datasets.get(rel.ds) ?? {};
  // A field that was named is no wish to count whatever has it.
  if (only.ds !== rel.ds || (only.field !== nameField && !key.includes(only.field))) return undefined;
  return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: rel }] };
}

/** How the numbers before were made of rows. */
function aggregateOf({ cols: [num] }: Extract<Ask, { k: "table" }>, { schema }: Knowledge): string {
  if (num?.k === "agg") return num.fn === "avg" ? "average" : "total";
  const formula = num?.k === "metric" ? schema.metrics.get(num.name)?.formula : undefined;
  const [start] = formula?.aggregates[0]?.pieces ?? [];
  return typeof start === "string" && /^\s*(avg|mean)\s*\(/i.test(start) ? "average" : "total";
}

/** Words that the fragment can be read with: what it adds is taken, and these are not. */
function carrierOf(ask: Extract<Ask, { k: "table" }>, { model, schema }: Knowledge): string | undefined {
  const used = /"k":"metric","name":"([^"]+)"/.exec(JSON.stringify(ask.cols))?.[1];
  const counted = /"k":"all","ds":"([^"]+)"/.exec(JSON.stringify(ask.cols))?.[1];
  const first = model.metrics.find(({ name }) => schema.metrics.has(name))?.name;
  const name = used ?? (counted === undefined ? first : `number of ${counted}`);
  return name === undefined ? undefined : fold(name).replaceAll("_", " ");
}

function nounOf(rel: Rel): string | undefined {
  if (rel.k === "all") return rel.ds.replaceAll("_", " ");
  if (rel.k === "where" || rel.k === "top") return nounOf(rel.in);
  return undefined;
}
