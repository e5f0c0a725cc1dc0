import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Schema } from "../../query/schema.ts";
import type { Cond } from "../../query/semantic-query.ts";
import { type Folding, wordsOf } from "../languages/words.ts";
import { foreignLink } from "../model/model-words.ts";
import type { Sense } from "../senses/fragment.ts";
import { entities, means } from "../senses/make.ts";
import { type Entry, put } from "./entry.ts";

/** Values that name an entity are the entity; others are a condition. Copies in other datasets mean their owner. */
export function valueEntries(
  schema: Schema,
  all: Knowledge["values"],
  folding: Folding,
): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const { ds, field, values } of all) {
    if (foreignLink(schema, ds, field) !== undefined) continue;
    const dataset = schema.datasets.get(ds);
    const isName = dataset?.nameField === field;
    // A whole key names one entity; a part of one may name several.
    const isWhole = dataset?.key.length === 1 && dataset.key[0] === field;
    const [only] = values;
    if (values.length === 1 && only !== undefined && !isName) {
      put(found, valueKey(only, folding), { sense: { t: "all", field, value: only }, cost: 0 });
      continue;
    }
    for (const value of values) {
      // A question mark is none of those that somebody wrote for "unknown".
      if (!/[\p{L}\p{N}]/u.test(value)) continue;
      const cond = { k: "is" as const, key: { ds, field }, values: [value], match: "equal" as const };
      const sense: Sense = isName
        ? { t: "rel", rel: { k: "where", in: { k: "all", ds }, if: cond }, ds, form: "name", isTopped: false }
        : { t: "cond", ds, cond };
      const cost = isWhole ? 0 : isName && dataset.isKeyed ? 0.3 : 0.5;
      put(found, valueKey(value, folding), { sense, cost });
      // People leave out what sort of company it is.
      const short = isName ? value.replace(LEGAL_FORM, "").trim() : value;
      if (short !== value && short !== "") put(found, valueKey(short, folding), { sense, cost: cost + 0.1 });
    }
  }
  return found;
}

const LEGAL_FORM =
  /(?:[\s,]+(?:&|und|and)?\s*(?:gmbh|ag|se|kg|kgaa|ohg|gbr|e\.?\s?v\.?|ug|ltd\.?|limited|inc\.?|llc|plc|corp\.?|s\.?a\.?|s\.?r\.?l\.?|s\.?p\.?a\.?|b\.?v\.?|n\.?v\.?|a\/s|aps|s\.?r\.?o\.?|sp\.? z o\.?o\.?|co\.?))+$/i;

export function allWith({ schema, values: all }: Knowledge, word: string, folding: Folding): Entry[] {
  return all.flatMap(({ ds, field, values }): Entry[] => {
    if (schema.datasets.get(ds)?.nameField !== field) return [];
    if (!values.some((value) => valueKey(value, folding).split(" ").includes(word))) return [];
    const cond = { k: "is" as const, key: { ds, field }, values: [word], match: "contains" as const };
    const rel = { k: "where" as const, in: { k: "all" as const, ds }, if: cond };
    return means(entities(rel, ds, "name"));
  });
}

/** Of so few values people know the words. */
const FEW_VALUES = 60;

const DENIES = /^(?:no|not|none|non|never|without|kein\p{L}*|nicht|ohne)(?!\p{L})/iu;

/** Whether a value says of the rest of it that there is none: "No deposit". */
export function deniesRest(value: string): boolean {
  return DENIES.test(value);
}

/** "during landing": the one phase of flight, or all of them, that the word is in; "with a deposit": not "No deposit". */
export function valuesWith(
  { schema, values: all }: Knowledge,
  word: string,
  folding: Folding,
): Entry | undefined {
  const found = all.flatMap(({ ds, field, values }) => {
    const isName = schema.datasets.get(ds)?.nameField === field;
    if (isName || foreignLink(schema, ds, field) !== undefined) return [];
    const some = values.filter((value) =>
      valueKey(value, folding)
        .split(/[^\p{L}\p{N}]+/u)
        .includes(word),
    );
    return some.length === 0 ? [] : [{ key: { ds, field }, values: some, of: values.length }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || only.of > FEW_VALUES || only.of === only.values.length)
    return undefined;
  const { key } = only;
  const plain = only.values.filter((value) => !deniesRest(value));
  const values = plain.length === 0 ? only.values : plain;
  const is: Cond = { k: "is", key, values, match: "equal" };
  return {
    sense: { t: "cond", ds: key.ds, cond: plain.length === 0 ? { k: "not", of: is } : is },
    cost: 1.1,
  };
}

/** "M (male) or F (female)": what the values of a field stand for. */
export function codedValues(
  { model, values: all }: Knowledge,
  folding: Folding,
): { word: string; ds: string; cond: Cond }[] {
  return all.flatMap(({ ds, field, values }) => {
    const dataset = model.datasets.find(({ name }) => name === ds);
    const text = dataset?.fields.find(({ name }) => name === field)?.description ?? "";
    return [...text.matchAll(CODED)].flatMap(([, code = "", meaning = ""]) =>
      values.includes(code)
        ? [
            {
              word: valueKey(meaning, folding),
              ds,
              cond: { k: "is" as const, key: { ds, field }, values: [code], match: "equal" as const },
            },
          ]
        : [],
    );
  });
}

const CODED = /([\p{L}\p{N}_-]{1,20})\s*(?:\(|=)\s*(\p{L}{3,}(?: \p{L}{3,})?)\s*(?:\)|,|;|$)/gu;

function valueKey(value: string, folding: Folding): string {
  return wordsOf(value, folding)
    .map(({ norm }) => norm)
    .filter((norm) => !/^[.,&]$/.test(norm))
    .join(" ");
}
