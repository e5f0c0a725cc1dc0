import { editDistance } from "../../../kernel/nearest.ts";
import { type DateFound, type DateWindow, readDates, type WindowFound } from "../dates/read-dates.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Num, Order, Window } from "../query/semantic-query.ts";
import { parse } from "./chart.ts";
import { Grammar } from "./combine.ts";
import { TABLE_RULES } from "./combine-tables.ts";
import {
  COMPARATIVES,
  EVALUATIVE,
  FILLERS,
  GRAMMAR,
  HOW,
  MEASURES,
  QUANTITIES,
  SUPERLATIVES,
} from "./english.ts";
import type { Fragment, Sense, TableSense } from "./fragment.ts";
import { type Entry, type Lexicon, lexiconOf } from "./lexicon.ts";
import type { Reading, Understanding } from "./reading.ts";
import { stem, type Word, wordsOf } from "./words.ts";

/** What is made of a model once, however many questions there are. */
const prepared = new WeakMap<Knowledge, { lexicon: Lexicon; grammar: Grammar }>();

function prepare(knowledge: Knowledge): { lexicon: Lexicon; grammar: Grammar } {
  const known = prepared.get(knowledge);
  if (known !== undefined) return known;
  const made = { lexicon: lexiconOf(knowledge), grammar: new Grammar(knowledge, TABLE_RULES) };
  prepared.set(knowledge, made);
  return made;
}

interface Question {
  text: string;
  now: string;
  timeZone: string;
}

/** Reads a question by rules alone: pure, and quick enough to be called for every keystroke. */
export function understand(question: Question, knowledge: Knowledge): Understanding {
  const whole = understandText(question, knowledge);
  if (whole.readings.length > 0 && whole.missing.length === 0) return whole;
  // What stands before a question often only says why it is asked.
  const tail = /[.!:;]\s+(\S[^.!:;]*)$/.exec(question.text)?.[1];
  if (tail === undefined) return whole;
  const last = understandText({ ...question, text: tail }, knowledge);
  return last.readings.length > 0 && last.missing.length === 0 ? last : whole;
}

function understandText(question: Question, knowledge: Knowledge): Understanding {
  const { lexicon, grammar } = prepare(knowledge);
  const text = withDateWords(question.text, lexicon);
  const all = wordsOf(text);
  const found = [
    ...candidates(all, lexicon),
    ...dateCandidates({ ...question, text }, all, knowledge),
    ...numberCandidates(all),
  ];
  const kept = keepWords(all, found);
  const place = new Map(kept.map((index, i) => [index, i]));
  const fragments = found.flatMap((each) => moved(each, place, kept));
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  const parsed = parse({
    words: kept.length,
    fragments,
    rulesFor: (left, right) => grammar.rulesFor(left, right),
    convert: (sense) => grammar.convert(sense),
    skipCost: (word) => skipCost(all[kept[word] as number] as Word, known.has(kept[word] as number)),
  });
  const readings = parsed.flatMap((fragment) => {
    const asked = askOf(grammar, fragment.sense);
    if (asked === undefined) return [];
    return [{ ...asked, fragment, cost: fragment.cost + asked.cost + listCost(question.text, asked.ask) }];
  });
  readings.sort((a, b) => a.cost - b.cost);
  const [best] = readings;
  const left = best === undefined ? kept.map((_, i) => i) : best.fragment.skipped;
  // Whatever carries meaning and was left over makes an answer to another question.
  const skipped = left
    .map((i) => kept[i] as number)
    .filter((i) => skipCost(all[i] as Word, known.has(i)) >= 3);
  const judged = skipped.filter((i) => EVALUATIVE.has(all[i]?.norm ?? ""));
  const missing = skipped
    .filter((i) => !judged.includes(i) && (judged.length === 0 || !known.has(i)))
    .map((i) => {
      const word = all[i] as Word;
      return { span: { start: word.start, end: word.end }, text: word.text, nearest: [] };
    });
  return {
    readings: readings.slice(0, 10).map(
      ({ ask, cost, fragment }): Reading => ({
        ask: finished(ask, question, knowledge),
        cost,
        assumptions: [],
        said: fragment.notes.join("; "),
      }),
    ),
    missing,
    unclear: judged.map((i) => ({
      question: `By which number is "${all[i]?.text}" meant?`,
      suggestions: knowledge.model.metrics.slice(0, 5).map(({ name }) => name.replaceAll("_", " ")),
    })),
    trace: [{ stage: "words", found: kept.map((i) => all[i]?.text ?? "") }],
  };
}

