import { createHash } from "node:crypto";
import type { Clock } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/errors.ts";
import { KeptPromises } from "../../../kernel/kept-promises.ts";
import { nearestFirst } from "../../../kernel/nearest.ts";
import type { RowPage } from "../../../registry/asset-kind.ts";
import type { Caller } from "../../../registry/caller.ts";
import { type Column, type Data, type Dataset, filtersToC9ql, restrictionFor } from "../../data/index.ts";
import { LIMITS } from "../limits.ts";
import type { Filter, WidgetSpec } from "../shapes.ts";

/** What a viewer has chosen on a dashboard, and how it is to read. */
export interface Lens {
  filters: readonly Filter[];
  parameters: Readonly<Record<string, Filter["value"]>>;
  timeZone: string;
}

export const PLAIN_LENS: Lens = { filters: [], parameters: {}, timeZone: "UTC" };

/** The rows that a widget shows, before they are put together for its chart. */
export interface Source {
  dataset: Dataset;
  /** C9QL that makes them of the dataset's; empty for all. */
  c9ql: string;
  columns: readonly Column[];
  /** Values of its parameters. */
  parameters: Lens["parameters"];
  /** Filters of the dashboard that do not hold here, for the dataset has no such field. */
  unfiltered: string[];
  /** Runs C9QL on these rows; nothing comes twice while data, rights and question are the same. */
  read(c9ql: string, limit: number): Promise<RowPage>;
}

type Parts = { data: Data; clock: Clock };

/** Reads what widgets show, always through the policies of the dataset. */
export class Sources {
  readonly #parts: Parts;
  readonly #kept = new KeptPromises(LIMITS.bi.keptResults);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(caller: Caller, datasetId: number, spec: WidgetSpec, lens: Lens): Promise<Source> {
    const { data } = this.#parts;
    const dataset = await data.require(caller, datasetId);
    const { columns: visible } = restrictionFor(caller, dataset);
    const holds = lens.filters.filter(({ field }) => findField(visible, field) !== undefined);
    const unfiltered = lens.filters.filter((filter) => !holds.includes(filter)).map(({ field }) => field);
    for (const { field } of spec.filters) requireField(visible, field, dataset.name);
    const filters = [...holds, ...spec.filters];
    const own = spec.c9ql?.trim().replace(/;$/, "") ?? "";
    const c9ql = [filters.length === 0 ? "" : filtersToC9ql(filters), own]
      .filter((text) => text !== "")
      .join(";\n");
    const parameters = parametersIn(own, lens);
    const run = (text: string, limit: number) =>
      this.#read(caller, dataset, { text, limit, parameters, lens });
    const columns = own === "" ? visible : (await run(c9ql, 1)).columns;
    const read = (more: string, limit: number) =>
      run([c9ql, more].filter((text) => text !== "").join(";\n"), limit);
    return { dataset, c9ql, columns, parameters, unfiltered, read };
  }

  #read(
    caller: Caller,
    dataset: Dataset,
    {
      text,
      limit,
      parameters,
      lens,
    }: { text: string; limit: number; parameters: Lens["parameters"]; lens: Lens },
  ): Promise<RowPage> {
    const { data, clock } = this.#parts;
    const { columns, condition } = restrictionFor(caller, dataset);
    // What depends on the time of day is asked again after a minute.
    const minute = /\$c9_|\bnow\s*\(/i.test(text) ? Math.floor(clock.now().getTime() / 60_000) : 0;
    const names = columns.map(({ name }) => name);
    const question = [
      caller.workspace.id,
      dataset.id,
      dataset.version,
      condition,
      names,
      text,
      limit,
      parameters,
      lens.timeZone,
      minute,
    ];
    const key = createHash("sha256").update(JSON.stringify(question)).digest("base64");
    // Others may wait for the same answer, so it does not end with whoever asked first.
    const work = () =>
      data.read(caller, dataset, {
        c9ql: text,
        limit,
        ...(Object.keys(parameters).length > 0 && { parameters }),
        timeZone: lens.timeZone,
        signal: AbortSignal.timeout(LIMITS.bi.queryMs),
      });
    return this.#kept.get(key, work);
  }
}

/** Only those that stand in the text: C9QL refuses others. */
function parametersIn(c9ql: string, { parameters }: Lens): Lens["parameters"] {
  const used = Object.entries(parameters).filter(([name]) =>
    c9ql.toLowerCase().includes(`$c9_${name.toLowerCase()}$`),
  );
  return Object.fromEntries(used);
}

function findField(columns: readonly Column[], name: string): Column | undefined {
  return (
    columns.find((column) => column.name === name) ??
    columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
  );
}

/** A wrong name is told with the right ones, the most likely first. */
export function requireField(columns: readonly Column[], name: string, where: string): Column {
  const found = findField(columns, name);
  if (found !== undefined) return found;
  const names = nearestFirst(
    name,
    columns.map((column) => column.name),
  );
  const listed = names.slice(0, 30).join(", ");
  throw new AppError("bad_request", `There is no field "${name}" in ${where}.`, {
    hint: `Its fields are ${listed}${names.length > 30 ? " and others" : ""}.`,
  });
}

/** A field as C9QL writes it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
