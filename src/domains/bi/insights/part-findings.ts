import { type Column, column, isNotNull, rowQuery, truncated } from "../../data/index.ts";
import { momentOf } from "../query/periods.ts";
import { isAdditive, type Measure } from "../query/plan.ts";
import type { Source } from "../query/source.ts";
import { type Analysis, analyse } from "./analyse.ts";
import type { Finding } from "./finding.ts";
import { LIMITS } from "./limits.ts";
import { isTotal, type Naming, NONE, partOf } from "./naming.ts";
import type { Series } from "./read-series.ts";
import { changeFindings } from "./series-findings.ts";

/** A part matters from this share of the whole on, over the whole time or in the end. */
const LEAST_SHARE = 0.03;
/** In the end: the last values of a series. */
const END = 12;

/**
 * What happened to parts of a number: one may be lost while others grow, and the whole shows nothing of it. Each is
 * judged by its own season, or else by that of the whole.
 */
export async function partFindings(
  source: Source,
  { time, measure, fields }: { time: Column; measure: Measure; fields: readonly Column[] },
  { series, analysis }: { series: Series; analysis: Analysis },
  naming: Naming,
): Promise<Finding[]> {
  if (!isAdditive(measure)) return [];
  const found: Finding[] = [];
  for (const field of fields)
    for (const { name: value, values } of await partsOf(source, { time, measure, field }, series)) {
      const name = `${naming.name} for ${partOf(field, value)}`;
      const own = { ...series, values, missing: [] };
      const told = changeFindings(own, analyse(values, series.grain, analysis.season), { ...naming, name });
      found.push(
        ...told.map((finding) => ({
          ...finding,
          numbers: { ...finding.numbers, field: field.name, value },
          part: `${field.name} ${value}`,
        })),
      );
    }
  return found;
}

async function partsOf(
  source: Source,
  { time, measure, field }: { time: Column; measure: Measure; field: Column },
  { grain, periods, values: whole }: Series,
): Promise<{ name: string; values: number[] }[]> {
  const x = column(time.name);
  const { segments, points, parts } = LIMITS.insights;
  const query = rowQuery({
    select: [
      ["k9s", column(field.name)],
      ["k9x", truncated(x, grain)],
      ["k9v", measure.value],
    ],
    where: isNotNull(x),
    groupBy: 2,
  });
  const { rows } = await source.read(query, segments * points);
  const places = new Map(periods.map((period, i) => [period, i]));
  const all = new Map<string, number[]>();
  for (const row of rows) {
    const at = places.get(momentOf(row.k9x) ?? Number.NaN);
    if (at === undefined) continue;
    const name = String(row.k9s ?? NONE);
    if (isTotal(name)) continue;
    const values = all.get(name) ?? new Array<number>(periods.length).fill(0);
    values[at] = Number(row.k9v ?? 0);
    all.set(name, values);
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const shareOf = (values: readonly number[]) =>
    Math.max(sum(values) / sum(whole), sum(values.slice(-END)) / sum(whole.slice(-END)));
  return [...all]
    .map(([name, values]) => ({ name, values, share: shareOf(values) }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, parts);
}