/** "Which orders" wants the orders, "orders last week" their number. */
function listCost(text: string, ask: Ask): number {
  const wantsList = /^\s*(which|list|show|name|who|give)\b/i.test(text);
  if (ask.k === "table") return wantsList && ask.by.length === 0 ? 0.8 : 0;
  const [key] = ask.show;
  const isNumbered = ask.show.length === 1 && key !== undefined && /(^|_)id$/.test(key.field);
  return isNumbered && !wantsList ? 0.6 : 0;
}

/** What the question leaves to the author's conventions. */
function finished(ask: Ask, { now }: Question, { definitions }: Knowledge): Ask {
  if (ask.k !== "table") return ask;
  const months = Math.max(
    0,
    ...ask.cols.map((num) =>
      num.k === "metric" && num.scope?.win === undefined ? (definitions.defaultMonths.get(num.name) ?? 0) : 0,
    ),
  );
  const { win } = ask.scope ?? {};
  if (win !== undefined) return withinWindow(ask, win);
  if (months === 0 || ask.by.some(({ bucket }) => bucket !== undefined)) return ask;
  const to = new Date(`${now.slice(0, 10)}T00:00:00Z`);
  to.setUTCDate(to.getUTCDate() + 1);
  const from = new Date(to);
  from.setUTCMonth(from.getUTCMonth() - months);
  const recent = { from: isoDate(from), to: isoDate(to), said: `the ${months} months up to today` };
  return { ...ask, scope: { ...ask.scope, win: recent } };
}

/** The top customers of a question about 2025 are those of 2025. */
function withinWindow<T>(node: T, win: Window): T {
  if (Array.isArray(node)) return node.map((each) => withinWindow(each, win)) as T;
  if (typeof node !== "object" || node === null) return node;
  const changed = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withinWindow(value, win)]),
  ) as T & { k?: string; by?: Num };
  if (changed.k === "top" && changed.by?.k === "metric" && changed.by.scope === undefined)
    return { ...changed, by: { ...changed.by, scope: { win } } };
  return changed;
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

const DATE_WORDS =
  "month monthly months quarter quarterly quarters weekly weeks yearly years january february march april june july august september october november december".split(
    " ",
  );

/** Misspelt words of time are corrected before dates are read. */
function withDateWords(text: string, lexicon: Lexicon): string {
  return text.replace(/\p{L}{5,}/gu, (word) => {
    const norm = word.toLowerCase();
    if (
      DATE_WORDS.includes(norm) ||
      FILLERS.has(norm) ||
      lexicon.values.has(norm) ||
      lexicon.phrases.has(stem(norm))
    )
      return word;
    return DATE_WORDS.find((known) => editDistance(known, norm) === 1) ?? word;
  });
}

