import { mapBounded } from "../../../kernel/concurrency.ts";
import { isAppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import { formatter, knownLocale } from "../../../platform/drawing/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { aggregateOf, column, descending, isNotNull, rowQuery } from "../../data/index.ts";
import type { Dashboard, Widget } from "../boards.store.ts";
import type { EffectiveViewers } from "../effective-viewers.ts";
import { LIMITS as BI } from "../limits.ts";
import { isAdditive, isTime, type Measure, planOf } from "../query/plan.ts";
import {
  type Chosen,
  type FilterContext,
  filterContextOf,
  isNumber,
  NO_FILTERS,
  type Source,
  type Sources,
} from "../query/source.ts";
import type { WidgetSpec } from "../shapes.ts";
import { analyse, YEAR } from "./analyse.ts";
import { dataGapFindings } from "./data-gaps.ts";
import { comparedOf, concentrationOf, dimensionsOf, driverFindings } from "./driver-findings.ts";
import {
  beginning,
  type Finding,
  impactOf,
  isTotal,
  type Naming,
  namingOf,
  scoreOf,
  withoutImplied,
  wordsOf,
} from "./finding.ts";
import { LIMITS } from "./limits.ts";
import { readSeries, type Series, withoutTotals, withTime } from "./read-series.ts";
import { partFindings, seriesFindings } from "./series-findings.ts";
import { discoveries, significantCorrelation } from "./statistics.ts";

/** What was found, about which widget. */
export interface Insight extends Finding {
  widgetId: number | null;
  about: string;
  score: number;
}

export interface Insights {
  insights: Insight[];
  /** What could not be looked at, and why. */
  notes: string[];
  /** What there is too little of to say anything, and what was left out. */
  remarks: string[];
  /** True if nothing was looked at along time, though there is one. */
  isTooLittle: boolean;
  /** How many findings could have been noise. */
  tests: number;
}

/** One thing to be looked at: a widget, or what a dataset would show. */
interface Shown {
  caller: Caller;
  widgetId: number | null;
  about: string;
  datasetId: number;
  spec: WidgetSpec;
  filterContext: FilterContext;
}

interface Looked {
  findings: (Finding & { measure: string })[];
  series: { series: Series; naming: Naming; key: string; measure: string; hasYear: boolean }[];
  /** Why a number could not be looked at along time. */
  tooLittle: string[];
  leftOut: string[];
}

/** What stands out in data, by computation alone, as its reader sees the rows. */
export class InsightFinder {
  readonly #parts: { sources: Sources; viewers: EffectiveViewers; clock: Clock };

  constructor(parts: { sources: Sources; viewers: EffectiveViewers; clock: Clock }) {
    this.#parts = parts;
  }

  async ofWidgets(
    caller: Caller,
    dashboard: Dashboard | null,
    widgets: readonly Widget[],
    {
      context = "",
      chosen = {},
      locale = dashboard?.settings.locale,
    }: { context?: string | undefined; chosen?: Chosen | undefined; locale?: string | undefined } = {},
  ): Promise<Insights> {
    const filterContext = filterContextOf(dashboard, chosen);
    const some = widgets.slice(0, LIMITS.insights.widgets);
    const viewers = await this.#parts.viewers.of(caller, dashboard, some);
    const shown = some.flatMap(({ id, name, datasetId, spec }, i) =>
      datasetId === null
        ? []
        : [{ caller: viewers[i] as Caller, widgetId: id, about: name, datasetId, spec, filterContext }],
    );
    const { perWidget, perDashboard } = LIMITS.insights;
    const most = widgets.length === 1 ? perWidget : perDashboard;
    return this.#find(shown, most, { locale, context });
  }

  /** The numbers of a dataset along its time, and by its fields. */
  async ofDataset(caller: Caller, datasetId: number, context = ""): Promise<Insights> {
    const spec: WidgetSpec = { chart: "recommendation", y: [], filters: [] };
    const { dataset } = await this.#parts.sources.open(caller, datasetId, spec, NO_FILTERS);
    const shown = { caller, widgetId: null, about: dataset.name, datasetId, spec, filterContext: NO_FILTERS };
    return this.#find([shown], LIMITS.insights.perDashboard, { context });
  }

  async #find(
    shown: readonly Shown[],
    most: number,
    { locale: wanted, context }: { locale?: string | undefined; context: string },
  ): Promise<Insights> {
    const locale = knownLocale(wanted ?? "en-US");
    const notes: string[] = [];
    const looked = await mapBounded(shown, BI.bi.queriesAtOnce, (each) =>
      this.#look(each, locale).catch((error: unknown): Looked => {
        if (!isAppError(error) || error.code === "internal") throw error;
        notes.push(`${each.about}: ${error.advice}`);
        return { findings: [], series: [], tooLittle: [], leftOut: [] };
      }),
    );
    const found = looked.flatMap((each, i) =>
      withoutSlopes(each, looked).map((finding) => ({
        ...finding,
        widgetId: shown[i]!.widgetId,
        about: shown[i]!.about,
      })),
    );
    const together = correlations(looked.flatMap(({ series }) => series));
    const all = [
      ...found,
      ...together.map((finding) => ({ ...finding, measure: "", widgetId: null, about: "" })),
    ];
    const tested = all.filter(({ p }) => p !== null);
    const held = discoveries(tested.map(({ p }) => p ?? 0));
    const holding = all.filter((finding) => finding.p === null || held[tested.indexOf(finding)]);
    const words = context.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
    const ends = looked.flatMap(({ series }) => series.map((each) => each.series.periods.at(-1) ?? 0));
    const now = Math.max(0, ...ends);
    const scored = holding.map((finding) => ({
      ...finding,
      score: scoreOf(finding, now) * (1 + matches(finding, words)),
    }));
    const insights = withoutImplied(scored).slice(0, most);
    const remarks = looked.flatMap(({ tooLittle, leftOut }, i) =>
      [...leftOut, ...tooLittle].map((text) => `${shown[i]!.about}: ${text}.`),
    );
    const isTooLittle =
      looked.every(({ series }) => series.length === 0) &&
      looked.some(({ tooLittle }) => tooLittle.length > 0);
    return { insights, notes, remarks: [...new Set(remarks)], isTooLittle, tests: tested.length };
  }

  async #look({ caller, datasetId, spec: own, filterContext }: Shown, locale: string): Promise<Looked> {
    const opened = await this.#parts.sources.open(caller, datasetId, own, filterContext);
    const spec = own.chart === "recommendation" && own.y.length === 0 ? await wholeOf(opened, own) : own;
    const plan = planOf(spec, opened);
    const { x, group } = plan;
    const { source: timed, time } = await withTime(opened, x);
    const looked: Looked = { findings: [], series: [], tooLittle: [], leftOut: [] };
    const fields = await dimensionsOf(timed, [spec.c9ql === undefined ? undefined : group?.name, time?.of]);
    const { source, leftOut } = await withoutTotals(timed, fields, plan.measures);
    looked.leftOut.push(...leftOut);
    if (time !== undefined && plan.measures.some(isAdditive)) {
      const gaps = await dataGapFindings(source, time, fields, locale);
      looked.findings.push(...gaps.map((finding) => ({ ...finding, measure: `${datasetId} rows` })));
    }
    const why = new Map<string, string[]>();
    for (const measure of plan.measures.slice(0, LIMITS.insights.measures)) {
      const naming = namingOf(measure, { dataset: source.dataset.name, format: spec.format, locale });
      const key = `${datasetId} ${measure.aggregate} ${measure.field?.name}`;
      const tell = (findings: readonly Finding[]) =>
        looked.findings.push(...findings.map((finding) => ({ ...finding, measure: key })));
      // A measured number is no category.
      if (x !== undefined && !isTime(x) && !isNumber(x) && x.name !== time?.of)
        tell(await concentrated(source, x.name, measure, naming));
      if (time === undefined) continue;
      const series = await readSeries(source, time, measure, this.#parts.clock.now());
      if ("why" in series) {
        why.set(series.why, [...(why.get(series.why) ?? []), naming.name]);
        continue;
      }
      const analysis = analyse(series.values, series.grain);
      tell(seriesFindings(series, analysis, naming));
      looked.series.push({
        series,
        naming,
        key: `${datasetId} ${measure.field?.name}`,
        measure: key,
        hasYear: analysis.season?.length === YEAR[series.grain],
      });
      const parts = { time, measure, fields };
      tell(await partFindings(source, parts, { series, analysis }, naming));
      const compared = comparedOf(series, analysis);
      if (compared === undefined || compared.p > 0.05) continue;
      tell(
        await driverFindings(source, parts, compared, {
          ...naming,
          grain: series.grain,
          every: series.every,
        }),
      );
    }
    for (const [reason, names] of why)
      looked.tooLittle.push(`what changed in ${names.join(", ")} cannot be told, for there are ${reason}`);
    if (time === undefined && spec !== own)
      looked.tooLittle.push("what changed cannot be told, for no field is a date or a year");
    return looked;
  }
}

