import { quoteName } from "../../../kernel/sql-text.ts";
import type { Expression, Statement, ValueItem } from "./ast.ts";
import { findColumn, unknownField } from "./bind-name.ts";
import { compileExpression } from "./compile-expression.ts";
import { printExpression } from "./print.ts";
import { complain, type Scope } from "./scope.ts";
import type { Value } from "./value.ts";

/** A column of a result. */
export interface Output {
  readonly name: string;
  readonly value: Value;
}

/** Longest name that a column gets from its expression. */
const NAME_CHARACTERS = 200;

/** The columns that the items of a statement give; of two with one name, the later one takes the earlier one's place. */
export function compileOutputs(scope: Scope, { items }: Pick<Statement, "items">): Output[] {
  const outputs = new Map<string, Output>();
  const put = (output: Output) => outputs.set(output.name.toLowerCase(), output);
  const exceptions = exceptionsIn(scope, items);
  const hasAll = items.some(({ kind }) => kind === "all");
  if (exceptions.size > 0 && !hasAll) allColumns(scope, exceptions).forEach(put);
  for (const item of items) {
    if (item.kind === "all") allColumns(scope, exceptions).forEach(put);
    else if (item.kind === "value") put(compileItem(scope, item));
  }
  if (outputs.size === 0) {
    const span = items[0]?.span ?? { start: 0, end: 0 };
    throw complain(scope, span, { message: "no column is left.", hint: "Leave at least one column in." });
  }
  return [...outputs.values()];
}

function exceptionsIn(scope: Scope, items: Statement["items"]): Set<string> {
  const names = items.flatMap((item) => {
    if (item.kind !== "except") return [];
    const column = scope.tableView.find(item.name.text);
    if (column === undefined) throw unknownField(scope, item.name);
    return [column.name];
  });
  return new Set(names);
}

function allColumns(scope: Scope, exceptions: ReadonlySet<string>): Output[] {
  return scope.tableView.columns
    .filter(({ name }) => !exceptions.has(name))
    .map(({ name, type }) => ({
      name,
      value: {
        sql: `${scope.table}.${quoteName(name)}`,
        type,
        readsColumns: true,
        hasAggregate: false,
        hasWindow: false,
      },
    }));
}

function compileItem(scope: Scope, { expression, alias }: ValueItem): Output {
  return { name: alias ?? nameOf(scope, expression), value: compileExpression(scope, expression) };
}

/** A field keeps the name it has in the data; anything else is called by its text. */
function nameOf(scope: Scope, expression: Expression): string {
  if (expression.kind === "name" || expression.kind === "access") {
    const found = findColumn(scope, expression);
    if (found !== undefined && found.steps.length === 0) return found.column.name;
  }
  const text = printExpression(expression);
  return text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS - 1).toWellFormed()}…` : text;
}
