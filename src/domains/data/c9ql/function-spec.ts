import type { CallNode, Expression } from "./ast.ts";
import { asMoment, asNumber, asText } from "./coerce.ts";
import { errorAt, type Scope } from "./scope.ts";
import type { Value, ValueType } from "./value.ts";

/** SQL fragment that a function compiles to. */
export interface Fragment {
  readonly sql: string;
  readonly type: ValueType;
  /** Of an aggregate that is more than one call: the same with ` OVER (…)` after each. */
  over?(window: string): string;
}

export interface FunctionSpec {
  /** How it is called, for errors and the reference. */
  readonly usage: string;
  readonly atLeast: number;
  readonly atMost: number;
  compile(args: Arguments): Fragment;
}

/** A function that takes this many arguments. */
export function taking(
  [atLeast, atMost]: readonly [number, number],
  usage: string,
  compile: FunctionSpec["compile"],
): FunctionSpec {
  return { usage, atLeast, atMost, compile };
}

export function takingOne(usage: string, compile: FunctionSpec["compile"]): FunctionSpec {
  return taking([1, 1], usage, compile);
}

/** The arguments of one call, each in the form that a function asks for. */
export class Arguments {
  readonly scope: Scope;
  readonly node: CallNode;
  readonly values: readonly Value[];

  constructor(scope: Scope, node: CallNode, values: readonly Value[]) {
    this.scope = scope;
    this.node = node;
    this.values = values;
  }

  get count(): number {
    return this.values.length;
  }

  value(index: number): Value {
    return this.values[index] as Value;
  }

  nodeAt(index: number): Expression {
    return this.node.args[index] as Expression;
  }

  numberValue(index: number): Value {
    return asNumber(this.scope, this.nodeAt(index), this.value(index));
  }

  number(index: number): string {
    return this.numberValue(index).sql;
  }

  /** DuckDB takes positions and digits as whole numbers only. */
  integer(index: number): string {
    const { constant } = this.value(index);
    const isWhole = constant?.kind === "number" && /^-?\d{1,9}$/.test(constant.text);
    return isWhole ? this.number(index) : `CAST(${this.number(index)} AS INTEGER)`;
  }

  text(index: number): string {
    return asText(this.value(index)).sql;
  }

  moment(index: number): Value {
    return asMoment(this.scope, this.nodeAt(index), this.value(index));
  }

  /** A text that must be known before the query runs, such as a format. */
  constantText(index: number, what: string): string {
    const { constant } = this.value(index);
    if (constant?.kind === "text") return constant.value;
    throw errorAt(this.scope, this.nodeAt(index).span, {
      message: `${this.node.name} takes ${what} as a text in quotes, not from a field.`,
    });
  }

  constantNumber(index: number, what: string): number {
    const { constant } = this.numberValue(index);
    if (constant?.kind === "number") return Number(constant.text);
    throw errorAt(this.scope, this.nodeAt(index).span, {
      message: `${this.node.name} takes ${what} as a number, not from a field.`,
    });
  }

  flag(index: number): boolean {
    if (index >= this.count) return false;
    const { constant } = this.value(index);
    if (constant?.kind === "boolean") return constant.value;
    throw errorAt(this.scope, this.nodeAt(index).span, {
      message: `${this.node.name} takes true or false here.`,
    });
  }
}