/** Where no numbers are named: all of them, along time if there is any. */
async function wholeOf(source: Source, spec: WidgetSpec): Promise<WidgetSpec> {
  const numbers = source.columns.filter((column) => (aggregateOf(column) ?? "none") !== "none");
  const x = spec.x ?? (source.columns.find(isTime) ?? (await dimensionsOf(source, []))[0])?.name;
  return {
    ...spec,
    ...(x !== undefined && { x }),
    y: numbers.slice(0, LIMITS.insights.measures).map(({ name }) => name),
  };
}

/** A stretch of a number is shorter than another if it is less than this part of it. */
const SHORTER = 0.75;

/** Of a year of a number whose seasons are known from a longer stretch, ups and downs are not told: those say more. */
function withoutSlopes({ findings, series }: Looked, all: readonly Looked[]): Looked["findings"] {
  const spanOf = ({ series: { periods } }: Looked["series"][number]) =>
    (periods.at(-1) ?? 0) - (periods[0] ?? 0);
  const others = all.flatMap((each) => each.series).filter(({ hasYear }) => hasYear);
  const isShorter = (one: Looked["series"][number]) =>
    others.some((other) => other.measure === one.measure && spanOf(one) < SHORTER * spanOf(other));
  const shorter = new Set(series.filter(isShorter).map(({ measure }) => measure));
  return findings.filter(
    ({ kind, measure }) => !shorter.has(measure) || !["change", "trend", "driver"].includes(kind),
  );
}

