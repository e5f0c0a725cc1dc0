import type { VisibleModel } from "../../../models/index.ts";
import type { FieldValues, Knowledge } from "../../knowledge/build-knowledge.ts";
import { kindOf, type Schema } from "../../query/schema.ts";
import type { Cond, Key, Literal } from "../../query/semantic-query.ts";
import { type Folding, fold, wordsOf } from "../languages/words.ts";
import { foreignLink } from "../model/model-words.ts";
import type { Sense } from "../senses/fragment.ts";
import { entities, means } from "../senses/make.ts";

/** What a phrase can mean. */
export interface Entry {
  sense: Sense;
  cost: number;
  /** What it is taken for, where nobody calls it so. */
  taken?: string;
  /** Only in its plural. */
  isOfMany?: true;
}

/** The entries of a phrase by their senses: hundreds of fields may have the same value. */
const bySense = new WeakMap<Entry[], Map<string, Entry>>();

export function put(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  if (key === "") return;
  const known = map.get(key) ?? [];
  const senses = bySense.get(known) ?? new Map<string, Entry>();
  const text = JSON.stringify(entry.sense);
  const same = senses.get(text);
  if (same !== undefined) {
    same.cost = Math.min(same.cost, entry.cost);
    return;
  }
  known.push(entry);
  map.set(key, known);
  bySense.set(known, senses.set(text, entry));
}

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
function yesIn(all: readonly FieldValues[], { ds, field }: Key): string | undefined {
  const values = all.find((each) => each.ds === ds && each.field === field)?.values ?? [];
  if (values.length !== 2 || !values.some((value) => NO.test(fold(value)))) return undefined;
  return values.find((value) => YES.test(fold(value)));
}

type Field = VisibleModel["datasets"][number]["fields"][number];

/** What columns of yes and no are called; what is said where it is yes, and where it is no. */
const FLAGS = `
discontinued, obsolete, withdrawn, retired, delisted, phased out; discontinued, obsolete, phased out, no longer sold, no longer sell, no longer available, no longer offered, withdrawn, retired; still sold, still sell, still available, still offered, still offer, still carry, still active, active, current
active, enabled, live, current, aktiv; active, still active, current, enabled; inactive, no longer active, not active any more, deactivated, disabled, dormant
deleted, archived, removed; deleted, archived, removed, no longer there; still there, active
available, in stock, lieferbar; available, still available; unavailable, not available, no longer available
paid, settled; paid, settled, paid for; unpaid, not paid, not paid yet, not yet paid, outstanding
closed, completed, finished, resolved, done; closed, completed, finished, resolved, done; open, not done yet, unfinished, unresolved
`;

const KNOWN = FLAGS.trim()
  .split("\n")
  .map((line) => line.split("; ").map((part) => part.split(", "))) as [string[], string[], string[]][];

/** Numbers that only say whether something is so, as far as the author tells. */
const OF_ONE =
  /\b1 (?:if|when|means|for|=)|\b1 ?= ?\w|\b0 ?(?:\/|or|and) ?1\b|\b1 ?(?:\/|or|and) ?0\b|\bflag\b|^whether\b/i;
const IS = /^(is|has|was|are)_/i;

/** The value that says yes, of a field that says nothing but yes and no. */
export function yesOf(ds: string, field: Field, values: readonly FieldValues[]): Literal | undefined {
  const { name, type, isTime, description } = field;
  const kind = kindOf(type, isTime);
  if (kind === "boolean") return true;
  if (kind === "text") return yesIn(values, { ds, field: name });
  if (kind !== "number" || !/INT/i.test(type)) return undefined;
  const isSaid =
    IS.test(name) || OF_ONE.test(description ?? "") || KNOWN.some(([names]) => names.includes(name));
  return isSaid ? 1 : undefined;
}

/** All fields that say yes or no, with their datasets. */
export function flagsIn({ datasets }: VisibleModel, values: readonly FieldValues[]): Set<string> {
  return new Set(
    datasets.flatMap(({ name: ds, fields }) =>
      fields.filter((field) => yesOf(ds, field, values) !== undefined).map(({ name }) => `${ds}.${name}`),
    ),
  );
}

/** What is said where a field of yes and no says yes, and where it says no, beside its own names. */
export function flagWords({ name }: Field): { yes: readonly string[]; no: readonly string[] } {
  const bare = fold(name.replace(IS, "").replace(/_(flag|yn|ind|bool)$/i, "")).replaceAll("_", " ");
  const [, yes = [], no = []] = KNOWN.find(([names]) => names.includes(bare)) ?? [];
  return { yes: [bare, ...yes.filter((word) => word !== bare)], no };
}
