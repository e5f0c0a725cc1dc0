import type { Schema } from "../../query/schema.ts";
import type { Ask, Key } from "../../query/semantic-query.ts";
import { deniesRest } from "../lexicon/values.ts";

/** Everything that a query speaks of, found by walking through it. */
export class QueryParts {
  protected readonly schema: Schema;
  protected readonly ask: Ask;
  protected readonly datasets = new Set<string>();
  protected readonly fields = new Set<string>();
  protected readonly metrics = new Set<string>();
  protected readonly links = new Set<string>();
  protected readonly values = new Set<unknown>();
  protected readonly windows = new Set<string>();
  /** Kinds of nodes, functions, operators, directions, periods. */
  protected readonly parts = new Set<unknown>();
  protected readonly texts: string;
  protected readonly places: { dir?: unknown; n?: unknown }[] = [];
  protected readonly each: Key[] = [];
  protected readonly functions = new Set<unknown>();
  /** How often something is denied, each of several values by itself. */
  negations = 0;
  /** How often there is one thing or another: between values of one field, or between conditions. */
  alternatives = 0;

  constructor(ask: Ask, schema: Schema) {
    this.schema = schema;
    this.ask = ask;
    this.texts = JSON.stringify(ask);
    this.#walk(ask);
    for (const ds of this.datasets) this.#field(this.#isDated() ? schema.datasets.get(ds)?.date : null);
  }

  #isDated(): boolean {
    return this.windows.size > 0 || this.parts.has("bucket") || this.parts.has("part");
  }

  #field(key: Key | null | undefined): void {
    if (key != null) this.fields.add(`${key.ds}.${key.field}`);
  }

  #walk(node: unknown): void {
    if (Array.isArray(node)) for (const each of node) this.#walk(each);
    if (typeof node === "number" || typeof node === "string") this.values.add(node);
    if (node === false) this.negations += 1;
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { ds, field, link, k, name, from, to } = node as Record<string, unknown>;
    if (typeof ds === "string") this.datasets.add(ds);
    if (typeof ds === "string" && typeof field === "string") this.fields.add(`${ds}.${field}`);
    if (typeof link === "string") this.#addLink(link);
    if (k === "metric") this.#addMetric(String(name));
    if ("fn" in node) this.functions.add(node.fn);
    if ("said" in node) this.windows.add(`${from}|${to}`);
    if ("dir" in node && "ties" in node) this.places.push(node);

    const { op, b } = node as { op?: unknown; b?: { v?: unknown } };
    const { of } = node as { of?: { k?: unknown; values?: unknown[] } };
    if (k === "not" && of?.k === "is") this.negations += (of.values?.length ?? 1) - 1;
    if (k === "not" || k === "null" || (k === "cmp" && op === "=" && b?.v === 0)) this.negations += 1;
    const { values } = node as { values?: unknown[] };
    if (k === "is") this.alternatives += (values?.length ?? 1) - 1;
    if (k === "is" && values?.every((value) => typeof value === "string" && deniesRest(value)) === true)
      this.negations += 1;
    if (k === "or" && Array.isArray(of)) this.alternatives += of.length - 1;
    const { per } = node as { per?: Key[] };
    if (Array.isArray(per)) this.each.push(...per);
    for (const [part, value] of Object.entries(node)) {
      if (value === undefined) continue;
      const isEmpty = Array.isArray(value) && value.length === 0;
      if (!isEmpty) this.parts.add(part);
      if (PLAIN.has(part)) this.parts.add(value);
      this.#walk(value);
    }
  }

  #addLink(name: string): void {
    const link = this.schema.links.get(name);
    this.links.add(name);
    if (link === undefined) return;
    for (const { from, to } of link.columns) {
      this.fields.add(`${link.from}.${from}`);
      this.fields.add(`${link.to}.${to}`);
    }
    this.datasets.add(link.from).add(link.to);
  }

  #addMetric(name: string): void {
    this.metrics.add(name);
    const { formula, date } = this.schema.metrics.get(name) ?? {};
    for (const column of formula?.aggregates.flatMap(({ columns }) => columns) ?? []) {
      this.datasets.add(column.ds);
      this.#field(column);
    }
    if (this.#isDated()) this.#field(date);
  }
}

/** Parts whose values are words of the query's own language. */
const PLAIN = new Set(["k", "fn", "op", "dir", "bucket", "grain", "part"]);
