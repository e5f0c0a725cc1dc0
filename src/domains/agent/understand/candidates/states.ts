import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { isSameField } from "../../query/parts.ts";
import type { Comparison, Cond, Key } from "../../query/semantic-query.ts";
import type { Word } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import { type Deadline, deadlinesIn, isThreshold, returnsIn, stocksIn } from "../model/state-columns.ts";
import type { Question } from "../reading.ts";
import { entities } from "../senses/make.ts";
import type { Found } from "./candidates.ts";
import { datesIn } from "./dates.ts";

/** Some words that say how something stands, and what of the model they are said with. */
interface Said {
  words: readonly Word[];
  start: number;
  end: number;
  text: string;
  found: readonly Found[];
  lexicon: Lexicon;
  knowledge: Knowledge;
  today: string | null;
}

/** How something stands, as columns tell it, and how that is said back. */
interface State {
  cond: Cond;
  key: Key;
  says: string;
  /** Where more words belong to it than were looked for. */
  start?: number;
  end?: number;
}

const DUE_DATE = "(?:due|required|promised|expected|planned|scheduled|agreed|target) (?:date|day|time)s?";
const THEIRS = "(?:its|their|the|our)";

/** What is said of how something stands, by folded words. */
const STATES: readonly (readonly [said: string, states: (said: Said) => State[]])[] = [
  [
    `(?:too )?late|belatedly|behind schedule|zu spat|verspatet|(?:missed|past|after|passed|exceeded|beyond|later than) ${THEIRS} ${DUE_DATE}|(?:missed|passed) ${THEIRS} deadlines?`,
    late,
  ],
  ["overdue|past due|uberfallig(?:e[nrs]?)?", overdue],
  ["on time|in time|on schedule|punctual(?:ly)?|punktlich|rechtzeitig", inTime],
  [
    "out of stock|out-of-stock|sold out|none left|(?:not|no longer) in stock|ausverkauft|nicht (?:mehr )?(?:auf lager|vorratig)",
    soldOut,
  ],
  ["in stock|on hand|vorratig|auf lager", stocked],
  [
    "(?:still|currently) (?:out|rented|borrowed|lent|missing)|(?:checked|lent|rented) out|on loan|on hire|not (?:yet )?(?:come )?back",
    out,
  ],
  [
    `(?:(?:has |have )?(?:dropped|fallen|gone|fell|slipped|sunk) )?(?:at or )?(?:below|under|beneath|above|over)(?: ${THEIRS})?`,
    beyond,
  ],
];

/** Less likely than what the author calls so. */
const COST = 0.2;

/** "late", "out of stock", "below the reorder level": nobody has defined it, but columns tell it. */
export function statesIn(
  words: readonly Word[],
  found: readonly Found[],
  { lexicon, question, knowledge }: { lexicon: Lexicon; question: Question; knowledge: Knowledge },
): Found[] {
  const [now] = datesIn({ ...question, text: "today" }, knowledge);
  const today = now?.kind === "window" ? now.window.from : null;
  const text = words.map(({ norm }) => norm).join(" ");
  const hasThings = found.some(({ sense, cost }) => cost < 1 && (sense.t === "rel" || sense.t === "table"));
  return STATES.flatMap(([said, states]) =>
    [...text.matchAll(new RegExp(`(?<![^ ])(?:${said})(?![^ ])`, "g"))].flatMap((match) => {
      const start = text.slice(0, match.index).split(" ").length - 1;
      const end = start + match[0].split(" ").length;
      const isOwn = found.some((each) => isNamed(each) && each.start <= start && each.end >= end);
      if (isOwn) return [];
      const isOfThings = hasThings && !ANYTHING.test(text.slice(0, match.index));
      return states({ words, start, end, text: match[0], found, lexicon, knowledge, today }).map(
        ({ cond, key, says, ...place }): Found => ({
          sense: isOfThings ? { t: "cond", ds: key.ds, cond } : thoseWith(key.ds, cond),
          start: place.start ?? start,
          end: place.end ?? end,
          cost: COST - 0.3 * ((place.end ?? end) - (place.start ?? start) - 1),
          taken: says,
        }),
      );
    }),
  );
}

const ANYTHING = /\b(?:everything|anything|whatever|all)(?: (?:that|which|is|are|has|have|currently|now))* $/;

/** "everything that is out of stock": whatever that can be said of. */
function thoseWith(ds: string, cond: Cond): Found["sense"] {
  return entities({ k: "where", in: { k: "all", ds }, if: cond }, ds);
}

/** What the author, or a value, is called by is meant before. */
function isNamed({ sense, cost }: Found): boolean {
  return sense.t === "cond" || ((sense.t === "table" || sense.t === "rel") && cost < 0.5);
}

/** "shipped late" is so by that deed; what is merely late may be done, or be due and still not done. */
function late(said: Said): State[] {
  const { deed, start, end } = deedBeside(said);
  return deadlinesOf(said, deed).flatMap(({ due, done }): State[] => {
    const after = { ...compared(done, ">", due), start, end };
    const isDefined = said.knowledge.definitions.adjectives.some(
      ({ word, ds }) => word === "late" && ds === due.ds,
    );
    const [open] = deed === undefined && !isDefined ? overdueBy(said, { due, done }) : [];
    if (open === undefined) return [after];
    const says = `${after.says} or, where that is empty, ${name(due)} before today`;
    return [after, { ...after, cond: { k: "or", of: [after.cond, open.cond] }, says }];
  });
}