/** Dates are read by a grammar of their own. */
function dateCandidates(
  { text, now, timeZone }: { text: string; now: string; timeZone: string },
  words: readonly Word[],
  { definitions }: Knowledge,
): Found[] {
  const fiscalStart = { month: definitions.rules.fiscalMonth ?? 1, day: 1, namedAfter: "start" as const };
  const found = readDates(text, { now, timeZone, weekStart: "monday", fiscalStart, style: "business" });
  const pairs = windowPairs(found, text);
  const joined = [...pairs].flatMap(([second, first]) => paired(second, first, text, words));
  const single = found.flatMap((each): Found[] => {
    const start = words.findIndex((word) => word.end > each.start);
    const end = words.findLastIndex((word) => word.start < each.end) + 1;
    if (start === -1 || end <= start) return [];
    const at = { start, end, cost: (end - start - 1) * -0.3 };
    if (each.kind === "window" || each.kind === "same") {
      const sense: Sense = { t: "window", win: { ...each.window, said: each.said } };
      const cost = at.cost + ("latent" in each && each.latent ? 0.1 : 0);
      const ends = "ends" in each ? each.ends : undefined;
      return [
        { ...at, cost, sense },
        ...(ends === undefined
          ? []
          : [
              {
                ...at,
                cost: cost + 0.2,
                sense: {
                  t: "windows" as const,
                  wins: ends.toReversed().map((win) => ({ ...win, said: "" })),
                },
              },
            ]),
      ];
    }
    if (each.kind === "grain")
      return [{ ...at, sense: { t: "grain", grain: each.grain, isFiscal: each.fiscal ?? false } }];
    if (each.series === true && each.shift !== undefined)
      return [{ ...at, sense: { t: "op", op: "series", arg: each.shift.grain } }];
    if (each.shift !== undefined)
      return [{ ...at, sense: { t: "op", op: "versus period", arg: each.shift.grain } }];
    return [];
  });
  return [...single, ...joined];
}

/** Windows that stand beside each other: "2024 and 2025", "Q1 2026 vs Q1 2025". */
function windowPairs(found: readonly DateFound[], text: string): Map<DateFound, WindowFound> {
  const pairs = new Map<DateFound, WindowFound>();
  for (const [i, first] of found.entries()) {
    const second = found[i + 1];
    if (first.kind !== "window" || second === undefined) continue;
    const between = text.slice(first.end, second.start).trim();
    const isWindow =
      second.kind === "window" &&
      /^(and|und|vs\.?|versus|over|against|compared (to|with)|gegen(über)?)$/i.test(between);
    const isCompare = second.kind === "compare" && second.window !== undefined && /^,?$/.test(between);
    if (isWindow || isCompare) pairs.set(second, first);
  }
  return pairs;
}

function paired(second: DateFound, first: WindowFound, text: string, words: readonly Word[]): Found[] {
  if (second.kind === "grain" || second.window === undefined) return [];
  const start = words.findIndex((word) => word.end > first.start);
  const end = words.findLastIndex((word) => word.start < second.end) + 1;
  const at = { start, end, cost: (end - start - 1) * -0.3 };
  const wins = [first, second].map(({ window, said }) => ({ ...(window as DateWindow), said }));
  const [a, b] = [first.window, second.window];
  const isAnd = /^\s*(and|und)\s*$/i.test(text.slice(first.end, second.start));
  if (isAnd && a.to !== null && a.to === b.from) {
    const win = { from: a.from, to: b.to, said: `${first.said} and ${second.said}` };
    return [
      { ...at, sense: { t: "window", win } },
      { ...at, cost: at.cost + 0.5, sense: { t: "windows", wins } },
    ];
  }
  return [{ ...at, sense: { t: "windows", wins } }];
}

/** Numbers, and how something is compared with them: "more than 60k". */
function numberCandidates(words: readonly Word[]): Found[] {
  const found: Found[] = [];
  for (const [i, word] of words.entries()) {
    const match = /^[$€£]?(\d[\d.,]*)([km])?(%)?$/.exec(word.norm);
    if (match === null) continue;
    const scale = match[2] === "k" ? 1e3 : match[2] === "m" ? 1e6 : 1;
    const isPercent = match[3] === "%" || words[i + 1]?.norm === "percent";
    const value = (Number((match[1] as string).replaceAll(",", "")) * scale) / (isPercent ? 100 : 1);
    found.push({ sense: { t: "number", value, isPercent }, start: i, end: i + 1, cost: 0 });
    for (const length of [1, 2, 3]) {
      const said = words
        .slice(Math.max(0, i - length), i)
        .map(({ norm }) => norm)
        .join(" ");
      const op = i >= length ? QUANTITIES.get(said) : undefined;
      if (op !== undefined)
        found.push({
          sense: { t: "quantity", op, value },
          start: i - length,
          end: i + 1,
          cost: -0.3 * length,
        });
    }
  }
  return found;
}

