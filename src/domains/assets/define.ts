import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Ability, AssetKinds } from "../../registry/asset-kind.ts";
import { type CallPorts, callInside } from "../../registry/call.ts";
import type { CallContext } from "../../registry/context.ts";
import { resourcesOf } from "../../registry/define-resource.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { AuditSink } from "../../registry/ports.ts";
import type { Registry } from "../../registry/registry.ts";
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
  /** For tools that ask others, on the call path. */
  registry: Registry;
  ports: CallPorts;
  appUrl: string;
}

export type AssetsContext = AssetsServices & CallContext;

/** Calls a tool for whoever calls this one, with its rights and limits, and into the same audit log. */
export function callFrom<T>(
  { ports, registry, caller, meta, signal, say }: AssetsContext,
  tool: string,
  args: object,
): Promise<T> {
  return callInside(ports, registry, tool, args, { caller, meta, signal, say }) as Promise<T>;
}

/** Where the console shows something; kinds without a page of their own are on that of others. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  document: (id) => `library/doc-${id}`,
  memory: (id) => `memory/${id}`,
  dataset: (id) => `data/${id}`,
  dashboard: (id) => `dashboards/${id}`,
  widget: () => "dashboards",
  query: () => "data",
  datasource: () => "data",
  alert: () => "automation",
  report: () => "automation",
};

/** The address of something in the console, for people to open. */
export function pageOf({ appUrl, caller }: AssetsContext, type: string, id: number | string): string {
  const page = PAGES[type]?.(encodeURIComponent(id)) ?? "home";
  return `${appUrl}/w/${caller.workspace.slug}/${page}`;
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
