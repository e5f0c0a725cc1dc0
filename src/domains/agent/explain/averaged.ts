import type { Averaged } from "../compile/rows.ts";
import { startsOf } from "../compile/series.ts";
import type { Schema } from "../query/schema.ts";
import type { Assumption } from "../understand/reading.ts";
import { locale, period, t, word } from "./words.ts";

/** What averages by periods were divided by: a day without sales is one, wherever it can be told which days there were. */
export function averagedOver(averages: readonly Averaged[], schema: Schema): Assumption[] {
  const choices = averages.map(({ fn, key, series }) => {
    const name = word(`${key.fiscal === true ? "fiscal " : ""}${key.bucket}s`);
    if (series === undefined) return t`only ${name} that have any are counted`;
    const [first, last] = [series.first, series.last].map(period) as [string, string];
    const count = startsOf(schema, series).length.toLocaleString(locale());
    const all = t`all ${count} ${name} from ${first} to ${last}`;
    const none = t`those without any counted as 0`;
    return fn === "avg" ? t`divided by ${all}, ${none}` : t`${all} are looked at, ${none}`;
  });
  return [...new Set(choices)].map((choice) => ({ at: null, choice, others: [] }));
}
