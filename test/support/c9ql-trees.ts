import fc from "fast-check";
import {
  type CallNode,
  type DateTokenNode,
  type Expression,
  type Item,
  type NameNode,
  NOWHERE,
  type ParameterNode,
  type Query,
  type Statement,
} from "../../src/domains/data/c9ql/ast.ts";
import { KEYWORDS } from "../../src/domains/data/c9ql/lexer.ts";
import { DATE_TOKENS, wholeVariable } from "../../src/domains/data/c9ql/parameters.ts";

/** Arbitrary trees, as parsing could give them. */

const span = NOWHERE;

const word = fc.constantFrom(
  "Sent",
  "Message",
  "Type",
  "a",
  "b2",
  "größe",
  "order",
  "desc",
  "in",
  "x_1",
  "Ü",
  "2nd",
  "7",
);
const nasty = fc.constantFrom(
  "'",
  '"',
  "`",
  "[a]",
  "--",
  "/*",
  ";",
  "a.b",
  "drop table x",
  "$c9_today",
  "$1",
  "\\",
  "%",
  "*",
  " ",
);

/** Any text that a query can hold. */
export const anyText = fc
  .oneof(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
    fc.array(fc.oneof(word, nasty), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 12 }),
  )
  .filter((text) => !text.includes("\u0000") && text.isWellFormed());

export const anyName = anyText.filter((text) => text.trim() !== "");

const name: fc.Arbitrary<NameNode> = fc.record({
  kind: fc.constant("name" as const),
  text: anyName,
  exact: fc.boolean(),
  span: fc.constant(span),
});

const token: fc.Arbitrary<DateTokenNode> = fc.record(
  {
    kind: fc.constant("token" as const),
    name: fc.constantFrom(...Object.keys(DATE_TOKENS)),
    offsets: fc.array(
      fc.record({
        amount: fc.integer({ min: -999_999, max: 999_999 }),
        unit: fc.constantFrom(
          "h" as const,
          "d" as const,
          "w" as const,
          "m" as const,
          "q" as const,
          "y" as const,
        ),
      }),
      { maxLength: 3 },
    ),
    format: anyName.map((text) => text.replace(/[{}]/g, "").trim()).filter((text) => text !== ""),
    span: fc.constant(span),
  },
  { requiredKeys: ["kind", "name", "offsets", "span"] },
);

const parameter: fc.Arbitrary<ParameterNode> = fc.record(
  {
    kind: fc.constant("parameter" as const),
    name: fc.stringMatching(/^\w{1,10}$/),
    fallback: anyText.map((text) => text.replaceAll(")", "")),
    label: anyText.map((text) => text.replaceAll("]", "")),
    span: fc.constant(span),
  },
  { requiredKeys: ["kind", "name", "span"] },
);

const literal: fc.Arbitrary<Expression> = fc.oneof(
  anyText.filter((text) => !isVariable(text)).map((value): Expression => ({ kind: "text", value, span })),
  fc.stringMatching(/^(\d{1,20}|\d{1,5}\.\d{1,5}|\.\d{1,3})(e[+-]?\d{1,2})?$/).map(
    (text): Expression => ({
      kind: "number",
      text,
      span,
    }),
  ),
  fc.boolean().map((value): Expression => ({ kind: "boolean", value, span })),
  fc.constant<Expression>({ kind: "null", span }),
);

function isVariable(text: string): boolean {
  try {
    return wholeVariable(text, span) !== undefined;
  } catch {
    return true;
  }
}

const functionName = fc.stringMatching(/^[a-z][a-z_0-9]{0,8}$/).filter((text) => !KEYWORDS.has(text));

