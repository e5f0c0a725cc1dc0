import { condsOf, isEqual } from "../query/parts.ts";
import type { Ask, Cond, Key, Num, Window } from "../query/semantic-query.ts";
import type { Change } from "./change.ts";
import { onlyBase, rescoped, type Table, withConds, withoutWindow } from "./parts.ts";

type Is = Extract<Cond, { k: "is" }>;

/** The one part in which two answers differ. */
type Apart =
  | { k: "period"; later: Window; sooner: Window }
  | { k: "value"; a: Is; b: Is }
  | { k: "number"; a: Num };

/** "put the two side by side", "compare them" */
export const BESIDE =
  /(?<!\p{L})(?:side by side|next to each other|beside each other|nebeneinander)(?!\p{L})|^(?:compare|vergleiche?) (?:them|those|these|both|the two|sie|die beiden?|beide)$|^how do (?:they|those|these|the two) compare$/iu;
/** "what's the difference?" */
export const MINUS =
  /^(?:by how much|um wie viel)(?: (?:do|does|did) (?:they|those|these|the two|it|that) differ)?$|^(?:(?:what|how (?:big|large|much)|was|wie (?:groß|hoch))(?:['’]?s| is| was| ist| war)? )?(?:the |der |die )?(?:difference|gap|delta|unterschied|differenz)(?: (?:between|zwischen) (?:them|those|these|both|the two|ihnen|den beiden|beiden))?$/iu;

/** "which of the two is bigger?" */
export const WHICH_OF_TWO =
  /^which (?:one|of (?:the two|them|these|those|both)) (?:is|was|did|does|had|has) (?:the )?(?:(?<max>bigger|higher|larger|better|more|stronger)|lower|smaller|worse|weaker|less)(?: one)?$/i;

/** The changes that show the last two answers beside each other; none where one answer does so already. */
export function beside(now: Ask, last: Ask | undefined): Change[] | undefined {
  if (now.k === "list") return undefined;
  if (now.cols.length === 2 || twoValues(now) !== undefined) return [];
  const apart = apartIn(now, last);
  const of = onlyBase(now.cols);
  if (apart === undefined || of === undefined) return undefined;
  if (apart.k === "number") return [{ k: "number", cols: [apart.a], adds: true }];
  if (apart.k === "period")
    return [{ k: "become", of, cols: [apart.later, apart.sooner].map((win) => rescoped(of, { win })) }];
  const { a, b } = apart;
  const both: Cond = { ...a, values: [...a.values, ...b.values] };
  return [
    { k: "where", conds: [both], excludes: false },
    { k: "group", by: [a.key], adds: true },
  ];
}

/** What the last two answers, or the two numbers of one, are apart: the later less the sooner. */
export function difference(now: Ask, last: Ask | undefined): Table | undefined {
  const values = now.k === "table" ? twoValues(now) : undefined;
  // Of the larger of two both are meant.
  if (now.k === "list" || (now.top !== undefined && values === undefined)) return undefined;
  const { order: _, top: __, ...table } = now;
  const [a, b, ...others] = now.cols;
  const isOfOne = a !== undefined && b !== undefined && onlyBase(now.cols) !== undefined;
  if (isOfOne && others.length === 0) return { ...table, cols: [{ k: "calc", op: "-", a, b }] };
  const apart: Apart | undefined = values ? { k: "value", ...values } : apartIn(now, last);
  if (a === undefined || b !== undefined || apart === undefined || apart.k === "number") return undefined;
  if (apart.k === "period") {
    const [later, sooner] = [apart.later, apart.sooner].map((win) => rescoped(a, { win })) as [Num, Num];
    const isSeries = now.by.some(({ bucket }) => bucket !== undefined);
    const cols: Num[] = [{ k: "calc", op: "-", a: later, b: sooner }];
    return isSeries ? undefined : { ...withoutWindow(table), cols };
  }
  const isOwn = (cond: Cond) => cond.k === "is" && isEqual(cond.key, apart.a.key);
  const rest = withConds(
    table,
    condsOf(now.scope?.if).filter((cond) => !isOwn(cond)),
  );
  const [mine, theirs] = [apart.a, apart.b].map((cond) => rescoped(a, { if: cond })) as [Num, Num];
  const by = now.by.filter((key) => !isEqual(key, apart.a.key));
  return { ...rest, by, cols: [{ k: "calc", op: "-", a: mine, b: theirs }] };
}

/** The two values that an answer tells apart. */
function twoValues({ by, scope }: Table): { a: Is; b: Is } | undefined {
  const isTold = (key: Key) => by.some((each) => isEqual(each, key));
  const [only, ...others] = condsOf(scope?.if).flatMap((cond) =>
    cond.k === "is" && cond.values.length === 2 && isTold(cond.key) ? [cond] : [],
  );
  if (only === undefined || others.length > 0) return undefined;
  const [a, b] = only.values.map((value) => ({ ...only, values: [value] })) as [Is, Is];
  return { a, b };
}

function apartIn(now: Table, last: Ask | undefined): Apart | undefined {
  if (last?.k !== "table") return undefined;
  const [mine, theirs] = [now.scope?.win, last.scope?.win];
  const [own, old] = [withoutWindow(now), withoutWindow(last)];
  if (isEqual(own, old)) {
    if (mine === undefined || theirs === undefined || isEqual(mine, theirs)) return undefined;
    const isLater = (mine.from ?? "") > (theirs.from ?? "");
    return { k: "period", later: isLater ? mine : theirs, sooner: isLater ? theirs : mine };
  }
  if (!isEqual([mine?.from, mine?.to], [theirs?.from, theirs?.to])) return undefined;
  const isNumber = isEqual({ ...own, cols: [] }, { ...old, cols: [] }) && last.cols.length === 1;
  if (isNumber) return { k: "number", a: last.cols[0] as Num };
  const [conds, known] = [own, old].map(({ scope }) => condsOf(scope?.if)) as [Cond[], Cond[]];
  const [a, ...more] = known.filter((cond) => !conds.some((each) => isEqual(each, cond)));
  const [b, ...others] = conds.filter((cond) => !known.some((each) => isEqual(each, cond)));
  const isRest = more.length + others.length === 0 && isEqual(withConds(own, []), withConds(old, []));
  const isValue = isRest && a?.k === "is" && b?.k === "is" && isEqual(a.key, b.key);
  return isValue ? { k: "value", a, b } : undefined;
}
