import {
  type Column,
  column,
  compare,
  constant,
  either,
  following,
  isNull,
  rowQuery,
} from "../../data/index.ts";
import type { Measure } from "../query/plan.ts";
import type { Source } from "../query/source.ts";
import { wordsOf } from "./finding.ts";
import { LIMITS } from "./limits.ts";
import { mayBeTotal } from "./naming.ts";

/** A total may differ this much from the sum of the others, by what was rounded or left away. */
const ROUGHLY = 0.05;

/** The rows without those that are the total of others by name and by number: with them, all would count twice. */
export async function withoutTotals(
  source: Source,
  fields: readonly Column[],
  measures: readonly Measure[],
): Promise<{ source: Source; leftOut: string[] }> {
  const measure = measures.find((each) => each.aggregate === "sum");
  if (measure === undefined) return { source, leftOut: [] };
  for (const field of fields) {
    const segment = column(field.name);
    const query = rowQuery({
      select: [
        ["k9s", segment],
        ["k9v", measure.value],
      ],
      groupBy: 1,
    });
    const { rows } = await source.read(query, LIMITS.insights.segments + 1);
    const total = rows.find(({ k9s }) => mayBeTotal(String(k9s)));
    const others = rows.filter((row) => row !== total);
    const sum = others.reduce((all, { k9v }) => all + Number(k9v ?? 0), 0);
    const isSum = Math.abs(Number(total?.k9v ?? Number.NaN) - sum) <= ROUGHLY * Math.abs(sum);
    if (others.length < 2 || sum === 0 || !isSum) continue;
    const kept = rowQuery({
      where: either(compare(segment, "!=", constant(String(total?.k9s))), isNull(segment)),
    });
    return {
      source: {
        ...source,
        read: (more, limit, isSample) => source.read(following(kept, more), limit, isSample),
      },
      leftOut: [`${total?.k9s} is the total of the others by ${wordsOf(field.name)}, and was left out`],
    };
  }
  return { source, leftOut: [] };
}
