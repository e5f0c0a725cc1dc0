import { AppError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import type { Caller } from "./caller.ts";

export interface AssetDetails {
  id: number;
  name: string;
  [detail: string]: unknown;
}

export interface AssetRows {
  columns: readonly { name: string; type: string }[];
  rows: readonly Record<string, unknown>[];
  totalRows: number;
}

/**
 * What a slice offers about one sort of its assets, so that tools which span slices (details, delete, run, export,
 * search) need not know the slices. Whatever a kind leaves out cannot be done to it.
 */
export interface AssetKind {
  name: string;
  can(caller: Caller, id: number, verb: "read" | "write"): Promise<boolean>;
  describe(caller: Caller, id: number): Promise<AssetDetails>;
  rows?(caller: Caller, id: number, options: { limit: number; signal: AbortSignal }): Promise<AssetRows>;
  delete?(caller: Caller, id: number): Promise<void>;
  restore?(caller: Caller, id: number): Promise<void>;
  /** Makes an asset what it was in a former version, and tells what became of it. */
  restoreVersion?(caller: Caller, id: number, version: number): Promise<Record<string, unknown>>;
  /** What a search for this asset should look through. */
  searchText?(id: number): Promise<string>;
}

/** A thing that can be done to assets of some kinds. */
type Ability = "rows" | "delete" | "restore" | "restoreVersion" | "searchText";

export class AssetKinds {
  readonly #kinds = new Map<string, AssetKind>();

  add(kind: AssetKind): this {
    if (this.#kinds.has(kind.name)) throw new Error(`The asset kind ${kind.name} is defined twice.`);
    this.#kinds.set(kind.name, kind);
    return this;
  }

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