const LEAST_SHARE = 0.5;

/** How much of the whole a few have. */
async function concentrated(source: Source, x: string, measure: Measure, naming: Naming): Promise<Finding[]> {
  if (!isAdditive(measure)) return [];
  const value = column(x);
  const query = rowQuery({
    select: [
      ["k9x", value],
      ["k9v", measure.value],
    ],
    where: isNotNull(value),
    groupBy: 1,
    orderBy: [descending(2)],
  });
  const { rows: all, totalRows } = await source.read(query, BI.bi.chartRows);
  if (totalRows > all.length) return [];
  const rows = all.filter((row) => !isTotal(String(row.k9x)));
  const concentration = concentrationOf(rows.map((row) => Number(row.k9v ?? 0)));
  if (concentration === undefined || concentration.share < LEAST_SHARE) return [];
  const { leading, share, gini } = concentration;
  const names = rows.slice(0, Math.min(3, leading)).map((row) => String(row.k9x));
  const percent = formatter("percent", "full", naming.locale)(share);
  const who = leading <= 3 ? names.join(", ") : `${names.join(", ")} and ${leading - 3} more`;
  return [
    {
      kind: "concentration",
      sentence: `${who}: ${leading} of ${rows.length} values of ${wordsOf(x)} ${leading === 1 ? "accounts" : "account"} for ${percent} of ${naming.name}.`,
      numbers: { leading, of: rows.length, share, gini: Number(gini.toFixed(3)) },
      p: null,
      impact: share * (1 - leading / rows.length),
      next: `See how much would be left without ${names[0]}.`,
      at: null,
      change: 0,
    },
  ];
}

/** Numbers that go up and down together, of those that are not made of the same field. */
function correlations(all: Looked["series"]): Finding[] {
  const unique = [...new Map(all.map((each) => [each.key, each])).values()];
  return unique.flatMap((a, i) =>
    unique.slice(i + 1).flatMap((b): Finding[] => {
      if (a.series.grain !== b.series.grain || a.series.every !== b.series.every) return [];
      const shared = a.series.periods.filter((period) => b.series.periods.includes(period));
      const values = ({ series }: typeof a) =>
        shared.map((period) => series.values[series.periods.indexOf(period)] ?? 0);
      const together = significantCorrelation(values(a), values(b));
      if (together === undefined) return [];
      const { r, n, p } = together;
      return [
        {
          kind: "correlation",
          sentence: `${beginning(a.naming.name)} and ${b.naming.name} ${r > 0 ? "rise and fall together" : "go opposite ways"}, ${a.series.grain} by ${a.series.grain} over ${n} ${a.series.grain}s.`,
          numbers: { correlation: Number(r.toFixed(3)), points: n },
          p,
          impact: impactOf(Math.abs(r), 1),
          next: "Ask which of them comes first: that they go together does not say that one makes the other.",
          at: null,
          change: 0,
        },
      ];
    }),
  );
}

const KIND_WORDS: Record<Finding["kind"], string> = {
  trend: "trend rise fall growth grow decline",
  change: "change level shift drop jump",
  outlier: "outlier anomaly anomalies unusual spike",
  season: "season seasonality weekly monthly pattern",
  missing: "missing gap data quality",
  driver: "driver why cause reason explain",
  concentration: "concentration share top largest pareto",
  correlation: "correlation together relation",
};

/** True if a finding is about what the reader asked to look at. */
function matches({ kind, sentence }: Finding, words: readonly string[]): number {
  const text = `${sentence} ${KIND_WORDS[kind]}`.toLowerCase();
  return words.filter((word) => text.includes(word.replace(/s$/, ""))).length;
}
