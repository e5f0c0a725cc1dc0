import { AppError } from "../../../kernel/errors.ts";
import { timeLimit } from "../../../kernel/time.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { ModelsServices, PublishedModel } from "../../models/index.ts";
import { compile } from "../compile/compile.ts";
import { CompileError } from "../compile/paths.ts";
import { formatName } from "../explain/chart.ts";
import { isAdditive, viewOf } from "../explain/view.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { KnowledgeCache } from "../knowledge/knowledge-cache.ts";
import { findMetric, isDate, keyNamed, keysNamed, metricNamed } from "./names.ts";
import type { Schema } from "./schema.ts";
import type { Comparison, Cond, Grain, Key, Literal, Num } from "./semantic-query.ts";

/** Metrics by fields of a model, by their names: what somebody wants who asks no question. */
export interface ModelWish {
  metrics: readonly string[];
  /** `field`, or `dataset.field` where several datasets have one. */
  by: readonly { field: string; grain?: Grain | undefined }[];
  filters: readonly { field: string; operator: string; value: unknown }[];
}

export interface ModelColumn {
  label: string;
  type: string;
  /** Its name in drawings. */
  format: string;
  /** The sum of all groups is that of the whole. */
  isAdditive: boolean;
  grain: Grain | undefined;
}

export interface ModelTable {
  /** First what it is told apart by, then the metrics. */
  columns: ModelColumn[];
  rows: JsonValue[][];
  isTruncated: boolean;
  /** When the oldest of its data was changed last. */
  asOf: Date | null;
}

/** Runs semantic queries with the rights of whoever asks. */
export class ModelTables {
  readonly #models: ModelsServices["models"];
  readonly #knowledge: KnowledgeCache;

  constructor(models: ModelsServices["models"], knowledge: KnowledgeCache) {
    this.#models = models;
    this.#knowledge = knowledge;
  }

  /** Those names that are neither a field nor a metric of the model as the caller sees it. */
  async unknown(caller: Caller, model: PublishedModel, names: readonly string[]): Promise<string[]> {
    const { schema } = await this.#knowledge.get(caller, model);
    return names.filter(
      (name) => keysNamed(schema, name).length !== 1 && findMetric(schema, name) === undefined,
    );
  }

  /** Throws where the model cannot carry it. */
  async check(caller: Caller, model: PublishedModel, wish: ModelWish): Promise<void> {
    statementOf(await this.#knowledge.get(caller, model), wish);
  }

  async read(
    caller: Caller,
    model: PublishedModel,
    wish: ModelWish,
    { rows: most, ms }: { rows: number; ms: number },
  ): Promise<ModelTable> {
    const knowledge = await this.#knowledge.get(caller, model);
    const { compiled, keys, cols } = statementOf(knowledge, wish);
    const signal = timeLimit(ms, "The query");
    const { columns, rows, isTruncated } = await this.#models.query(caller, model, {
      sql: compiled.sql,
      signal,
      rows: most,
      ms,
    });
    const types = columns.map(({ type }) => type);
    const view = viewOf({ compiled, types, rows, totalRows: rows.length }, knowledge);
    const times = [...(knowledge.refreshedAt ?? [])].map(([name, at]) =>
      knowledge.live?.has(name) === true ? new Date() : at,
    );
    const used = times.toSorted((a, b) => a.getTime() - b.getTime());
    return {
      columns: view.columns.map(({ label, format }, i) => ({
        label,
        type: types[i] ?? "",
        format: formatName(format),
        isAdditive:
          i >= wish.by.length && isAdditive(cols[i - wish.by.length] as Num, knowledge.schema, keys),
        grain: keys[i]?.bucket,
      })),
      rows,
      isTruncated,
      asOf: used[0] ?? null,
    };
  }
}

function statementOf({ schema }: Knowledge, { metrics, by, filters }: ModelWish) {
  const cols = metrics.map((name): Num => ({ k: "metric", name: metricNamed(schema, name) }));
  const keys = by.map(({ field, grain }): Key => {
    const key = keyNamed(schema, field);
    return isDate(schema, key) ? { ...key, bucket: grain ?? "month" } : key;
  });
  const conditions = filters.map((filter) => conditionOf(schema, filter));
  const scope = conditions.length === 0 ? {} : { scope: { if: { k: "and", of: conditions } as Cond } };
  try {
    return { compiled: compile(schema, { k: "table", by: keys, cols, ...scope }), keys, cols };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new AppError("bad_request", error.message, {
      hint: "Choose other fields or metrics.",
      cause: error,
    });
  }
}

const COMPARISONS: readonly string[] = ["<", "<=", ">", ">="];

function conditionOf(schema: Schema, { field, operator, value }: ModelWish["filters"][number]): Cond {
  const key = keyNamed(schema, field);
  const values = [value].flat().filter((each): each is Literal => each !== null && typeof each !== "object");
  const is = (match: "equal" | "contains"): Cond => ({ k: "is", key, values, match });
  if (operator === "=" || operator === "in") return is("equal");
  if (operator === "!=") return { k: "not", of: is("equal") };
  if (operator === "like") return is("contains");
  const [first, second] = values;
  if (operator === "between" && first !== undefined && second !== undefined)
    return {
      k: "and",
      of: [compared(schema, key, ">=", first), compared(schema, key, "<=", second)],
    };
  if (COMPARISONS.includes(operator) && first !== undefined)
    return compared(schema, key, operator as Comparison, first);
  throw new AppError("bad_request", `A filter with ${operator} does not work on a semantic model.`, {
    hint: "Use =, !=, <, <=, >, >=, like, in or between.",
  });
}

function compared(schema: Schema, key: Key, op: Comparison, value: Literal): Cond {
  if (!isDate(schema, key)) {
    const number = Number(value);
    if (Number.isNaN(number))
      throw new AppError("bad_request", `${key.field} is compared with a number or a date.`);
    return { k: "cmp", a: key, op, b: { k: "lit", v: number } };
  }
  const day = dayOf(String(value), op === ">" || op === "<=" ? 1 : 0);
  const win = op.startsWith(">") ? { from: day, to: null } : { from: null, to: day };
  return { k: "during", win: { ...win, on: key, said: `${op} ${String(value)}` } };
}

/** Windows are half open: what comes after a day begins with the next. */
function dayOf(text: string, later: number): string {
  const ms = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(ms))
    throw new AppError("bad_request", `${text} is no date.`, { hint: "Write 2026-01-31." });
  return new Date(ms + later * 86_400_000).toISOString().slice(0, 10);
}
