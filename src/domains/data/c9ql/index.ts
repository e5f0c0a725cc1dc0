/**
 * C9QL: the SQL-like language that works on the rows of one dataset. Text becomes a tree (`parse`), the tree becomes
 * one SELECT of DuckDB (`compile`) or canonical text (`print`). docs/c9ql.md is the reference; its examples are tests.
 */
export type { Expression, Query } from "./ast.ts";
export { asQueryError } from "./coerce.ts";
export {
  type CompiledQuery,
  type CompileOptions,
  columnsOf,
  compile,
  compileOn,
  compileTest,
  rowCondition,
} from "./compile.ts";
export { parametersOf, refuseUnknownParameters } from "./parameters.ts";
export { parse, parseCondition } from "./parse.ts";
export { print, printExpression } from "./print.ts";
export type { ParameterValue } from "./scope.ts";
