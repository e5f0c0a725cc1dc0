import { lazily } from "../../kernel/concurrency.ts";
import { isAppError } from "../../kernel/errors.ts";
import type { Aliases } from "./aliases.ts";

export interface Column {
  name: string;
  type: string;
}

export interface DatasetInfo {
  id: number;
  name: string;
  columns: readonly Column[];
  /** What else its columns and rows are called. */
  aliases: Aliases;
}

export interface NamedAsset {
  id: number;
  name: string;
  /** Further words by which it is known. */
  about: string;
}

export interface WidgetInfo extends NamedAsset {
  chart_type: string;
  dataset_id: number | null;
  dataset: string | null;
  dashboard_id: number | null;
  place: { col: number; row: number; sizeX: number; sizeY: number } | null;
}

export interface AlertInfo extends NamedAsset {
  /** Null where its condition is not for everybody to see. */
  c9ql: string | null;
  recipients: readonly string[];
}

export interface ReportInfo extends NamedAsset {
  recipients: readonly string[];
}

/** Calls a tool for whoever gave the instruction. */
export type CallTool = <T>(tool: string, args: object) => Promise<T>;

/** By what people call a report beside its name: how often it comes, and on which day. */
const TIMES: Record<string, string> = {
  minutes: "minute",
  hours: "hourly stündlich",
  days: "daily täglich tages",
  weeks: "weekly week wöchentlich wochen",
  months: "monthly month monatlich monats",
  MONDAY: "monday montag",
  TUESDAY: "tuesday dienstag",
  WEDNESDAY: "wednesday mittwoch",
  THURSDAY: "thursday donnerstag",
  FRIDAY: "friday freitag",
  SATURDAY: "saturday samstag",
  SUNDAY: "sunday sonntag",
};

/** By what people call a widget beside its name. */
const TYPES: Record<string, string> = {
  singletext: "tile number",
  datagrid2: "table",
  recommendation: "insights",
};

/** What an instruction can speak of: what its giver may see, read when it is needed. */
export class Inventory {
  readonly #call: CallTool;
  readonly datasets: () => Promise<readonly DatasetInfo[]>;
  readonly dashboards: () => Promise<readonly NamedAsset[]>;
  readonly widgets: () => Promise<readonly WidgetInfo[]>;
  readonly alerts: () => Promise<readonly AlertInfo[]>;
  readonly reports: () => Promise<readonly ReportInfo[]>;
  readonly #values = new Map<string, Promise<string[]>>();

  constructor(call: CallTool, aliases: () => Promise<ReadonlyMap<string, Aliases>> = async () => new Map()) {
    this.#call = call;
    this.datasets = lazily(async () => {
      const [{ datasets }, known] = await Promise.all([
        call<{ datasets: Omit<DatasetInfo, "aliases">[] }>("list_datasets", { columns: true, limit: 200 }),
        aliases(),
      ]);
      return datasets.map((each) => ({ ...each, aliases: known.get(each.name) ?? new Map() }));
    });
    this.dashboards = lazily(async () => {
      const { dashboards } = await call<{
        dashboards: { id: number; name: string; description: string | null }[];
      }>("list_dashboards", {});
      return dashboards.map(({ id, name, description }) => ({ id, name, about: description ?? "" }));
    });
    this.widgets = lazily(async () => {
      const { widgets } = await call<{
        widgets: (Omit<WidgetInfo, "id" | "about"> & { widget_id: number })[];
      }>("find_widget", { name: "", limit: 200 });
      return widgets.map(({ widget_id, ...rest }) => ({
        ...rest,
        id: widget_id,
        about: `${TYPES[rest.chart_type] ?? ""} ${rest.dataset ?? ""}`,
      }));
    });
    // A token may be for dashboards alone: then there are no alerts and reports to speak of.
    const ifAllowed = <T>(wanted: Promise<T>, none: T) =>
      wanted.catch((error: unknown) => {
        if (isAppError(error) && error.code === "forbidden") return none;
        throw error;
      });
    this.alerts = lazily(async () => {
      const { alerts } = await ifAllowed(
        call<{ alerts: (AlertInfo & { sentence: string | null })[] }>("list_alerts", { limit: 200 }),
        { alerts: [] },
      );
      return alerts.map(({ sentence, ...alert }) => ({ ...alert, about: sentence ?? "" }));
    });
    this.reports = lazily(async () => {
      const { reports } = await ifAllowed(
        call<{
          reports: (ReportInfo & { frequency: string; day_of_week: string })[];
        }>("list_reports", { limit: 200 }),
        { reports: [] },
      );
      return reports.map(({ id, name, recipients, frequency, day_of_week }) => ({
        id,
        name,
        recipients,
        about:
          TIMES[frequency === "weeks" ? day_of_week : ""]?.concat(" ", TIMES.weeks ?? "") ??
          TIMES[frequency] ??
          "",
      }));
    });
  }

  /** All that get_details tells of a widget or a dashboard. */
  async details<T>(assetType: "widget" | "dashboard", assetId: number): Promise<T> {
    const args = { asset_type: assetType, asset_id: assetId };
    return (await this.#call<{ details: T }>("get_details", args)).details;
  }

  /** The values of a column of texts, where they are few. */
  valuesOf(dataset: DatasetInfo, column: string): Promise<string[]> {
    const key = `${dataset.id} ${column}`;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const field = `\`${column.replaceAll("`", "``")}\``;
    const read = this.#call<{ rows: Record<string, unknown>[] }>("get_data", {
      dataset_id: dataset.id,
      c9ql: `select distinct ${field} as value limit 300`,
      limit: 300,
    }).then(({ rows }) => rows.flatMap(({ value }) => (typeof value === "string" ? [value] : [])));
    this.#values.set(key, read);
    return read;
  }
}
