import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { defineTool } from "../define.ts";
import type { Insight } from "../insights/insights.ts";

const context = z.string().max(KERNEL.call.instructionCharacters).optional();

const shape = z.object({
  kind: z.enum(["trend", "change", "outlier", "season", "missing", "driver", "concentration", "correlation"]),
  category: z.enum(["observation", "trend", "anomaly"]),
  widget_id: z.int().nullable(),
  about: z.string(),
  sentence: z.string(),
  numbers: z.record(z.string(), z.union([z.number(), z.string()])),
  chance: z.number().nullable().describe("That noise looks like this; null for what simply is so"),
  next: z.string().describe("What to look at next"),
});

const CATEGORIES = { trend: "trend", change: "trend", outlier: "anomaly", missing: "anomaly" } as const;

/** What stands out, computed and not invented. */
export const getInsights = defineTool({
  name: "get_insights",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_get_insights",
      description:
        "Generate insights and recommendations for a widget or dashboard: observations, trends, anomalies, and actionable recommendations. One of widgetId or dashboardId is required.",
      input: z.strictObject({
        widgetId: z.int().optional().describe("Widget ID to analyze"),
        dashboardId: z.int().optional().describe("Dashboard ID to analyze (all widgets)"),
        context: context.describe('Optional guidance for analysis, e.g. "focus on revenue trends"'),
      }),
      adapt: ({
        widgetId,
        dashboardId,
        context,
      }: {
        widgetId?: number;
        dashboardId?: number;
        context?: string;
      }) => {
        if ((widgetId === undefined) === (dashboardId === undefined))
          throw new AppError("bad_request", "One of widgetId or dashboardId is required, and only one.");
        return { widget_id: widgetId, dashboard_id: dashboardId, context };
      },
    },
  },
  title: "Get insights",
  description:
    "What stands out in a widget, dashboard or dataset: trends, changes of level, outliers, seasons, what drives a change. Computed, with guards against noise.",
  permission: "bi:read",
  effect: "read",
  timeoutMs: 180_000,
  input: z.strictObject({
    widget_id: z.int().optional(),
    dashboard_id: z.int().optional(),
    dataset_id: z.int().optional(),
    context: context.describe("What to look at first"),
  }),
  output: z.object({
    insights: z.array(shape),
    recommendations: z.array(z.string()),
    tests: z.int().describe("Findings that were tested together; at most 1 in 20 of those shown is chance"),
    notes: z.array(z.string()),
    message: z.string(),
  }),

  async run({ widget_id, dashboard_id, dataset_id, context }, { boards, insights: finder, caller }) {
    const given = [widget_id, dashboard_id, dataset_id].filter((id) => id !== undefined);
    if (given.length !== 1)
      throw new AppError(
        "bad_request",
        "One of widget_id, dashboard_id or dataset_id is required, and only one.",
      );
    const find = async () => {
      if (dataset_id !== undefined) return finder.ofDataset(caller, dataset_id, context);
      if (widget_id !== undefined) {
        const { widget, dashboard } = await boards.widget(caller, widget_id);
        return finder.ofWidgets(caller, dashboard, [widget], { context });
      }
      const dashboard = await boards.dashboard(caller, dashboard_id as number);
      return finder.ofWidgets(caller, dashboard, await boards.store.widgetsOf(dashboard.id), { context });
    };
    const { insights, notes, remarks, isTooLittle, tests } = await find();
    return {
      insights: insights.map(shown),
      recommendations: [...new Set(insights.map(({ next }) => next))],
      tests,
      notes: [...notes, ...remarks],
      message:
        insights.length > 0
          ? insights.map(({ sentence }) => sentence).join("\n")
          : isTooLittle
            ? remarks.join("\n")
            : "Nothing stands out beyond what chance would do.",
    };
  },
});

function shown({ kind, widgetId, about, sentence, numbers, p, next }: Insight): z.output<typeof shape> {
  const category = kind in CATEGORIES ? CATEGORIES[kind as keyof typeof CATEGORIES] : "observation";
  return { kind, category, widget_id: widgetId, about, sentence, numbers, chance: p, next };
}
