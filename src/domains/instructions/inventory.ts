import { lazily } from "../../kernel/lazily.ts";
import { AskBack } from "./plan.ts";
import { formsOf, isFiller, keyOf, wordsIn } from "./words.ts";

export interface Column {
  name: string;
  type: string;
}

export interface DatasetInfo {
  id: number;
  name: string;
  columns: readonly Column[];
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
  dashboard_id: number | null;
  place: { col: number; row: number; sizeX: number; sizeY: number } | null;
}

export interface AlertInfo extends NamedAsset {
  /** Null where its condition is not for everybody to see. */
  c9ql: string | null;
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

/** What an instruction can speak of: what its giver may see, read when it is needed. */
export class Inventory {
  readonly #call: CallTool;
  readonly datasets: () => Promise<readonly DatasetInfo[]>;
  readonly dashboards: () => Promise<readonly NamedAsset[]>;
  readonly widgets: () => Promise<readonly WidgetInfo[]>;
  readonly alerts: () => Promise<readonly AlertInfo[]>;
  readonly reports: () => Promise<readonly ReportInfo[]>;
  readonly #values = new Map<string, Promise<string[]>>();

  constructor(call: CallTool) {
    this.#call = call;
    this.datasets = lazily(async () => {
      const { datasets } = await call<{ datasets: DatasetInfo[] }>("list_datasets", {
        columns: true,
        limit: 200,
      });
      return datasets;
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
      return widgets.map(({ widget_id, ...rest }) => ({ ...rest, id: widget_id, about: rest.chart_type }));
    });
    this.alerts = lazily(async () => {
      const { alerts } = await call<{ alerts: (AlertInfo & { sentence: string | null })[] }>(
        "list_alerts",
        {},
      );
      return alerts.map(({ id, name, sentence, c9ql }) => ({ id, name, about: sentence ?? "", c9ql }));
    });
    this.reports = lazily(async () => {
      const { reports } = await call<{
        reports: (ReportInfo & { frequency: string; day_of_week: string })[];
      }>("list_reports", {});
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

/** An asset whose whole name stands in the text, the longest first; as it is written, or else in another form. */
export function namedIn<A extends NamedAsset>(text: string, assets: readonly A[]): A | undefined {
  const asWritten = (words: string) => wordsIn(words).join(" ").toLowerCase();
  for (const form of [asWritten, keyOf]) {
    const found = assets
      .filter(({ name }) => form(name) !== "" && ` ${form(text)} `.includes(` ${form(name)} `))
      .toSorted((a, b) => b.name.length - a.name.length)[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The one asset that the words fit best; several that fit alike, or none, are asked about. */
export function requireAsset<A extends NamedAsset>(text: string, assets: readonly A[], kind: string): A {
  const exact = namedIn(text, assets);
  if (exact !== undefined) return exact;
  const words = wordsIn(text).filter((word) => !isFiller(word));
  const scored = assets
    .map((asset) => {
      const own = ` ${keyOf(asset.name)} `;
      const more = ` ${keyOf(asset.about)} `;
      const fits = (all: string, word: string) => formsOf(word).some((form) => all.includes(` ${form} `));
      return {
        asset,
        score: words.reduce((sum, word) => sum + (fits(own, word) ? 2 : fits(more, word) ? 1 : 0), 0),
      };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const [best, next] = scored;
  const names = (scored.length > 0 ? scored.map(({ asset }) => asset) : assets).map(({ name }) => name);
  if (best === undefined || best.score === next?.score)
    throw new AskBack(
      `Which ${kind} do you mean${words.length > 0 ? ` by “${words.join(" ")}”` : ""}?`,
      names,
    );
  return best.asset;
}
