import { type Fit, filtersOf, fitText } from "./charts.ts";
import type { DatasetInfo, WidgetInfo } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, widgetIn, without } from "./references.ts";
import { CHART_WORDS, isFiller, wordsIn } from "./words.ts";

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
  return [
    {
      tool: "update_widget",
      args: { widget_id: widget.id, chart_type: target.type },
      says: `Show “${widget.name}” as ${target.type}`,
    },
  ];
}

export async function planFilter(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory } = clause;
  const widget = await widgetIn(clause);
  const rest = without(text, widget.name).replace(
    /\b(?:only|show|filter\w*|nur|restrict|limit|chart|widget|diagramm|to|in|the|zeig\w*|instead|this|it|group\w*|split|break|down|by|auf|gruppier\w*|nach)\b/gi,
    " ",
  );
  const dataset = (await inventory.datasets()).find(({ id }) => id === widget.dataset_id);
  if (dataset === undefined)
    throw new AskBack(`“${widget.name}” has no dataset any more. Which one should it show?`);
  const fit = fitOne(rest, dataset);
  if (/\b(?:group|split|break|gruppier)\w*\b/i.test(text)) return [await grouping(widget, fit)];
  const filters = await filtersOf(fit, inventory);
  if (filters.length === 0) throw new AskBack(`Which rows should “${widget.name}” show?`);
  return [
    {
      tool: "update_widget",
      args: { widget_id: widget.id, options: { filters } },
      says: `Show only ${filters.map(({ field, value }) => `${field} ${[value].flat().join(", ")}`).join(" and ")} in “${widget.name}”`,
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
