import { NOWHERE, type Query, type Statement } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { compileStatement, type Input } from "./compile-statement.ts";
import { localTime } from "./local-time.ts";
import { type BoundColumn, type Environment, type ParameterValue, TableView } from "./scope.ts";
import { ValuesNeeded } from "./transpose.ts";
import { refuseLarge } from "./value.ts";
import { type ValueType, valueType } from "./value-type.ts";

export interface CompileOptions {
  /** The columns of the source that may be seen, with DuckDB's names of their types. Others do not exist. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** SQL of the view: what may stand after FROM, such as a quoted name or a query in brackets. It is trusted. */
  readonly source: string;
  /** Values of the run-time parameters, by name without `$c9_`. */
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
  /** The moment that `now()` and the date tokens mean. */
  readonly now: Date;
  /** IANA name of the zone whose calendar days are meant. */
  readonly timezone: string;
  /** Number of the first placeholder, if the source has some of its own. */
  readonly firstParam?: number;
  /** What queries give that were found to be needed, by their SQL and parameters. */
  readonly known?: ReadonlyMap<string, readonly (string | null)[]>;
}

export interface CompiledQuery {
  /** One SELECT of DuckDB over the source. */
  readonly sql: string;
  /** The values of $1, $2 and so on: texts that came in as run-time parameters. */
  readonly params: readonly string[];
  /** The columns of the result, with their types where they are known before it runs. */
  readonly columns: readonly { readonly name: string; readonly type?: string }[];
}

/** A query as one SELECT. Statements nest as subqueries, which DuckDB plans as one. */
export function compile(query: Query, options: CompileOptions): CompiledQuery {
  const bindings = new Bindings();
  const environment = environmentOf(query, options, bindings);
  const first = boundColumns(options.columns);
  let input: Input = { from: options.source, tableView: new TableView(first), isExact: false };
  let sql = "";
  const statements = query.statements.filter((statement) => !isEverything(statement));
  for (const statement of statements.length === 0 ? [EVERYTHING] : statements) {
    const compiled = compileStatement(environment, statement, input);
    sql = compiled.sql;
    refuseLarge(sql);
    input = { from: `(${sql})`, tableView: new TableView(compiled.columns), isExact: true };
  }
  return {
    ...bindings.resolve(sql, options.firstParam ?? 1),
    columns: input.tableView.columns.map(({ name, type }) => ({
      name,
      ...(type.sql === undefined ? {} : { type: type.sql }),
    })),
  };
}

/** The same for queries whose columns depend on the data; `ask` gives the first column of what they need to know. */
export async function compileOn(
  query: Query,
  options: CompileOptions,
  ask: (sql: string, params: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<CompiledQuery> {
  const known = new Map<string, readonly (string | null)[]>();
  for (;;) {
    try {
      return compile(query, { ...options, known });
    } catch (error) {
      if (!(error instanceof ValuesNeeded)) throw error;
      const { sql, params } = error;
      known.set(keyOf({ sql, params }), await ask(sql, params));
    }
  }
}

function keyOf({ sql, params }: Pick<CompiledQuery, "sql" | "params">): string {
  return JSON.stringify([sql, params]);
}

const EVERYTHING: Statement = {
  distinct: false,
  items: [{ kind: "all", span: NOWHERE }],
  groupBy: [],
  orderBy: [],
  span: NOWHERE,
};

/** `select *` on its own changes nothing. */
function isEverything({ distinct, items, where, groupBy, orderBy, limit }: Statement): boolean {
  const hasClause = where !== undefined || groupBy.length > 0 || orderBy.length > 0 || limit !== undefined;
  return !distinct && !hasClause && items.every(({ kind }) => kind === "all");
}

function environmentOf(query: Query, options: CompileOptions, bindings: Bindings): Environment {
  return {
    text: query.text,
    now: localTime(options.now, options.timezone),
    timezone: options.timezone,
    parameters: options.parameters ?? {},
    bind: (text) => bindings.place(text),
    valuesOf: (needed) => {
      const { sql, params } = bindings.resolve(needed, options.firstParam ?? 1);
      const found = options.known?.get(keyOf({ sql, params }));
      if (found === undefined) throw new ValuesNeeded(sql, params);
      return found;
    },
  };
}

/** Types repeat, so each is read once. */
function boundColumns(columns: CompileOptions["columns"]): BoundColumn[] {
  const types = new Map<string, ValueType>();
  return columns.map(({ name, type }) => {
    const known = types.get(type) ?? valueType(type);
    types.set(type, known);
    return { name, type: known };
  });
}