const { expression } = fc.letrec<{ expression: Expression; call: CallNode }>((tie) => {
  const child = tie("expression");
  const some = fc.array(child, { maxLength: 3 });
  const call: fc.Arbitrary<CallNode> = fc.record({
    kind: fc.constant("call" as const),
    name: functionName,
    args: fc.oneof(some, fc.constant<Expression[]>([{ kind: "star", span }])),
    span: fc.constant(span),
  });
  const step = fc.oneof(
    anyName.map((field) => ({ field })),
    fc.nat({ max: 99_999 }).map((index) => ({ index })),
  );
  const node = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record({ ...fields, span: fc.constant(span) }) as fc.Arbitrary<unknown> as fc.Arbitrary<Expression>;
  const kind = <Kind extends string>(text: Kind) => fc.constant(text);
  const negated = fc.boolean();
  const branches = fc.array(fc.record({ condition: child, value: child }), { minLength: 1, maxLength: 2 });
  const operands = fc.array(child, { minLength: 2, maxLength: 4 });
  return {
    call,
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(literal, name, token, parameter),
      call,
      node({
        kind: kind("access"),
        target: fc.oneof(name, call),
        steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      }),
      node({ kind: kind("window"), call, partitionBy: some }),
      node({ kind: kind("negate"), operand: child }),
      node({
        kind: kind("arithmetic"),
        operator: fc.constantFrom("+", "-", "*", "/", "%", "^"),
        left: child,
        right: child,
      }),
      node({
        kind: kind("comparison"),
        operator: fc.constantFrom("=", "!=", ">", ">=", "<", "<="),
        left: child,
        right: child,
      }),
      node({ kind: kind("like"), negated, left: child, pattern: child }),
      node({ kind: kind("in"), negated, left: child, values: some }),
      // After a parameter, a condition would be the next one and not the end of the range.
      node({
        kind: kind("between"),
        negated,
        left: child,
        low: child.filter((each) => each.kind !== "parameter"),
        high: child,
      }),
      node({
        kind: kind("between"),
        negated,
        left: child,
        low: parameter,
        high: fc.oneof(literal, name, token, parameter),
      }),
      node({ kind: kind("between"), negated, left: child, low: parameter }),
      node({ kind: kind("isnull"), negated, operand: child }),
      node({ kind: kind("not"), operand: child }),
      node({ kind: fc.constantFrom("and", "or"), operands }),
      node({ kind: kind("case"), branches, otherwise: child }),
      node({ kind: kind("case"), branches }),
    ),
  };
});

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.constant<Item>({ kind: "all", span }),
  name.map((each): Item => ({ kind: "except", name: { ...each, exact: true }, span })),
  fc.record({ kind: fc.constant("value" as const), expression, alias: anyName, span: fc.constant(span) }),
  fc.record({ kind: fc.constant("value" as const), expression, span: fc.constant(span) }),
);

const statement: fc.Arbitrary<Statement> = fc.record(
  {
    distinct: fc.boolean(),
    items: fc.array(item, { minLength: 1, maxLength: 3 }),
    where: expression,
    groupBy: fc.array(expression, { maxLength: 2 }),
    orderBy: fc.array(fc.record({ expression, descending: fc.boolean() }), { maxLength: 2 }),
    limit: fc.nat(),
    span: fc.constant(span),
  },
  { requiredKeys: ["distinct", "items", "groupBy", "orderBy", "span"] },
);

export const anyQuery: fc.Arbitrary<Query> = fc
  .array(statement, { maxLength: 3 })
  .map((statements) => ({ text: "", statements }));

/** A tree without its places, which printing does not keep. */
export function shape(query: Pick<Query, "statements">): unknown {
  return JSON.parse(JSON.stringify(query.statements, (key, value) => (key === "span" ? undefined : value)));
}

/** Words and signs in any order: mostly no queries, sometimes surprising ones. */
export const tokenSoup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."select distinct where group by order limit as and or not like in between is null case when then else end asc desc over partition".split(
          " ",
        ),
      ),
      fc.constantFrom(
        ..."( ) , ; = != < >= + - * / % ^ ~ . [0] [a] $c9_today $c9_x$(1)$ {$c9_now:HH} 5 .5 2024-01-31".split(
          " ",
        ),
      ),
      fc.constantFrom(
        "Sent",
        "Message Type",
        "sum(",
        "date_add(",
        "'text'",
        '"name"',
        "`exact`",
        "count(*)",
        "expand(",
      ),
      anyText,
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(" "));