interface Found {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
}

/** Everything that stretches of words can mean by themselves. */
function candidates(words: readonly Word[], lexicon: Lexicon): Found[] {
  const found: Found[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let end = start + 1; end <= Math.min(words.length, start + lexicon.longest); end += 1) {
      const span = words.slice(start, end);
      const stems = span.map(({ stem }) => stem).join(" ");
      const norms = span.map(({ norm }) => norm).join(" ");
      const bonus = (end - start - 1) * -0.3;
      const isMany = /[^s]s$/.test(span.at(-1)?.norm ?? "");
      for (const { sense, cost } of lexicon.phrases.get(stems) ?? []) {
        const said: Sense =
          sense.t === "rel" && sense.form === "noun" && isMany ? { ...sense, isMany } : sense;
        found.push({ sense: said, start, end, cost: cost + bonus });
      }
      // A word of the model is more often meant than a value that looks like it.
      const rival = lexicon.phrases.has(stems) ? 0.5 : 0;
      for (const { sense, cost } of lexicon.values.get(norms) ?? [])
        found.push({ sense, start, end, cost: cost + bonus + rival });
      const grammar = GRAMMAR.get(stems) ?? GRAMMAR.get(norms);
      if (grammar !== undefined) found.push({ sense: { t: "op", ...grammar }, start, end, cost: bonus });
      const sup = SUPERLATIVES.get(norms) ?? SUPERLATIVES.get(stems);
      if (sup !== undefined) {
        found.push({
          sense: { t: "sup", dir: sup.dir, dim: sup.dim, n: null, isCount: sup.isCount ?? false },
          start,
          end,
          cost: bonus,
        });
      }
      const measure = MEASURES.get(stems);
      if (measure !== undefined)
        found.push({ sense: { t: "op", op: "how", arg: measure }, start, end, cost: 0.3 });
      const compare =
        end - start === 2 && words[start + 1]?.norm === "than"
          ? COMPARATIVES.get(words[start]?.norm ?? "")
          : undefined;
      if (compare !== undefined)
        found.push({ sense: { t: "op", op: "compare", arg: compare }, start, end, cost: bonus });
      const how =
        end - start === 2 && words[start]?.norm === "how" ? HOW.get(words[start + 1]?.stem ?? "") : undefined;
      if (how !== undefined) found.push({ sense: { t: "op", op: "how", arg: how }, start, end, cost: bonus });
    }
  }
  return [...found, ...misspelt(words, found, lexicon)];
}

/** Words that nothing was found for, read as the nearest word of the model, or as a part of a name. */
function misspelt(words: readonly Word[], found: readonly Found[], lexicon: Lexicon): Found[] {
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i): Found[] => {
    if (
      known.has(i) ||
      FILLERS.has(word.norm) ||
      EVALUATIVE.has(word.norm) ||
      word.norm.length < 5 ||
      /\d/.test(word.norm)
    )
      return [];
    const at = { start: i, end: i + 1 };
    const beginning = [...lexicon.values].filter(
      ([key]) => key.startsWith(word.norm) && key.length <= word.norm.length + 2,
    );
    if (beginning.length === 1)
      return (beginning[0] as [string, Entry[]])[1].map(({ sense, cost }) => ({
        ...at,
        sense,
        cost: cost + 0.8,
      }));
    const most = word.norm.length >= 8 ? 2 : 1;
    const near = [...lexicon.phrases].filter(
      ([key]) =>
        !key.includes(" ") &&
        key.length >= 5 &&
        Math.abs(key.length - word.stem.length) <= most &&
        editDistance(key, word.stem) <= most,
    );
    if (near.length > 0)
      return near.flatMap(([, entries]) =>
        entries.map(({ sense, cost }) => ({ ...at, sense, cost: cost + 0.8 })),
      );
    // "the Hallbach companies": several whose names have the word in them.
    const isSeveral = /[^s]s$/.test(words[i + 1]?.norm ?? "");
    return isSeveral
      ? lexicon.parts(word.norm).map(({ sense, cost }) => ({ ...at, sense, cost: cost + 1.2 }))
      : [];
  });
}

