import type { Averaged } from "../compile/rows.ts";
import { startsOf } from "../compile/series.ts";
import type { Schema } from "../query/schema.ts";
import type { Assumption } from "../understand/reading.ts";

/** What averages by periods were divided by: a day without sales is one, wherever it can be told which days there were. */
export function averagedOver(averages: readonly Averaged[], schema: Schema): Assumption[] {
  const choices = averages.map(({ fn, key, series }) => {
    const name = `${key.fiscal === true ? "fiscal " : ""}${key.bucket}s`;
    if (series === undefined) return `only ${name} that have any are counted`;
    const { first, last } = series;
    const all = `all ${startsOf(schema, series).length.toLocaleString("en-US")} ${name} from ${first} to ${last}`;
    const none = "those without any counted as 0";
    return fn === "avg" ? `divided by ${all}, ${none}` : `${all} are looked at, ${none}`;
  });
  return [...new Set(choices)].map((choice) => ({ at: null, choice, others: [] }));
}
