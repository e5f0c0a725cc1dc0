import { type Ask, type Cond, isKey, type Key, type Num } from "../query/semantic-query.ts";
import { phraseKey } from "../understand/languages/words.ts";
import { numberIn } from "./changed.ts";
import type { Going } from "./follow-up.ts";
import { condsOf, isEqual, type List, type Table } from "./merge.ts";
import { placeOf } from "./ranked.ts";
import { referentOf } from "./referent.ts";

const SORTS =
  /^(?:sort(?:ed|iert|iere)?|order(?:ed)?|rank(?:ed)?)\s+(?:it\s+|them\s+|that\s+)?(?:by|nach)\s+(?<by>.+?)(?:\s+(?<dir>asc(?:ending)?|desc(?:ending)?|aufsteigend|absteigend))?$/i;
const TOP_BY = /^(?<place>.+?)\s+(?:by|nach)\s+(?<by>.+)$/i;
const ALPHABET = /^(?:names?|alphabet|alphabetically|namen|alphabetisch)$/i;
const OTHERS =
  /^(?:the\s+|all\s+)?(?:others?|other ones|rest|remaining(?: ones)?)$|^(?:alle\s+|die\s+|den\s+)*(?:anderen|übrigen|restlichen|rest)$/i;
const MEDIAN = /^(?:the\s+|der\s+|den\s+)?median(?:wert)?$/i;

/** "sorted by revenue", "top 5 by revenue", "the others", "median": the same, by another number or of another part. */
export async function reordered(rest: string, ask: Ask, going: Going): Promise<Ask | undefined> {
  const sorts = SORTS.exec(rest)?.groups;
  if (sorts !== undefined) return sorted(sorts.by ?? "", sorts.dir, ask, going);
  if (ask.k === "list") return undefined;
  if (MEDIAN.test(rest)) return medians(ask, going);
  if (ask.by.length === 0) return undefined;
  if (OTHERS.test(rest)) return others(ask, going);
  const { place = "", by = "" } = TOP_BY.exec(rest)?.groups ?? {};
  const num = place === "" ? undefined : await numberCalled(by, going);
  const first = num && placeOf(place, num);
  if (first === undefined || num === undefined) return undefined;
  const { order: _, ...table } = withNumber(ask, num);
  return { ...table, top: { ...first, by: num, ties: "cut" } };
}

async function numberCalled(text: string, going: Going): Promise<Num | undefined> {
  const other = await numberIn(text.replace(/^(?:the|den|dem|der)\s+/i, ""), going);
  const [num, ...more] = other?.cols ?? [];
  return more.length > 0 || (other?.by.length ?? 0) > 0 || other?.scope?.if !== undefined ? undefined : num;
}

/** What something is ranked by is shown. */
function withNumber(ask: Table, num: Num): Table {
  return ask.cols.some((col) => isEqual(col, num)) ? ask : { ...ask, cols: [...ask.cols, num] };
}

async function sorted(
  by: string,
  said: string | undefined,
  ask: Ask,
  going: Going,
): Promise<Ask | undefined> {
  const keys = ask.k === "table" ? ask.by : ask.show;
  const key = keys.find((each) => isNamed(by, each));
  const isDown = said === undefined ? key === undefined : /^(?:desc|absteig)/i.test(said);
  const dir = isDown ? ("desc" as const) : ("asc" as const);
  if (key !== undefined) return { ...ask, order: [{ by: key, dir }] };
  const num = await numberCalled(by, going);
  if (num === undefined) return undefined;
  const table = ask.k === "table" ? withNumber(ask, num) : asTable(ask, num);
  return table && { ...table, order: [{ by: num, dir }] };
}

function isNamed(by: string, { field, ds, bucket }: Key): boolean {
  if (bucket !== undefined) return phraseKey(by) === bucket;
  const wanted = phraseKey(by);
  return (
    ALPHABET.test(by) || [field, field.replace(/_name$/, ""), ds].some((name) => phraseKey(name) === wanted)
  );
}

/** Entities with a number are a table of it. */
function asTable({ rel, show }: List, num: Num): Table | undefined {
  const [key, ...more] = show;
  if (key === undefined || more.length > 0 || key.path !== undefined || isKey(num)) return undefined;
  const cond: Cond = { k: "link", at: key.ds, path: [], to: rel };
  return { k: "table", by: [key], cols: [num], scope: { if: cond } };
}

/** All groups but those that were shown. */
async function others(ask: Table, { knowledge, rows }: Going): Promise<Table | undefined> {
  const { top, having, order: _, ...rest } = ask;
  if (top === undefined && having === undefined) return undefined;
  const known = condsOf(ask.scope?.if);
  const { of, conds = [] } = (await referentOf(ask, knowledge, rows)) ?? {};
  const shown: Cond | undefined =
    of === undefined
      ? conds.find((cond) => !known.some((other) => isEqual(cond, other)))
      : { k: "link", at: of.ds, path: [], to: of.rel };
  if (shown === undefined) return undefined;
  return { ...rest, scope: { ...ask.scope, if: { k: "and", of: [...known, { k: "not", of: shown }] } } };
}

/** The median of what the average was of. */
function medians(ask: Table, { knowledge: { schema } }: Going): Table | undefined {
  const [num, ...more] = ask.cols;
  if (num === undefined || more.length > 0) return undefined;
  if (num.k === "agg" && num.fn === "avg") return { ...ask, cols: [{ ...num, fn: "median" }] };
  const { aggregates = [], texts = [] } = (num.k === "metric" && schema.metrics.get(num.name)?.formula) || {};
  const [start, of, end] = aggregates.length === 1 ? (aggregates[0]?.pieces ?? []) : [];
  const isPlain =
    typeof start === "string" &&
    /^\s*avg\s*\(\s*$/i.test(start) &&
    end === ")" &&
    texts.every((text) => text.trim() === "");
  if (!isPlain || typeof of !== "object") return undefined;
  return { ...ask, cols: [{ k: "agg", fn: "median", of, in: { k: "all", ds: of.ds } }] };
}
