import { fitText } from "./charts.ts";
import { type NamedAsset, namedIn } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, dashboardIn, quotedIn, widgetIn } from "./references.ts";
import { BOARD, FREQUENCIES, MAIL, WIDGET } from "./words.ts";

const DAYS: readonly (readonly [RegExp, string])[] = [
  [/\bmondays?\b|\bmontags?\b/i, "MONDAY"],
  [/\btuesdays?\b|\bdienstags?\b/i, "TUESDAY"],
  [/\bwednesdays?\b|\bmittwochs?\b/i, "WEDNESDAY"],
  [/\bthursdays?\b|\bdonnerstags?\b/i, "THURSDAY"],
  [/\bfridays?\b|\bfreitags?\b/i, "FRIDAY"],
  [/\bsaturdays?\b|\bsamstags?\b/i, "SATURDAY"],
  [/\bsundays?\b|\bsonntags?\b/i, "SUNDAY"],
];

export async function planReport(clause: Clause): Promise<PlannedStep[]> {
  const { text } = clause;
  const recipients = (text.match(MAIL) ?? []).join(", ");
  if (recipients === "") throw new AskBack("To whom should it be sent? Give mail addresses.");
  const bare = text.replace(MAIL, " ");
  const day = DAYS.find(([pattern]) => pattern.test(bare))?.[1];
  const frequency =
    day !== undefined ? "weeks" : (FREQUENCIES.find(([pattern]) => pattern.test(bare))?.[1] ?? undefined);
  const time = /\b(?:at|um|@)\s*(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|uhr)?/i.exec(bare);
  const target = await targetOf({ ...clause, text: bare });
  const { widget_id, ...rest } = target.args as { widget_id?: unknown };
  return [
    {
      tool: "create_report",
      args: {
        ...rest,
        ...(widget_id !== undefined && { widget_ids: [widget_id] }),
        recipients,
        ...(frequency !== undefined ? { frequency } : { send_now: true }),
        ...(day !== undefined && { day_of_week: day }),
        ...(time !== null && { start_time: timeOf(time) }),
      },
      says: `Send ${target.name} to ${recipients}${frequency === undefined ? "" : `, every ${frequency.replace(/s$/, "")}`}`,
    },
  ];
}

function timeOf([, hour, minute = "00", half]: RegExpExecArray): string {
  const shifted =
    (Number(hour) % (half === undefined || /uhr/i.test(half) ? 24 : 12)) + (/pm/i.test(half ?? "") ? 12 : 0);
  return `${String(shifted).padStart(2, "0")}:${minute}`;
}

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
    const { dataset } = fitText(
      text.replace(
        /\b(?:export\w*|download\w*|csv|excel|json|file|datei|csv-datei|give|gib|mir|me)\b/gi,
        " ",
      ),
      await inventory.datasets(),
    );
    return { args: { dataset_id: dataset.id }, name: `the dataset ${dataset.name}` };
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
): Promise<{ args: Record<string, unknown>; name: string }> {
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
    return { args: { widget_id: widget.id }, name: `the chart “${widget.name}”` };
  }
  const { id, name } = named ?? (await dashboardIn(clause));
  return { args: { dashboard_id: id }, name: `the dashboard “${name}”` };
}
