import type { AppError } from "../../../../kernel/errors.ts";
import { nearest } from "../../../../kernel/text.ts";
import type { CallNode } from "../ast.ts";
import { complain, type Scope } from "../scope.ts";
import { sqlFunction } from "../sql-habits.ts";
import { AGGREGATES } from "./aggregates.ts";
import { DATE_FUNCTIONS } from "./dates.ts";
import type { FunctionSpec } from "./function-spec.ts";
import { NUMBER_FUNCTIONS } from "./numbers.ts";
import { ROW_FUNCTIONS, type RowFunctionSpec } from "./row-functions.ts";
import { TEXT_FUNCTIONS } from "./texts.ts";
import { UNAVAILABLE } from "./unavailable.ts";

/** Functions that make rows, and so stand alone in their select. */
export const EXPANSIONS = [
  "expand",
  "expand_arrays",
  "expand_arrays_with_defaults",
  "transpose",
  "reverse_transpose",
] as const;

const SCALARS = new Map(Object.entries({ ...NUMBER_FUNCTIONS, ...TEXT_FUNCTIONS, ...DATE_FUNCTIONS }));
const AGGREGATE_MAP = new Map(Object.entries(AGGREGATES));
const ROW_MAP = new Map(Object.entries(ROW_FUNCTIONS));

/** The names of all functions, as the reference lists them. */
export const FUNCTION_NAMES: readonly string[] = [
  ...SCALARS.keys(),
  ...AGGREGATE_MAP.keys(),
  ...ROW_MAP.keys(),
  ...EXPANSIONS,
];

export type FoundFunction =
  | { kind: "scalar" | "aggregate"; spec: FunctionSpec }
  | { kind: "rows"; spec: RowFunctionSpec };

export function findFunction(scope: Scope, node: CallNode): FoundFunction {
  const found = functionNamed(node.name);
  if (found === undefined) throw unknownFunction(scope, node);
  const { atLeast, atMost, usage } = found.spec;
  if (node.args.length < atLeast || node.args.length > atMost) {
    throw complain(scope, node.span, {
      message: `${node.name} was given ${node.args.length} arguments.`,
      hint: `Write ${usage}.`,
    });
  }
  return found;
}

function functionNamed(name: string): FoundFunction | undefined {
  const rows = ROW_MAP.get(name);
  if (rows !== undefined) return { kind: "rows", spec: rows };
  const aggregate = AGGREGATE_MAP.get(name);
  if (aggregate !== undefined) return { kind: "aggregate", spec: aggregate };
  const scalar = SCALARS.get(name);
  return scalar && { kind: "scalar", spec: scalar };
}

export function isRowFunction({ name }: CallNode): boolean {
  return ROW_MAP.has(name);
}

export function isAggregateCall({ name }: CallNode): boolean {
  return AGGREGATE_MAP.has(name);
}

function unknownFunction(scope: Scope, node: CallNode): AppError {
  if (Object.hasOwn(UNAVAILABLE, node.name)) {
    return complain(scope, node.span, {
      code: "unsupported",
      message: `${node.name} (${UNAVAILABLE[node.name]}) is not available yet.`,
      hint: "linear_regression(number, date) gives the straight line through the rows that there are.",
    });
  }
  if (EXPANSIONS.some((name) => name === node.name)) {
    return complain(scope, node.span, {
      message: `${node.name} stands alone in its select.`,
      hint: `Write select ${node.name}(field); and go on in a next statement.`,
    });
  }
  const meant =
    sqlFunction(node.name) ?? (node.name.length > 100 ? undefined : nearest(node.name, FUNCTION_NAMES));
  return complain(scope, node.span, {
    message: `there is no function ${node.name.slice(0, 100)}.`,
    hint:
      meant === undefined
        ? `The functions are ${FUNCTION_NAMES.join(", ")}. A field with brackets in its name goes in double quotes.`
        : `Did you mean ${meant}?`,
  });
}
