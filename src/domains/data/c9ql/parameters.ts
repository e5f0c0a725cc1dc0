import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import {
  childrenOf,
  type Expression,
  expressionsOf,
  NOWHERE,
  type ParameterNode,
  type Query,
} from "./ast.ts";
import { numberIn } from "./coerce.ts";
import { type Environment, errorAt, type ParameterScalar, type ParameterValue } from "./scope.ts";
import { type Constant, localTime } from "./value.ts";
import { tokenTime, wholeVariable } from "./variables.ts";

/** A parameter that a query asks for. */
export interface ParameterSpec {
  readonly name: string;
  readonly fallback?: string;
  readonly label?: string;
}

/** The parameters of a query, each once, in the order of the text. */
export function parametersOf(query: Pick<Query, "statements">): ParameterSpec[] {
  const specs = new Map<string, ParameterSpec>();
  const visit = (node: Expression): void => {
    if (node.kind === "parameter") {
      const { name, fallback, label } = node;
      const known = specs.get(name.toLowerCase());
      specs.set(name.toLowerCase(), {
        name: known?.name ?? name,
        ...optional("fallback", known?.fallback ?? fallback),
        ...optional("label", known?.label ?? label),
      });
    }
    childrenOf(node).forEach(visit);
  };
  for (const statement of query.statements) expressionsOf(statement).forEach(visit);
  return [...specs.values()];
}

/** A value under a misspelt name would leave the default in its place without a word. */
export function refuseUnknownParameters(
  query: Pick<Query, "statements">,
  given: Readonly<Record<string, ParameterValue>>,
): void {
  const asked = parametersOf(query).map(({ name }) => name);
  const known = new Set(asked.map((name) => name.toLowerCase()));
  const unknown = Object.keys(given).find((name) => !known.has(name.toLowerCase()));
  if (unknown === undefined) return;
  throw new AppError("bad_request", `The C9QL query has no parameter "${unknown.slice(0, 100)}".`, {
    hint:
      asked.length === 0
        ? "Write $c9_name$ where the value of a parameter belongs."
        : `Its parameters are: ${asked.slice(0, 20).join(", ")}.`,
  });
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}

export type Argument =
  | { kind: "single"; value: Constant }
  | { kind: "list"; values: Constant[] }
  | { kind: "range"; from: Constant; to: Constant };

/** Value of a parameter in this run: the given one, else its default. */
export function argumentOf(node: ParameterNode, environment: Environment): Argument {
  const given = givenValue(node.name, environment.parameters);
  if (given !== undefined) return toArgument(node, given, environment);
  if (node.fallback !== undefined) return toArgument(node, node.fallback, environment);
  throw errorAt({ environment }, node.span, {
    message: `the parameter "${node.name}" has no value.`,
    hint: `Give a value for "${node.name}", or a default in the query: $c9_${node.name}$(default)$.`,
  });
}

function givenValue(
  name: string,
  parameters: Readonly<Record<string, ParameterValue>>,
): ParameterValue | undefined {
  if (Object.hasOwn(parameters, name)) return parameters[name];
  const key = Object.keys(parameters).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : parameters[key];
}

function toArgument(node: ParameterNode, value: ParameterValue, environment: Environment): Argument {
  const constant = (scalar: ParameterScalar) => toConstant(node, scalar, environment);
  if (Array.isArray(value)) {
    if (value.length > LIMITS.c9ql.parameterValues) throw tooMany(node, value.length);
    return { kind: "list", values: value.map(constant) };
  }
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    const range = value as { from: ParameterScalar; to: ParameterScalar };
    return { kind: "range", from: constant(range.from), to: constant(range.to) };
  }
  return { kind: "single", value: constant(value as ParameterScalar) };
}

function tooMany({ name }: ParameterNode, count: number): AppError {
  return new AppError("too_large", `The parameter "${name}" has ${count} values.`, {
    hint: `At most ${LIMITS.c9ql.parameterValues} are allowed.`,
  });
}

function toConstant(node: ParameterNode, value: ParameterScalar, environment: Environment): Constant {
  if (value === null) return { kind: "null" };
  if (typeof value === "boolean") return { kind: "boolean", value };
  if (typeof value === "string") return textConstant(value, environment);
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return { kind: "moment", time: localTime(value, environment.timezone), hasClock: true };
  }
  const number = typeof value === "number" ? numberIn(String(value)) : undefined;
  if (number !== undefined) return number;
  throw errorAt({ environment }, node.span, {
    message: `the parameter "${node.name}" is neither text, number, date nor true or false.`,
  });
}

/** A value may itself be a date token: `$c9_today-7d`. */
function textConstant(value: string, environment: Environment): Constant {
  const variable = value.startsWith("$") || value.startsWith("{") ? wholeVariable(value, NOWHERE) : undefined;
  if (variable?.kind === "token" && variable.format === undefined) {
    return { kind: "moment", ...tokenTime(variable, environment.now), isStart: true };
  }
  return { kind: "text", value, bound: true };
}
