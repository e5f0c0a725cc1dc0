import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/compile-error.ts";
import { t } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Cond, Key } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";

/** Readings without rows that are sums of the other ones, unless a question says which of them it means. */
export function withoutTotals(
  readings: readonly Reading[],
  { schema, definitions }: Pick<Knowledge, "schema" | "definitions">,
): Reading[] {
  const { totals } = definitions;
  if (totals.length === 0) return [...readings];
  return readings.map((reading) => {
    const used = datasetsOf(reading.ask, schema);
    const left = totals.filter(({ key }) => used.has(key.ds) && !isAskedFor(reading.ask, key));
    const ask = left.reduce(leftOut, reading.ask);
    const assumptions = left.map(({ key, value }) => ({
      at: null,
      choice: t`${key.field.replaceAll("_", " ")} "${value}" is the total of the others, and was left out`,
      others: [],
    }));
    return left.length === 0
      ? reading
      : { ...reading, ask, assumptions: [...reading.assumptions, ...assumptions] };
  });
}

function datasetsOf(ask: Ask, schema: Knowledge["schema"]): ReadonlySet<string> {
  return ifCarried(() => compile(schema, ask).used.datasets) ?? new Set();
}

/** Whether there is a condition on the field already. */
function isAskedFor(node: unknown, key: Key): boolean {
  if (typeof node !== "object" || node === null) return false;
  const isOwn = (value: unknown) =>
    typeof value === "object" &&
    value !== null &&
    "field" in value &&
    "ds" in value &&
    value.ds === key.ds &&
    value.field === key.field;
  if ("k" in node && (node.k === "is" || node.k === "null") && "key" in node && isOwn(node.key)) return true;
  return Object.values(node).some((value) => isAskedFor(value, key));
}

function leftOut(ask: Ask, { key, value }: { key: Key; value: string }): Ask {
  const cond: Cond = { k: "not", of: { k: "is", key, values: [value], match: "equal" } };
  const some = narrowed(ask, key.ds, cond) as Ask;
  if (some.k === "list") return some;
  const { scope = {} } = some;
  const all: Cond = scope.if === undefined ? cond : { k: "and", of: [scope.if, cond] };
  return { ...some, scope: { ...scope, if: all } };
}

/** The same with fewer rows in the place of all those of a dataset. */
function narrowed(node: unknown, ds: string, cond: Cond): unknown {
  if (Array.isArray(node)) return node.map((each) => narrowed(each, ds, cond));
  if (typeof node !== "object" || node === null) return node;
  if ("k" in node && node.k === "all" && "ds" in node && node.ds === ds)
    return { k: "where", in: node, if: cond };
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, narrowed(value, ds, cond)]));
}
