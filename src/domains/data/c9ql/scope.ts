import type { AppError } from "../../../kernel/errors.ts";
import type { Expression, Span } from "./ast.ts";
import type { LocalTime } from "./local-time.ts";
import { type Complaint, queryError } from "./query-error.ts";
import type { ValueType } from "./value-type.ts";

export type ParameterScalar = string | number | boolean | null | Date;

/** One value, several (for `in`), or a range (for `between`, or its ends for `>=` and `<=`). */
export type ParameterValue =
  | ParameterScalar
  | readonly ParameterScalar[]
  | { readonly from: ParameterScalar; readonly to: ParameterScalar };

export interface BoundColumn {
  readonly name: string;
  readonly type: ValueType;
}

/** What is the same for all statements of a query. */
export interface Environment {
  /** The text that the spans of the tree refer to. */
  readonly text: string;
  readonly now: LocalTime;
  readonly timezone: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Where a text stands that goes to DuckDB as a parameter. */
  bind(text: string): string;
  /** The texts that this query gives, of which columns are made. */
  valuesOf(sql: string): readonly (string | null)[];
}

/** The columns of what a statement reads. Names differ by more than their case, as in DuckDB. */
export class TableView {
  readonly columns: readonly BoundColumn[];
  readonly #byName = new Map<string, BoundColumn>();
  readonly #byLower = new Map<string, BoundColumn>();

  constructor(columns: readonly BoundColumn[]) {
    this.columns = columns;
    for (const column of columns) {
      this.#byName.set(column.name, column);
      const lower = column.name.toLowerCase();
      if (!this.#byLower.has(lower)) this.#byLower.set(lower, column);
    }
  }

  find(name: string): BoundColumn | undefined {
    return this.#byName.get(name) ?? this.#byLower.get(name.toLowerCase());
  }
}

/** What an expression is compiled against. */
export interface Scope {
  readonly environment: Environment;
  readonly tableView: TableView;
  /** How the view is called in SQL, quoted. */
  readonly table: string;
  /** The SQL of what is grouped by; only this may be read outside of aggregates. */
  readonly groupKeys?: ReadonlySet<string>;
  /** What a name means that is no column: the items of the same statement, by alias in lower case. */
  readonly aliases?: ReadonlyMap<string, Expression>;
  /** Of what looks along the rows: SQL of the order that they have, and of the groups in which it begins anew. */
  readonly rows?: { readonly order: string; readonly groups: readonly string[] };
}

/** A name that no column of the view has, for the number of each row. */
export function rowNumberName(tableView: TableView): string {
  let name = "c9 row";
  while (tableView.find(name) !== undefined) name += "_";
  return name;
}

export function complain(scope: Pick<Scope, "environment">, span: Span, complaint: Complaint): AppError {
  return queryError(scope.environment.text, span, complaint);
}
