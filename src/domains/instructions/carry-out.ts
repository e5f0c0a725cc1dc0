import { AppError, isAppError, isNotFound } from "../../kernel/errors.ts";
import type { Change } from "./instructions.tables.ts";
import { isFromStep, type PlannedStep } from "./plan.ts";
import type { CallTool } from "./references.ts";

/** What has to be known before a step, so that it can be undone. */
export type Undoable = (call: CallTool, args: Record<string, unknown>) => Promise<UndoOf | undefined>;
type UndoOf = (result: Record<string, unknown>) => Omit<Change, "says" | "versionAfter"> | undefined;

const made = (assetType: string, key: string): Undoable => {
  const undoOf: UndoOf = (result) => {
    const assetId = Number(dig(result, key));
    return {
      assetType,
      assetId,
      undo: { tool: "delete_asset", args: { asset_type: assetType, asset_id: assetId, confirm: true } },
    };
  };
  return async () => undoOf;
};

const changed =
  (assetType: string, key: string): Undoable =>
  async (call, args) => {
    const assetId = Number(args[key]);
    const version = await versionOf(call, assetType, assetId);
    const undo = { tool: "restore_asset", args: { asset_type: assetType, asset_id: assetId, version } };
    return () => ({ assetType, assetId, undo });
  };

/** What keeps no versions gets its former settings back. */
function formerly(assetType: "alert" | "report"): Undoable {
  return async (call, { [`${assetType}_id`]: id, ...args }) => {
    const assetId = Number(id);
    const asked = { asset_type: assetType, asset_id: assetId };
    const { details } = await call<{ details: Record<string, unknown> }>("get_details", asked);
    const { state, condition, c9ql, paused = state === "paused", ...settings } = details;
    const before = { ...settings, paused, condition: condition ?? c9ql };
    const former = Object.entries(before).filter(([name, value]) => name in args && value !== null);
    const undo = {
      tool: `update_${assetType}`,
      args: { [`${assetType}_id`]: assetId, ...Object.fromEntries(former) },
    };
    return () => ({ assetType, assetId, undo });
  };
}

/** How each tool that changes something is undone. What is not here only reads, or cannot be taken back. */
const UNDOABLE: Readonly<Record<string, Undoable>> = {
  create_dashboard: made("dashboard", "dashboard_id"),
  create_widget: made("widget", "widget_id"),
  create_alert: made("alert", "alert.id"),
  create_report: made("report", "report.id"),
  update_dashboard: changed("dashboard", "dashboard_id"),
  layout_dashboard: changed("dashboard", "dashboard_id"),
  update_widget: changed("widget", "widget_id"),
  update_alert: formerly("alert"),
  update_report: formerly("report"),
  get_embed_url: async () => (result) => {
    const embed_id = Number(result.embed_id);
    return { assetType: "embed", assetId: embed_id, undo: { tool: "revoke_embed", args: { embed_id } } };
  },
};

/** Does one step; resolves with its result and what undoes it. */
export async function doStep(
  call: CallTool,
  { tool, args, says }: PlannedStep,
  results: readonly unknown[],
): Promise<{ result: Record<string, unknown>; change: Change | undefined }> {
  const filled = fill(args, results) as Record<string, unknown>;
  const undoOf = await UNDOABLE[tool]?.(call, filled);
  const result = await call<Record<string, unknown>>(tool, filled);
  if (tool === "create_report" && filled.send_now === true && filled.paused === true) {
    await clearAway(call, result);
    return { result, change: undefined };
  }
  const undo = undoOf?.(result);
  if (undo === undefined) return { result, change: undefined };
  const versionAfter = await versionOf(call, undo.assetType, undo.assetId);
  return { result, change: { says, versionAfter, ...undo } };
}

/** How a tool says in its answer that it has not done what it was asked: those that run, and those that answer. */
const UNDONE = new Set(["refuse", "clarify", "not_found", "failed", "cancelled"]);

/** Why a step whose call went well has come to nothing all the same; undefined where it has not. */
export function shortfallOf(result: Record<string, unknown>): string | undefined {
  const { report_run: report, run } = result as Record<
    string,
    { state?: string; status?: string } | undefined
  >;
  const ends = [result.outcome, result.status, report?.state, run?.status];
  if (!ends.some((end) => typeof end === "string" && UNDONE.has(end))) return undefined;
  const said = [result.answer, result.message].find((text) => typeof text === "string" && text !== "");
  return typeof said === "string" ? said : "It came to nothing.";
}

/** What is sent once leaves no report behind, once it is on its way; paused it stays where that cannot be said yet. */
async function clearAway(call: CallTool, result: Record<string, unknown>): Promise<void> {
  if (dig(result, "report_run.state") !== "done") return;
  const asked = { asset_type: "report", asset_id: Number(dig(result, "report.id")), confirm: true };
  await call("delete_asset", asked).catch((error: unknown) => {
    if (!isAppError(error) || error.code === "internal") throw error;
  });
}

/** Undoes all of it in reverse, or nothing: what somebody has changed since is left alone, and told. */
export async function undoAll(call: CallTool, steps: readonly Change[]): Promise<string[]> {
  const last = new Map(steps.map((step) => [`${step.assetType} ${step.assetId}`, step]));
  for (const { assetType, assetId, versionAfter } of last.values()) {
    const now = await versionOf(call, assetType, assetId);
    if (now === versionAfter) continue;
    throw new AppError("conflict", `Nothing was undone: ${assetType} ${assetId} has been changed since.`, {
      hint: "Look at it with {tool:get_details}, and change it by hand.",
    });
  }
  const undone: string[] = [];
  for (const { undo, says } of steps.toReversed()) {
    await call(undo.tool, undo.args);
    undone.push(says);
  }
  return undone;
}

/** Null where the kind of asset keeps no versions. */
async function versionOf(call: CallTool, assetType: string, assetId: number): Promise<number | null> {
  if (assetType === "embed") return null;
  const { details } = await call<{ details: { version?: number } }>("get_details", {
    asset_type: assetType,
    asset_id: assetId,
  }).catch((error: unknown) => {
    if (isNotFound(error)) return { details: { version: -1 } };
    throw error;
  });
  return details.version ?? null;
}

/** Puts what earlier steps made in the places that wait for it. */
function fill(value: unknown, results: readonly unknown[]): unknown {
  if (isFromStep(value)) return dig(results[value.step] as Record<string, unknown>, value.key);
  if (Array.isArray(value)) return value.map((each) => fill(each, results));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, results)]));
}

function dig(value: Record<string, unknown>, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}

export function reasonOf(error: unknown): string {
  if (isAppError(error) && error.code !== "internal") return error.advice;
  throw error;
}
