import { datasetOf, type Num, type Window } from "./semantic-query.ts";

/** Of two periods side by side, or taken from each other, the earlier one is the base, in whichever order they were said. */
export function newerFirst(cols: readonly Num[]): Num[] {
  const [a, b, ...others] = cols;
  if (a !== undefined && b !== undefined && others.length === 0 && isBefore(a, b)) return [b, a];
  return cols.map((num) =>
    num.k === "calc" && (num.op === "-" || num.op === "growth") && isBefore(num.a, num.b)
      ? { ...num, a: num.b, b: num.a }
      : num,
  );
}

/** Whether they are the same number, the first of an earlier period. */
export function isBefore(a: Num, b: Num): boolean {
  const [x, y] = [windowOf(a), windowOf(b)];
  return x !== undefined && y !== undefined && (x.from ?? "") < (y.from ?? "") && measure(a) === measure(b);
}

/** What a number is, whichever period it is of. */
export function measure(num: Num): string {
  return JSON.stringify("scope" in num ? { ...num, scope: { ...num.scope, win: undefined } } : num);
}

function windowOf(num: Num): Window | undefined {
  return "scope" in num ? num.scope?.win : undefined;
}

/** Whether one is measured as the other is, whichever rows it is made of: then it is a share of it. */
export function isPartOf(a: Num, b: Num): boolean {
  return measured(a) === measured(b);
}

function measured(num: Num): string {
  switch (num.k) {
    case "metric":
      return num.name;
    case "agg": {
      const rows = num.in === undefined ? "" : datasetOf(num.in, (path) => path.at(-1)?.link ?? "");
      return `${num.fn} ${num.of === undefined ? rows : `${num.of.ds}.${num.of.field}`}`;
    }
    case "lag":
    case "running":
      return measured(num.of);
    case "each":
      return `${num.fn} ${measured(num.of)}`;
    default:
      return num.k;
  }
}
