import { bare, condsOf, datasetIn, isEqual, isSameField, nodesIn, relConds } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Cond, DatePart, Key, Literal, Rel, Scope, Window } from "../query/semantic-query.ts";

/** Which days of a date conditions leave. */
export interface TimeLimits {
  windows: readonly { from: string | null; to: string | null }[];
  parts: readonly { part: DatePart; values: readonly Literal[]; isNot: boolean }[];
}

/** The date that periods are made of, and the one that a period without a date of its own goes by. */
interface Dated {
  schema: Schema;
  date: Key;
  dateOf: (win: Window) => Key | null | undefined;
}

const NONE: TimeLimits = { windows: [], parts: [] };
/** Fields that say when something was without being dates. */
const TEMPORAL =
  /(^|_)(year|quarter|month|week|weekday|day_of_week|season|period|jahr|quartal|monat|woche|wochentag|saison)$/i;

/** Undefined where it cannot be told: "before March or after June", the last hundred rows. */
function timeLimits(conds: readonly Cond[], dated: Dated): TimeLimits | undefined {
  const all = conds.map((cond) => limitsOf(cond, dated));
  const known = all.filter((each) => each !== undefined);
  if (known.length < all.length) return undefined;
  const windows = known.flatMap((each) => each.windows);
  return {
    windows: windows.filter((win, i) => windows.findIndex((other) => isEqual(other, win)) === i),
    parts: known.flatMap(({ parts }) => parts),
  };
}

/** Of the rows of a set within a scope. */
export function limitsOfRows(
  { scope, of }: { scope: Scope; of?: Rel | undefined },
  dated: Dated,
): TimeLimits | undefined {
  const own = of === undefined ? [] : condsIn(of);
  const then: Cond[] = scope.win === undefined ? [] : [{ k: "during", win: scope.win }];
  return own && timeLimits([...then, ...condsOf(scope.if), ...own], dated);
}

/** What says which rows of a dataset these are; undefined where it is more than conditions. */
function condsIn(rel: Rel): Cond[] | undefined {
  const { k } = bare(rel);
  return k === "all" || k === "via" ? relConds(rel) : undefined;
}

function limitsOf(cond: Cond, dated: Dated): TimeLimits | undefined {
  switch (cond.k) {
    case "and":
      return timeLimits(cond.of, dated);
    case "during":
      return isSameField(dated.dateOf(cond.win), dated.date) ? within(cond.win) : undefined;
    case "is":
      return ofValues(cond, dated, false);
    case "link":
      return ofLinked(cond, dated);
    case "not":
      if (cond.of.k === "is") return ofValues(cond.of, dated, true);
      return cond.of.k === "link" && ofLinked(cond.of, dated) === NONE ? NONE : unlessOfTime(cond.of, dated);
    case "null":
      return NONE;
    default:
      return unlessOfTime(cond, dated);
  }
}

function within({ from, to }: Window): TimeLimits {
  return { ...NONE, windows: [{ from, to }] };
}

function unlessOfTime(part: unknown, { schema }: Dated): TimeLimits | undefined {
  return isOfTime(part, schema) ? undefined : NONE;
}

function ofValues(cond: Extract<Cond, { k: "is" }>, dated: Dated, isNot: boolean): TimeLimits | undefined {
  const { key, values } = cond;
  if (key.part === undefined || !isSameField(key, dated.date)) return unlessOfTime(cond, dated);
  // Each day has each hour.
  return key.part === "hour" ? NONE : { ...NONE, parts: [{ part: key.part, values, isNot }] };
}

/** When something else was, or anything that belongs to it, says nothing of when these rows were. */
function ofLinked({ path, to, count }: Extract<Cond, { k: "link" }>, dated: Dated): TimeLimits | undefined {
  const { schema, date } = dated;
  if (path.some(({ dir }) => dir === "many") || !isOfTime(to, schema)) return NONE;
  const ds = datasetIn(to);
  const own = ds === undefined ? undefined : schema.datasets.get(ds)?.date;
  if (ds !== date.ds && !isSameField(own, date)) return NONE;
  const conds = condsIn(to);
  if (count !== undefined || conds === undefined) return undefined;
  return timeLimits(conds, { ...dated, dateOf: (win) => win.on ?? own });
}

function isOfTime(part: unknown, { datasets }: Schema): boolean {
  return nodesIn(part).some(({ k, ds, field }) => {
    if (k === "during") return true;
    if (typeof field !== "string") return false;
    return datasets.get(ds as string)?.fields.get(field)?.kind === "date" || TEMPORAL.test(field);
  });
}
