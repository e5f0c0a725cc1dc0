import { unify } from "../coerce.ts";
import { BIGINT, TEXT } from "../value-type.ts";
import { type Arguments, type Fragment, type FunctionSpec, taking, takingOne } from "./function-spec.ts";

const TEXT_LIST = { kind: "list", sql: "VARCHAR[]", element: TEXT } as const;

function ofOneText(name: string): FunctionSpec {
  return takingOne(`${name}(text)`, (args) => ({ sql: `${name}(${args.text(0)})`, type: TEXT }));
}

function firstValue(args: Arguments): Fragment {
  const [values, type] = unify(args.scope, args.node.args, args.values);
  return { sql: `coalesce(${values.map(({ sql }) => sql).join(", ")})`, type };
}

function firstOf(name: string): FunctionSpec {
  return taking([2, 100], `${name}(value, value, …)`, firstValue);
}

export const TEXT_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  upper: ofOneText("upper"),
  lower: ofOneText("lower"),
  trim: ofOneText("trim"),
  length: takingOne("length(text)", (args) => ({ sql: `length(${args.text(0)})`, type: BIGINT })),
  substring: taking([2, 3], "substring(text, start[, length])", (args) => {
    const length = args.count > 2 ? `, ${args.integer(2)}` : "";
    return { sql: `substring(${args.text(0)}, ${args.integer(1)}${length})`, type: TEXT };
  }),
  split: taking([2, 2], "split(text, separator)", (args) => ({
    sql: `string_split(${args.text(0)}, ${args.text(1)})`,
    type: TEXT_LIST,
  })),
  replace: taking([3, 3], "replace(text, part, replacement)", (args) => ({
    sql: `replace(${args.text(0)}, ${args.text(1)}, ${args.text(2)})`,
    type: TEXT,
  })),
  regex_replace: taking([3, 3], "regex_replace(text, pattern, replacement)", (args) => ({
    sql: `regexp_replace(${args.text(0)}, ${args.text(1)}, ${args.text(2)}, 'g')`,
    type: TEXT,
  })),
  concat: taking([1, 100], "concat(value, value, …)", (args) => {
    const parts = args.values.map((_, index) => args.text(index));
    return { sql: `concat(${parts.join(", ")})`, type: TEXT };
  }),
  ifnull: firstOf("ifnull"),
  coalesce: firstOf("coalesce"),
};
