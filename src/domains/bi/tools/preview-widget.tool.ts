import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { knownLocale, type Subject } from "../../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../../platform/drawing/limits.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { FoundWidget, Widget } from "../boards.store.ts";
import { type BiServices, defineTool } from "../define.ts";
import { untitled } from "../export/exports.ts";
import { newWidget, specOf } from "../shapes.ts";
import { roomFor, type ShownWidget } from "../views.ts";

const { leastPx, mostPx } = DRAWING.drawing;
const draftShape = newWidget.partial({ name: true });

/** Lets a page show a widget as it is, or as it would be, before anything of it is kept. */
export const previewWidget = defineTool({
  name: "preview_widget",
  toolset: "dashboards",
  title: "Preview a widget",
  description: "What a widget shows, or would show before it is kept: drawn for pages, as rows for a model.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    widget_id: z.int().optional(),
    draft: z.unknown().pipe(draftShape).optional().describe("As create_widget, in place of widget_id"),
    dashboard_id: z.int().optional().describe("Whose filters hold for a draft"),
    filters: z.record(z.string().max(200), z.array(z.string().max(500)).max(100)).default({}),
    width: z.int().min(leastPx).max(mostPx),
    height: z.int().min(leastPx).max(mostPx),
    locale: z.string().max(35).default("en-US"),
  }),
  output: z.object({
    title: z.string(),
    kind: z.enum(["picture", "table", "text", "empty", "error"]),
    light: z.string().nullable(),
    dark: z.string().nullable(),
    hover: z.record(z.string(), z.unknown()).nullable(),
    table: z
      .object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())), row_count: z.int() })
      .nullable(),
    text: z.string().nullable(),
    notes: z.array(z.string()),
    as_of: z.string().nullable(),
  }),
  // No model looks at drawings as text.
  compact: (output) => {
    const structured = { ...output, light: null, dark: null, hover: null };
    return { content: JSON.stringify(structured), structured };
  },

  async run({ widget_id, draft, dashboard_id, filters: chosen, ...look }, { boards, views, caller }) {
    const locale = knownLocale(look.locale);
    const { widget, dashboard } =
      widget_id === undefined
        ? await drafted(boards, caller, draft, dashboard_id)
        : await boards.widget(caller, widget_id);
    const options = { chosen, locale, ...roomFor("page", [widget]) };
    const shown = await views.widget(caller, dashboard, widget, options);
    const { subject, notes, asOf } = shown;
    const size = { width: look.width, height: look.height, locale };
    const [light, dark] = isDrawn(subject) ? await drawnOf(views, caller, shown, size) : [];
    return {
      title: widget.name,
      kind: isDrawn(subject) ? (light == null ? ("error" as const) : ("picture" as const)) : subject.kind,
      light: light?.svg ?? null,
      dark: dark?.svg ?? null,
      hover: light?.hover ?? null,
      table: tableOf(subject),
      text: widget.spec.chart === "text" ? (widget.spec.text ?? "") : textOf(subject),
      notes: [...notes],
      as_of: asOf?.toISOString() ?? null,
    };
  },
});

type Drawn = Extract<Subject, { kind: "spec" | "number" }>;

function isDrawn(subject: Subject): subject is Drawn {
  return subject.kind === "spec" || subject.kind === "number";
}

/** A widget that nobody has kept, with the eyes of the caller alone. */
async function drafted(
  boards: BiServices["boards"],
  caller: Caller,
  draft: z.output<typeof draftShape> | undefined,
  dashboardId: number | undefined,
): Promise<FoundWidget> {
  if (draft === undefined)
    throw new AppError("bad_request", "There is nothing to preview.", { hint: "Give widget_id or draft." });
  const dashboard = dashboardId === undefined ? null : await boards.dashboard(caller, dashboardId);
  const { name = "", dataset_id: datasetId = null, place, ...fields } = draft;
  const now = new Date();
  const widget = {
    id: 0,
    workspaceId: caller.workspace.id,
    name,
    spec: specOf(fields),
    datasetId,
    dashboardId: dashboardId ?? null,
    place: place ?? null,
    version: 0,
    authorIds: [caller.user.id],
    changedAt: now,
    changedBy: caller.user.id,
    createdAt: now,
  };
  return { widget: widget as unknown as Widget, dashboard };
}

function drawnOf(
  views: BiServices["views"],
  caller: Caller,
  { subject }: ShownWidget,
  look: { width: number; height: number; locale: string },
) {
  const themed = (theme: "light" | "dark") => ({ subject: untitled(subject), look: { ...look, theme } });
  return views.pictures(caller.workspace.id, [themed("light"), themed("dark")]);
}

function tableOf(subject: Subject) {
  if (subject.kind !== "table") return null;
  const { columns, rows, rowCount } = subject;
  return { columns: columns.map(({ label }) => label), rows, row_count: rowCount };
}

function textOf(subject: Subject): string | null {
  if (subject.kind === "text") return subject.text;
  if (subject.kind === "empty") return subject.why;
  return subject.kind === "error" ? `${subject.what} ${subject.next}` : null;
}
