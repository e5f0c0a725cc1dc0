import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import {
  childrenOf,
  type Expression,
  expressionsOf,
  mapChildren,
  type Query,
  type Statement,
  type ValueItem,
} from "./ast.ts";
import { Cursor } from "./cursor.ts";
import { isAggregateCall, isRowFunction } from "./functions/index.ts";
import { knownNames } from "./known-names.ts";
import { tokenise } from "./lexer.ts";
import { parseExpression } from "./parse-expression.ts";
import { parseStatement, unexpected } from "./parse-statement.ts";
import { printExpression } from "./print.ts";

export interface ParseOptions {
  /**
   * Names that may stand without quotes although they are no plain words, such as `Sub-Category`. Plain names need
   * not be known here: they are bound when the query is compiled.
   */
  columns?: readonly { readonly name: string }[];
}

/** The tree of a query. An empty text is a query without statements: all rows as they are. */
export function parse(text: string, options: ParseOptions = {}): Query {
  const cursor = cursorOver(text, options);
  const statements: Statement[] = [];
  while (cursor.peek().kind !== "end") {
    if (cursor.takeSign(";")) continue;
    if (statements.length >= LIMITS.c9ql.statements) {
      throw cursor.error({
        code: "too_large",
        message: `the query has more than ${LIMITS.c9ql.statements} statements.`,
      });
    }
    const statement = parseStatement(cursor);
    for (const expression of expressionsOf(statement)) refuseDeep(cursor, expression);
    statements.push(statement);
  }
  return { text, statements };
}

/**
 * A condition on its own, as alerts have it (`opened > 100`), as the query that finds its rows. One on aggregates
 * (`sum(opened) > 100`) looks at the one row that they make of all; one on what lies along the rows
 * (`delta(opened) > 100`) at each of them.
 */
export function parseCondition(text: string, options: ParseOptions = {}): Query {
  const cursor = cursorOver(text, options);
  const { start } = cursor.peek();
  cursor.takeWords("where");
  const where = parseExpression(cursor, { inCase: false, inOrder: false });
  cursor.takeSign(";");
  if (cursor.peek().kind !== "end") throw unexpected(cursor, start);
  refuseDeep(cursor, where);
  const span = cursor.from(start);
  const statement = {
    distinct: false,
    items: [{ kind: "all" as const, span }],
    groupBy: [],
    orderBy: [],
    span,
  };
  const totals = new Map<string, ValueItem>();
  const condition = withoutAggregates(where, totals);
  const found = { ...statement, where: condition };
  if (totals.size === 0) return { text, statements: [found] };
  const made = [...totals.values()];
  const areOfRows = made.every(({ expression }) => expression.kind === "call" && isRowFunction(expression));
  const items = areOfRows ? [...statement.items, ...made] : made;
  return { text, statements: [{ ...statement, items }, found] };
}

/** The condition with a name in the place of each aggregate, which is put where the names are made. */
function withoutAggregates(node: Expression, totals: Map<string, ValueItem>): Expression {
  if (node.kind === "call" && (isAggregateCall(node) || isRowFunction(node))) {
    const alias = printExpression(node);
    totals.set(alias, { kind: "value", expression: node, alias, span: node.span });
    return { kind: "name", text: alias, exact: true, span: node.span };
  }
  return mapChildren(node, (child) => withoutAggregates(child, totals));
}

function cursorOver(text: string, { columns }: ParseOptions): Cursor {
  if (typeof text !== "string") throw new AppError("bad_request", "A C9QL query is a text.");
  const names = columns === undefined ? undefined : knownNames(columns.map(({ name }) => name));
  return new Cursor(text, tokenise(text, names));
}

/** `a + a + a …` nests without any bracket. Counted without recursion, because recursion is what it would exhaust. */
function refuseDeep(cursor: Cursor, root: Expression): void {
  let level: readonly Expression[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.c9ql.depth) throw cursor.tooDeep(root.span);
    level = level.flatMap(childrenOf);
  }
}