/** Words that say nothing are left out, unless something is made of them together with others. */
function keepWords(words: readonly Word[], found: readonly Found[]): number[] {
  const used = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i) => {
    const isFiller = FILLERS.has(word.norm);
    return isFiller && !used.has(i) ? [] : [i];
  });
}

function moved(found: Found, place: ReadonlyMap<number, number>, kept: readonly number[]): Fragment[] {
  const start = place.get(found.start);
  const last = place.get(found.end - 1);
  if (start === undefined || last === undefined || kept.length === 0) return [];
  return [{ sense: found.sense, start, end: last + 1, cost: found.cost, skipped: [], notes: [] }];
}

/** Words of grammar that may be left over. */
const LIGHT: ReadonlySet<string> = new Set([
  "prep",
  "has",
  "by",
  "and",
  "or",
  "than",
  "each",
  "more",
  "compare them",
  "how much",
  "where",
]);

function skipCost({ norm, stem }: Word, isKnown: boolean): number {
  if (FILLERS.has(norm)) return 0;
  const grammar = GRAMMAR.get(norm) ?? GRAMMAR.get(stem);
  if (grammar !== undefined) return LIGHT.has(grammar.op) ? 0.5 : 3;
  return isKnown ? 3 : 6;
}

function askOf(grammar: Grammar, sense: Sense): { ask: Ask; cost: number } | undefined {
  if (sense.t === "mod" && sense.mod.m === "to" && sense.mod.paths !== null) {
    // "who reports to X": entities of the same kind.
    const { ds } = sense.mod;
    const heads = grammar.apply(
      { t: "rel", rel: { k: "all", ds }, ds, form: "noun", isTopped: false },
      sense.mod,
    );
    const [head] = heads;
    return head === undefined ? undefined : askOf(grammar, head.sense);
  }
  if (sense.t === "rel") {
    const key = grammar.nameKey(sense.ds);
    if (key === undefined) return undefined;
    const { rel } = sense;
    // What is first by a date is shown with it, and in its order.
    const by = rel.k === "top" && !("k" in rel.by) ? rel.by : undefined;
    const isDate =
      by !== undefined && grammar.schema.datasets.get(by.ds)?.fields.get(by.field)?.kind === "date";
    const order: Order[] =
      by !== undefined && isDate && rel.k === "top"
        ? [
            { by, dir: rel.dir === "max" ? "desc" : "asc" },
            { by: key, dir: "desc" },
          ]
        : [];
    const ask: Ask = {
      k: "list",
      rel,
      show: by !== undefined && isDate ? [key, by] : [key],
      ...(order.length === 0 ? {} : { order }),
    };
    return { ask, cost: sense.form === "name" ? 1 : 0 };
  }
  if (sense.t === "attr") {
    const { rel, keys, order } = sense;
    return { ask: { k: "list", rel, show: keys, ...(order === undefined ? {} : { order }) }, cost: 0 };
  }
  if (sense.t === "table") return { ask: tableAsk(sense.table), cost: 0 };
  if (sense.t === "share") return undefined;
  return undefined;
}

function tableAsk({ cols, by, conds, win, top, having, order }: TableSense): Ask {
  const cond =
    conds.length === 0 ? undefined : conds.length === 1 ? conds[0] : { k: "and" as const, of: conds };
  const scope = { ...(cond === undefined ? {} : { if: cond }), ...(win === null ? {} : { win }) };
  return {
    k: "table",
    by,
    cols,
    scope,
    ...(top === null ? {} : { top }),
    ...(having === null ? {} : { having }),
    ...(order.length === 0 ? {} : { order }),
    ...(by.length === 1 && by[0]?.bucket !== undefined ? { fill: true } : {}),
  };
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
