import { z } from "zod";
import { AppError } from "../kernel/errors.ts";
import { nearest } from "../kernel/text.ts";
import type { Column, JsonValue, QueryBatch } from "../platform/analytics/index.ts";
import type { Caller } from "./caller.ts";

export interface AssetDetails {
  id: number;
  name: string;
  [detail: string]: unknown;
}

/** Which rows, and what C9QL is to make of them first. */
export interface RowsOptions {
  /** All of them, if it is not said. */
  limit?: number;
  offset?: number;
  c9ql?: string | undefined;
  /** Values of the parameters in `c9ql`, which checks them. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
  /** IANA name of the zone whose days `c9ql` means; UTC if it is not said. */
  timeZone?: string | undefined;
  signal: AbortSignal;
}

export interface ReadOptions extends RowsOptions {
  limit: number;
  /** Any rows in the place of the first ones, evenly. */
  isSample?: boolean;
}

export interface RowPage {
  columns: Column[];
  rows: Record<string, JsonValue>[];
  totalRows: number;
  returnedRows: number;
  /** Fewer rows than were asked for and are there: no more fit into one answer. */
  isCut: boolean;
}

/** The rows of an asset, as far as its reader may see them. */
export interface AssetRows {
  name: string;
  /** Whether there are any columns: what a dataset was made of may have been empty. */
  hasColumns: boolean;
  read(options: ReadOptions): Promise<RowPage>;
  /** The rows that `read` would give, however many, a batch at a time. */
  stream(options: RowsOptions): AsyncIterable<QueryBatch>;
  /** How many rows there are in all, whatever part of them the options ask for. */
  count(options: RowsOptions): Promise<number>;
}

export interface AssetParts {
  name: string;
  parts: readonly { type: string; id: number; name: string }[];
}

/** The words by which an asset is found; those of its title count for more. */
export interface SearchText {
  id: number;
  title: string;
  /** What it is about, in words for people. */
  body: string;
  /** What is in it: names of columns, values. Nothing that is hidden from anybody who may see the asset. */
  content?: string;
}

export interface RunOptions {
  /** How long to wait for the end before the answer says that it goes on. */
  waitMs: number;
  signal: AbortSignal;
  onRows(rows: number): void;
}

/** What an asset does when it is told to: a query fills its dataset. */
export interface AssetRun {
  /** The schema of what `start` answers. */
  answer: z.ZodRawShape;
  start(
    caller: Caller,
    id: number,
    options: RunOptions,
  ): Promise<Record<string, unknown> & { message: string }>;
}

/**
 * What a slice offers about one sort of its assets, so that tools which span slices (details, delete, run, export,
 * search) need not know the slices. Whatever a kind leaves out cannot be done to it.
 */
export interface AssetKind {
  name: string;
  /** The tool that tells ids of such assets. */
  idsFrom?: string;
  /** The kind that this is a part of; it has that asset's id, and what it is about is told with that one. */
  partOf?: string;
  can(caller: Caller, id: number, verb: "read" | "write"): Promise<boolean>;
  describe(caller: Caller, id: number): Promise<AssetDetails>;
  rows?(caller: Caller, id: number): Promise<AssetRows>;
  /** The assets that it is made of, which have rows. */
  parts?(caller: Caller, id: number): Promise<AssetParts>;
  run?: AssetRun;
  delete?(caller: Caller, id: number): Promise<void>;
  restore?(caller: Caller, id: number): Promise<void>;
  /** Makes an asset what it was in a former version, and tells what became of it. */
  restoreVersion?(caller: Caller, id: number, version: number): Promise<Record<string, unknown>>;
  /** What a search looks through: all of a workspace, whoever may see it. What has to be read for it is read for the caller. */
  search?(workspaceId: number, caller?: Caller): Promise<readonly SearchText[]>;
}

/** A thing that can be done to assets of some kinds. */
export type Ability = "rows" | "parts" | "run" | "delete" | "restore" | "restoreVersion" | "search";

export class AssetKinds {
  readonly #kinds = new Map<string, AssetKind>();

  add(kind: AssetKind): this {
    if (this.#kinds.has(kind.name)) throw new Error(`The asset kind ${kind.name} is defined twice.`);
    this.#kinds.set(kind.name, kind);
    return this;
  }

  /** In the order of slices. */
  names(ability?: Ability): string[] {
    return [...this.#kinds.values()]
      .filter((kind) => ability === undefined || kind[ability])
      .map(({ name }) => name);
  }

  /** The kind of that name, able to do that; otherwise `bad_request` with the names that would do. */
  require<A extends Ability>(name: string, ability: A): AssetKind & Required<Pick<AssetKind, A>>;
  require(name: string): AssetKind;
  require(name: string, ability?: Ability): AssetKind {
    const kind = this.#kinds.get(name);
    if (kind !== undefined && (ability === undefined || kind[ability] !== undefined)) return kind;
    const known = this.names(ability);
    const match = nearest(name, known);
    const hint = match === undefined ? `Use one of: ${known.join(", ")}.` : `Did you mean ${match}?`;
    throw new AppError("bad_request", `Assets of type ${name} are not known here.`, { hint });
  }

  /** The names for the description of an argument, `dataset, query or datasource`: by default those that tell of themselves. */
  listed(ability?: Ability): string {
    return this.names(ability)
      .filter((name) => ability !== undefined || this.require(name).partOf === undefined)
      .join(", ")
      .replace(/, (\w+)$/, " or $1");
  }

  /** The schema of what running an asset answers: what only some kinds tell is optional. */
  runAnswer(): z.ZodObject {
    const answers = this.names("run").map((name) => this.require(name, "run").run.answer);
    const inAll = (field: string) => answers.every((answer) => field in answer);
    const fields = answers.flatMap((answer) => Object.entries(answer) as [string, z.ZodType][]);
    return z.object(
      Object.fromEntries(fields.map(([field, type]) => [field, inAll(field) ? type : type.optional()])),
    );
  }

  /** The kind, once the caller may do this to the asset. What may not be seen looks as if it were not there. */
  async admit(caller: Caller, name: string, id: number, verb: "read" | "write"): Promise<AssetKind> {
    const kind = this.require(name);
    if (await kind.can(caller, id, verb)) return kind;
    if (verb === "write" && (await kind.can(caller, id, "read"))) {
      throw new AppError("forbidden", `You may see ${name} ${id} but not change it.`);
    }
    throw new AppError("not_found", `There is no ${name} with id ${id}.`);
  }
}