function inTime(said: Said): State[] {
  const { deed, start, end } = deedBeside(said);
  return deadlinesOf(said, deed).map(({ due, done }) => ({ ...compared(done, "<=", due), start, end }));
}

function overdue(said: Said): State[] {
  return deadlinesOf(said, undefined).flatMap((deadline) => overdueBy(said, deadline));
}

function overdueBy({ today }: Said, { due, done }: Pick<Deadline, "due" | "done">): State[] {
  if (today === null) return [];
  const before: Cond = { k: "during", win: { from: null, to: today, on: due, said: `before ${today}` } };
  return [
    {
      cond: { k: "and", of: [{ k: "null", key: done }, before] },
      key: due,
      says: `${name(due)} before today without ${name(done)}`,
    },
  ];
}

function deadlinesOf({ knowledge }: Said, deed: readonly Key[] | undefined): Deadline[] {
  const all = deadlinesIn(knowledge.schema);
  if (deed === undefined) return all.filter(({ isPaid }) => isPaid !== true);
  return all.filter(({ done }) => deed.some((own) => isSameField(own, done)));
}

/** The deed that stands before or behind: "shipped late", "late shipped". */
function deedBeside({ words, start, end, lexicon }: Said) {
  const deedAt = (at: number) => {
    const entries = [
      ...(lexicon.deeds.get(words[at]?.norm ?? "") ?? []),
      ...(lexicon.phrases.get(words[at]?.stem ?? "") ?? []),
    ];
    const keys = entries.flatMap(({ sense }) => (sense.t === "field" && sense.isDone ? [sense.key] : []));
    return keys.length === 0 ? undefined : keys;
  };
  const [before, behind] = [deedAt(start - 1), deedAt(end)];
  if (before !== undefined) return { deed: before, start: start - 1, end };
  return behind === undefined ? { deed: undefined, start, end } : { deed: behind, start, end: end + 1 };
}

function soldOut({ knowledge }: Said): State[] {
  return stocksIn(knowledge.schema).map((key) => ({ ...measured(key, "<="), says: `no ${name(key)}` }));
}

/** Of things, that there are some; of units, "in stock" says which number of them is asked for. */
function stocked({ knowledge, words, start, found }: Said): State[] {
  const isThing = ({ sense, end }: Found) => end === start && sense.t === "rel" && sense.form === "noun";
  const isSaid = IS.test(words[start - 1]?.norm ?? "") || found.some(isThing);
  if (!isSaid || words.some(({ norm }) => UNITS.test(norm))) return [];
  return stocksIn(knowledge.schema).map((key) => ({ ...measured(key, ">"), says: `some ${name(key)}` }));
}

const IS = /^(is|are|was|were|be|still|currently|now|that|which|sind|ist|noch)$/;
const UNITS = /^(units?|pieces?|copies|copy|items?|stuck|exemplare?)$/;

function measured(key: Key, op: Comparison): Pick<State, "cond" | "key"> {
  return { key, cond: { k: "cmp", a: key, op, b: { k: "lit", v: 0 } } };
}

function out({ knowledge }: Said): State[] {
  return returnsIn(knowledge.schema).map((key) => ({
    key,
    cond: { k: "null", key },
    says: `no ${name(key)} yet`,
  }));
}

/** "below their reorder level": what there is, less than there should be. */
function beyond({ text, start, end, found, knowledge }: Said): State[] {
  const op = /at or/.test(text) ? "<=" : /above|over/.test(text) ? ">" : "<";
  const numbersAt = (isHere: (each: Found) => boolean) =>
    found.flatMap((each) => {
      if (each.sense.t !== "field" || !isHere(each)) return [];
      const { key } = each.sense;
      const kind = knowledge.schema.datasets.get(key.ds)?.fields.get(key.field)?.kind;
      return kind === "number" ? [{ ...each, key }] : [];
    });
  const [limit] = numbersAt((each) => each.start === end && each.cost < 0.5).toSorted(
    (a, b) => b.end - a.end,
  );
  if (limit === undefined) return [];
  const [own] = numbersAt((each) => each.end === start && each.cost < 0.5);
  if (own !== undefined && own.key.ds === limit.key.ds)
    return [{ ...compared(own.key, op, limit.key), start: own.start, end: limit.end }];
  if (!isThreshold(limit.key)) return [];
  return stocksIn(knowledge.schema)
    .filter(({ ds }) => ds === limit.key.ds)
    .map((key) => ({ ...compared(key, op, limit.key), end: limit.end }));
}

function compared(a: Key, op: "<" | "<=" | ">", b: Key): State {
  const says = `${name(a)} ${{ "<": "below", "<=": "not beyond", ">": "beyond" }[op]} ${name(b)}`;
  return { key: a, cond: { k: "cmp", a, op, b }, says };
}

function name({ field }: Key): string {
  return field.replaceAll("_", " ");
}
