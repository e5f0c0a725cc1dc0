import { fitText } from "./charts.ts";
import { type NamedAsset, namedIn } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, dashboardIn, quotedIn, widgetIn } from "./references.ts";
import { BOARD, WIDGET } from "./words.ts";

export async function planRename(clause: Clause): Promise<PlannedStep[]> {
  const { text, widgetId } = clause;
  const name = (
    quotedIn(text.split(/\b(?:to|into|in|zu)\b/i).at(-1) ?? "") ??
    /^.*\b(?:to|into|in|zu)\s+(.+?)(?:\s+um)?[.!]?\s*$/is.exec(text)?.[1]
  )?.trim();
  if (name === undefined || name === "") throw new AskBack("What should its new name be?");
  const target = await targetOf(
    { ...clause, text: text.slice(0, text.lastIndexOf(name)) },
    widgetId !== undefined,
  );
  const tool = "widget_id" in target.args ? "update_widget" : "update_dashboard";
  return [{ tool, args: { ...target.args, name }, says: `Rename ${target.name} to “${name}”` }];
}

export async function planExport(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory } = clause;
  const format = /\bpng\b|\bimage\b|\bbild\b/i.test(text)
    ? "png"
    : (/\b(?:csv|excel|json|parquet)\b/i.exec(text)?.[0].toLowerCase().replace("excel", "csv") ?? "pdf");
  const isRows = format !== "pdf" && format !== "png";
  const target = await targetOf(clause).catch(async (error: unknown) => {
    if (!(error instanceof AskBack) || !isRows) throw error;
    const asked =
      /\b(?:can|could|may|i|get|have|take|export\w*|download\w*|csv|excel|json|sheet|list|file|datei|liste|csv-datei|give|gib|mir|me)\b/gi;
    const { dataset, dims } = fitText(text.replace(asked, " "), await inventory.datasets());
    if (dims.length > 0)
      throw new AskBack(`All rows of ${dataset.name} can be exported, or a chart of it. Which do you mean?`, [
        `Export the dataset ${dataset.name}`,
      ]);
    return { args: { dataset_id: dataset.id }, name: `the dataset ${dataset.name}`, title: dataset.name };
  });
  return [
    {
      tool: isRows ? "export_data" : "export_dashboard",
      args: { ...target.args, format },
      says: `Export ${target.name} as ${format.toUpperCase()}`,
    },
  ];
}

/** A widget or a dashboard, whichever is spoken of. */
export async function targetOf(
  clause: Clause,
  isOpen = false,
): Promise<{ args: Record<string, unknown>; name: string; title: string }> {
  const { text, inventory, widgetId } = clause;
  const widgets = await inventory.widgets();
  const dashboards = await inventory.dashboards();
  const named = namedIn<NamedAsset>(text, [...widgets, ...dashboards]);
  const isWidget =
    named === undefined
      ? isOpen ||
        (widgetId !== undefined && !BOARD.test(text)) ||
        (WIDGET.test(text) && !/dashboard/i.test(text))
      : "chart_type" in named;
  if (isWidget) {
    const widget = named ?? (await widgetIn(clause));
    return { args: { widget_id: widget.id }, name: `the chart “${widget.name}”`, title: widget.name };
  }
  const { id, name } = named ?? (await dashboardIn(clause));
  return { args: { dashboard_id: id }, name: `the dashboard “${name}”`, title: name };
}
