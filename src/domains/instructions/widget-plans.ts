import { dateOf, during, type Fit, filtersOf, fitText } from "./charts.ts";
import type { DatasetInfo, WidgetInfo } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, widgetIn, without } from "./references.ts";
import { CHART_WORDS, calledIn, isFiller, numberOf, periodIn, WIDGET, wordsIn } from "./words.ts";

export async function planChart(clause: Clause): Promise<PlannedStep[]> {
  const widget = await widgetIn(clause);
  const rest = without(clause.text, widget.name);
  const found = CHART_WORDS.flatMap(([pattern, type]) => {
    const at = rest.search(pattern);
    return at === -1 ? [] : [{ at, type }];
  }).toSorted((a, b) => b.at - a.at);
  const [target] = found;
  if (target === undefined || (found.length === 1 && target.type === widget.chart_type))
    throw new AskBack(`What should become of “${widget.name}”?`, [
      "another type of chart",
      "a filter",
      "another name",
    ]);
  const name = calledIn(rest);
  return [
    {
      tool: "update_widget",
      args: { widget_id: widget.id, chart_type: target.type, ...(name !== undefined && { name }) },
      says: `Show “${widget.name}” as ${target.type}${name === undefined ? "" : `, called “${name}”`}`,
    },
  ];
}

const GRAIN =
  /\b(?:(days?|daily|tage?n?|täglich)|(weeks?|weekly|wochen?|wöchentlich)|(months?|monthly|monate?n?|monatlich)|(quarters?|quarterly|quartale?n?)|(years?|yearly|jahre?n?|jährlich))\b/i;
const GRAINS = ["day", "week", "month", "quarter", "year"];
const INSTEAD = /\b(?:instead of|rather than|statt|anstatt|instead)\b/i;
const TARGET = /\b(?:target|goal|ziel(?:wert)?)\b/i;
const LIMIT = /\b(?:limit|restrict|only|just|nur|begrenz\w*|beschränk\w*)\b/i;

/** Other periods, another stretch of time, or another target for a chart. */
export function isAdjusted({ text, widgetId }: Clause): boolean {
  const isGrain = INSTEAD.test(text) && GRAIN.test(text.split(INSTEAD)[0] ?? "");
  const isTarget =
    TARGET.test(text) && /\b(?:set|change|raise|lower|setz\w*)\b|(?<![\p{L}])änder\w*/iu.test(text);
  const isPeriod = LIMIT.test(text) && periodIn(text) !== undefined;
  return isGrain || isTarget || (isPeriod && (widgetId !== undefined || WIDGET.test(text)));
}

export async function planAdjusted(clause: Clause): Promise<PlannedStep[]> {
  const widget = await widgetIn(clause);
  const rest = without(clause.text, widget.name);
  const change = (options: object, says: string): PlannedStep[] => [
    { tool: "update_widget", args: { widget_id: widget.id, options }, says: `${says} in “${widget.name}”` },
  ];
  const goal = /(\d[\d.,]*)\s*(thousand|million(?:en)?|tausend|mio\.?|tsd\.?|k\b|m\b)?/i.exec(rest);
  if (TARGET.test(rest) && goal !== null) {
    const target = numberOf(goal[1] as string, goal[2]);
    return change({ target }, `Set the target to ${target}`);
  }
  const grain =
    GRAINS[
      (GRAIN.exec(rest.split(INSTEAD)[0] ?? "") ?? []).findIndex((each, i) => i > 0 && each !== undefined) - 1
    ];
  if (INSTEAD.test(rest) && grain !== undefined) return change({ grain }, `Show ${grain}s`);
  const period = periodIn(rest);
  // The time was part of the chart's name.
  if (period === undefined) return planFilter(clause);
  const dataset = (await clause.inventory.datasets()).find(({ id }) => id === widget.dataset_id);
  const date = dataset === undefined ? undefined : dateOf(dataset);
  const { c9ql } = await clause.inventory.details<{ c9ql?: string | null }>("widget", widget.id);
  // A query of its own cannot be limited from outside without knowing what it does.
  if (date === undefined || !/^(?:where \S+ >= \S+(?: and \S+ < \S+)?)?$/i.test(c9ql ?? ""))
    throw new AskBack(`To which rows should “${widget.name}” be limited?`);
  return change({ c9ql: during(date, period) }, `Show only ${period.said.trim()}`);
}

const WITHOUT = /\b(?:exclud\w*|leave out|hide|without|except|ohne|außer|ausblend\w*|lass\w*)\b/i;

export async function planFilter(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory } = clause;
  const widget = await widgetIn(clause);
  const rest = without(text, widget.name).replace(
    /\b(?:only|show|filter\w*|nur|restrict|limit|exclud\w*|leave|out|hide|without|except|ohne|außer|from|ausblend\w*|lass\w*|weg|aus|chart|widget|diagramm|to|in|the|zeig\w*|instead|this|it|group\w*|split|break|down|by|auf|gruppier\w*|nach)\b/gi,
    " ",
  );
  const dataset = (await inventory.datasets()).find(({ id }) => id === widget.dataset_id);
  if (dataset === undefined)
    throw new AskBack(`“${widget.name}” has no dataset any more. Which one should it show?`);
  const fit = fitOne(rest, dataset);
  if (/\b(?:group|split|break|gruppier)\w*\b/i.test(text)) return [await grouping(widget, fit)];
  const found = await filtersOf(fit, inventory);
  if (found.length === 0) throw new AskBack(`Which rows should “${widget.name}” show?`);
  const isWithout = WITHOUT.test(text);
  const filters = isWithout
    ? found.flatMap(({ field, value }) =>
        [value].flat().map((each) => ({ field, operator: "!=", value: each })),
      )
    : found;
  return [
    {
      tool: "update_widget",
      args: { widget_id: widget.id, options: { filters } },
      says: `${isWithout ? "Leave out" : "Show only"} ${filters.map(({ field, value }) => `${field} ${[value].flat().join(", ")}`).join(" and ")} in “${widget.name}”`,
    },
  ];
}

function fitOne(text: string, dataset: DatasetInfo): Fit {
  try {
    return fitText(text, [dataset]);
  } catch (error) {
    if (!(error instanceof AskBack)) throw error;
    // None of its words is a field: they may be values.
    return {
      dataset,
      score: 0,
      measures: [],
      ofRows: false,
      dims: [],
      by: new Set(),
      against: undefined,
      unknown: wordsIn(text).filter((word) => !isFiller(word)),
    };
  }
}

async function grouping(widget: WidgetInfo, { dims, measures, unknown, dataset }: Fit): Promise<PlannedStep> {
  const [column] = [...dims, ...measures];
  if (column === undefined || unknown.length > 0)
    throw new AskBack(
      `By which field should “${widget.name}” be grouped?`,
      dataset.columns.map(({ name }) => name),
    );
  return {
    tool: "update_widget",
    args: { widget_id: widget.id, group_by: column.name },
    says: `Group “${widget.name}” by ${column.name}`,
  };
}
