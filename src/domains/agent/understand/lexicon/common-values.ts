import type { FieldValues } from "../../knowledge/build-knowledge.ts";
import type { Schema } from "../../query/schema.ts";
import type { Cond, Key } from "../../query/semantic-query.ts";
import { fold } from "../languages/words.ts";
import { foreignLink } from "../model/model-words.ts";

/** Values that are written in many ways: how they are written in data, and what people call them. */
const KINDS: readonly (readonly [written: RegExp, said: string])[] = [
  [
    /^(f|w|female|woman|frau|weiblich)$/,
    "woman women female females lady ladies frau frauen weiblich weibliche weiblichen",
  ],
  [/^(m|male|man|mann|mannlich)$/, "man men male males mann männer männern männlich männliche männlichen"],
];
const OTHERS = /^(d|x|o|nb|other|divers|unknown|unbekannt|non-binary|n\/a)$/;
/** There, what is neither has many names. */
const OF_GENDER = /(^|_)(gender|sex|geschlecht)$/i;
const YES = /^(yes|y|ja|j|true|wahr)$/;
const NO = /^(no|n|nein|false|falsch)$/;

/** "women" where the data have F and M. */
export function commonValues(
  all: readonly FieldValues[],
  schema: Schema,
): { word: string; ds: string; cond: Cond }[] {
  return all.flatMap(({ ds, field, values }) => {
    const folded = values.map(fold);
    const isKnown = (value: string) => OTHERS.test(value) || KINDS.some(([written]) => written.test(value));
    const isAll = KINDS.every(([written]) => folded.filter((value) => written.test(value)).length === 1);
    const isOther = (value: string) => !isKnown(value) && !OF_GENDER.test(field);
    if (!isAll || folded.some(isOther) || foreignLink(schema, ds, field) !== undefined) return [];
    return KINDS.flatMap(([written, said]) => {
      const value = values[folded.findIndex((each) => written.test(each))] as string;
      const cond: Cond = { k: "is", key: { ds, field }, values: [value], match: "equal" };
      return said.split(" ").map((word) => ({ word, ds, cond }));
    });
  });
}

/** The value that says yes, of a field that says nothing but yes and no. */
export function yesIn(all: readonly FieldValues[], { ds, field }: Key): string | undefined {
  const values = all.find((each) => each.ds === ds && each.field === field)?.values ?? [];
  if (values.length !== 2 || !values.some((value) => NO.test(fold(value)))) return undefined;
  return values.find((value) => YES.test(fold(value)));
}
