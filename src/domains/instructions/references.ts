import { type Inventory, type NamedAsset, namedIn, requireAsset, type WidgetInfo } from "./inventory.ts";
import { AskBack, type FromStep, type PlannedStep } from "./plan.ts";
import { CHART_WORDS, isFiller, wordsIn } from "./words.ts";

/** What a clause is read with. */
export interface Clause {
  text: string;
  inventory: Inventory;
  dashboardId: number | undefined;
  widgetId: number | undefined;
  /** The mail address of whoever speaks. */
  me: string;
  assumptions: string[];
  /** What clauses before it come to. */
  before: readonly PlannedStep[];
}

const NO_NAMES = new Set([
  "the",
  "this",
  "that",
  "my",
  "our",
  "a",
  "an",
  "new",
  "das",
  "dem",
  "dieses",
  "diesem",
  "ein",
  "neues",
  "whole",
  "to",
  "on",
  "auf",
  "zu",
  "zum",
  "of",
]);

/** The dashboard that a clause speaks of: by its name, as "it", as the one that is open, or by a word of it. */
export async function dashboardIn(clause: Clause): Promise<{ id: number | FromStep; name: string }> {
  const { text, inventory, dashboardId, before } = clause;
  const all = await inventory.dashboards();
  const named = namedIn(text, all);
  if (named !== undefined) return named;
  const made = before.findLastIndex(({ tool }) => tool === "create_dashboard");
  if (made !== -1) return { id: { step: made, key: "dashboard_id" }, name: String(before[made]?.args.name) };
  const word = /([\p{L}]+)[- ]dashboard/iu.exec(text)?.[1] ?? "";
  const isPlain = word === "" || NO_NAMES.has(word.toLowerCase()) || isFiller(word);
  if (isPlain && dashboardId !== undefined) return known(all, dashboardId, "dashboard");
  if (isPlain && all.length === 1) return all[0] as NamedAsset;
  return requireAsset(isPlain ? "" : word, all, "dashboard");
}

export async function widgetIn(clause: Clause): Promise<WidgetInfo> {
  const { text, inventory, widgetId, dashboardId } = clause;
  const all = await inventory.widgets();
  const named = namedIn(text, all);
  if (named !== undefined) return named;
  if (widgetId !== undefined) return known(all, widgetId, "widget");
  const dashboard =
    namedIn(text, await inventory.dashboards())?.id ?? dashboardId ?? (await dashboardByWord(clause));
  const here = dashboard === undefined ? all : all.filter((widget) => widget.dashboard_id === dashboard);
  // Of "make bars of the pie" only the pie is there.
  const charts = CHART_WORDS.filter(([pattern]) => pattern.test(text)).map(([, type]) => type);
  const ofType = here.filter(({ chart_type }) => charts.includes(chart_type));
  if (ofType.length === 1) return ofType[0] as WidgetInfo;
  const quoted = /["“„']([^"”“']{2,})["”“']/.exec(text)?.[1];
  const noun = /\b(?:the|das|den|die) ([\p{L} ]+?) (?:chart|widget|graph|diagramm|table)\b/iu.exec(text)?.[1];
  return requireAsset(quoted ?? noun ?? "", here, "widget");
}

async function dashboardByWord({ text, inventory }: Clause): Promise<number | undefined> {
  const word = /([\p{L}]+)[- ]dashboard/iu.exec(text)?.[1];
  if (word === undefined || NO_NAMES.has(word.toLowerCase())) return undefined;
  return requireAsset(word, await inventory.dashboards(), "dashboard").id;
}

function known<A extends NamedAsset>(assets: readonly A[], id: number, kind: string): A {
  const found = assets.find((asset) => asset.id === id);
  if (found === undefined)
    throw new AskBack(
      `There is no ${kind} ${id} that you may see. Which one do you mean?`,
      assets.map(({ name }) => name),
    );
  return found;
}

/** The text without a name that has done its work, however it is punctuated. */
export function without(text: string, name: string, instead = " "): string {
  const words = wordsIn(name).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(
    `["“„']?(?<![\\p{L}\\p{N}])${words.join("[^\\p{L}\\p{N}]+")}(?![\\p{L}\\p{N}])[?!)"”“'.]*`,
    "iu",
  );
  return text.replace(pattern, instead);
}

export function quotedIn(text: string): string | undefined {
  return /["“„]([^"”“„]+)["”“]/.exec(text)?.[1]?.trim();
}
