import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Ability, AssetKinds } from "../../registry/asset-kind.ts";
import { resourcesOf } from "../../registry/define-resource.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { AuditSink } from "../../registry/ports.ts";
import type { Data } from "../data/index.ts";
import type { AssetSearch } from "./asset-search.ts";
import type { StoredExports } from "./stored-exports.ts";

/** What the tools of this slice work with. */
export interface AssetsServices {
  /** Everything that these tools can be asked for, of whatever slice. */
  assets: AssetKinds;
  /** Writes Parquet files. */
  data: Pick<Data, "require" | "tableView" | "withParquet" | "exportParquet">;
  /** Keeps files that are too large for an answer. */
  exports: StoredExports;
  /** True if files of the contract have formulas made harmless. */
  escapeFormulas: boolean;
  search: AssetSearch;
  audit: Pick<AuditSink, "record">;
}

export const defineTool = toolsOf<AssetsServices>();
export const defineResource = resourcesOf<AssetsServices>();

/** Arguments by which a tool is told which asset is meant, such as `dataset_id`; with several, one of them is given. */
export function idArguments(
  assets: AssetKinds,
  abilities: Ability | readonly Ability[],
  { described = false }: { described?: boolean } = {},
): Record<never, z.ZodType> {
  const names = [...new Set([abilities].flat().flatMap((ability) => assets.names(ability)))];
  const argument = (name: string) => {
    const { idsFrom } = assets.require(name);
    const id = described && idsFrom !== undefined ? z.int().describe(`From ${idsFrom}`) : z.int();
    return [`${name}_id`, names.length === 1 ? id : id.optional()];
  };
  return Object.fromEntries(names.map(argument));
}

/** The asset that such arguments name. */
export function namedAsset(ids: object): { type: string; id: number } {
  const given = Object.entries(ids).filter(([, id]) => id !== undefined);
  const [only, ...more] = given;
  if (only === undefined || more.length > 0) {
    const names = Object.keys(ids)
      .join(", ")
      .replace(/, (\w+)$/, " or $1");
    throw new AppError("bad_request", `One of ${names} is required, and only one.`);
  }
  return { type: typeOf(only[0]), id: only[1] as number };
}

/** The same arguments as a contract names them (`datasetId`), in our form; it may know kinds that are not there. */
export function adaptIds(
  ids: object,
  assets: AssetKinds,
  ...abilities: readonly Ability[]
): Record<never, number> {
  const { type, id } = namedAsset(ids);
  if (!abilities.some((ability) => assets.names(ability).includes(type)))
    throw new AppError("not_found", `There is no ${type} with id ${id}.`);
  return { [`${type}_id`]: id };
}

function typeOf(argument: string): string {
  return argument.replace(/_id$|Id$/, "");
}
