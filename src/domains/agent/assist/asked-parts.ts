import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Cond, Key } from "../query/semantic-query.ts";
import type { Found } from "../understand/candidates/candidates.ts";
import { phraseKey } from "../understand/languages/words.ts";
import type { Quantity, Sense } from "../understand/senses/fragment.ts";
import { CALLED, textOf } from "./parts.ts";

const CHANGE = ['"growth"', '"lag"', '"-"'];

/** What words of grammar ask for. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ["versus", "versus period", "compare them", "difference", "series"].map((op) => [op, CHANGE]),
  ),
  ...Object.fromEntries(["growth", "compare", "more"].map((op) => [op, [...CHANGE, CALLED.comparison]])),
  ...Object.fromEntries(["ratio", "share", "rate"].map((op) => [op, ['"/"', CALLED.share]])),
  ...Object.fromEntries(["agg sum", "and", "comma", "both"].map((op) => [op, ['"+"']])),
  less: ['"-"'],
  than: ['"-"', CALLED.comparison],
  "by per": ['"/"'],
  "agg avg": ['"/"', "the avg"],
  "agg median": ["the median"],
  running: ['"running"'],
  not: [CALLED.not],
  rest: [CALLED.not],
  by: [CALLED.ofEach],
  each: [CALLED.ofEach],
  or: [CALLED.either],
  ordinal: [CALLED.place("max"), CALLED.place("min")],
};

/** What words of a question can mean beside each other. */
export function meantIn(found: readonly Found[]): Found[] {
  return found.filter((each) => !isOfAnother(each, found));
}

/** Everything that words of a question ask for by themselves. */
export function askedParts(found: readonly Found[], { schema }: Knowledge): Set<string> {
  return new Set([
    ...found.flatMap(({ sense }) => partsOf(sense, schema)),
    ...numbersOf(found).map(CALLED.number),
  ]);
}

/** The conditions that words stand for as they are. */
export function askedConds(found: readonly Found[]): Set<string> {
  return new Set(found.flatMap(({ sense }) => condsOf(sense)).map(textOf));
}

function partsOf(sense: Sense, schema: Knowledge["schema"]): readonly string[] {
  const conds = condsOf(sense).flatMap((cond) =>
    cond.k === "is"
      ? [CALLED.field(cond.key), ...cond.values.map((value) => CALLED.value(cond.key, value))]
      : [],
  );
  switch (sense.t) {
    case "op":
      if (sense.op === "series" && sense.arg !== undefined) conds.push(CALLED.periods(sense.arg));
      return [...conds, ...(ASKED[sense.op] ?? []), ...(ASKED[`${sense.op} ${sense.arg ?? ""}`] ?? [])];
    case "field": {
      const { ds, field } = sense.key;
      // Of a field with a number beside it, such as a highest point and its elevation, either stands for both.
      const [stem] = field.split("_");
      const same = [...(schema.datasets.get(ds)?.fields.keys() ?? [])].filter((own) =>
        own.startsWith(`${stem}_`),
      );
      return [
        CALLED.dataset(ds),
        ...[field, ...same].flatMap((own) => [
          CALLED.field({ ds, field: own }),
          CALLED.rank({ ds, field: own }),
        ]),
      ];
    }
    case "all":
      return [...schema.datasets.keys()].map((ds) => CALLED.value({ ds, field: sense.field }, sense.value));
    case "cond":
      return [...conds, CALLED.dataset(sense.ds)];
    case "rel":
    case "role": {
      const { nameField, key = [], fields } = schema.datasets.get(sense.ds) ?? {};
      const of = (field: string): Key => ({ ds: sense.ds, field });
      const counts = [...schema.metrics.keys()].filter((metric) => isCountOf(metric, sense.ds));
      const verb = sense.t === "rel" ? sense.verb?.metric : undefined;
      return [
        ...conds,
        CALLED.dataset(sense.ds),
        ...[...key, ...(nameField ? [nameField] : [])].map((field) => CALLED.field(of(field))),
        ...[...(fields?.keys() ?? [])].map((field) => CALLED.rank(of(field))),
        ...[...counts, ...(verb ? [verb] : [])].map(CALLED.metric),
      ];
    }
    case "table":
      return [...schema.metrics.keys()].flatMap((metric) =>
        JSON.stringify(sense.table.cols).includes(`"name":"${metric}"`) ? [CALLED.metric(metric)] : [],
      );
    case "worth":
      return [CALLED.metric(sense.metric)];
    case "sup":
      return sense.dim === null
        ? [CALLED.place("max"), CALLED.place("min"), `the ${sense.dir}`]
        : [CALLED.place(sense.dir), `the ${sense.dir}`];
    case "grain":
      return [CALLED.periods(sense.grain), CALLED.periods(sense.grain, sense.isFiscal)];
    case "windows":
      return ASKED.compare ?? [];
    case "than":
      return [...(ASKED.than ?? []), ...(ASKED.compare ?? [])];
    case "quantity":
      return limitsOf(sense);
    default:
      return conds;
  }
}

function limitsOf({ op, value, upTo }: Quantity): string[] {
  if (value === "average") return [...(ASKED.than ?? []), ...(ASKED["agg avg"] ?? [])];
  const scaled = (n: number) => [n, n * 100, n / 100];
  return [
    ...scaled(value).map((n) => CALLED.limit(op, n)),
    ...(upTo === undefined ? [] : scaled(upTo).map((n) => CALLED.limit("<=", n))),
  ];
}

/** "visits" are how many there are. */
function isCountOf(metric: string, ds: string): boolean {
  return phraseKey(metric.replaceAll(/(?<=^|_)(count|number|total|of)(?=_|$)/g, "")) === phraseKey(ds);
}

/** The conditions that a word can stand for. */
function condsOf(sense: Sense): Cond[] {
  if (sense.t === "cond") return [sense.cond];
  const conds: Cond[] = [];
  let rel = sense.t === "rel" || sense.t === "role" ? sense.rel : undefined;
  for (; rel?.k === "where"; rel = rel.in) conds.push(rel.if);
  return conds;
}

/** "Alpine region" is no brand: a value is on the field that the word beside it names, where one of its fields is named. */
function isOfAnother({ sense, start, end }: Found, found: readonly Found[]): boolean {
  const keysOf = (own: Sense) => condsOf(own).flatMap((cond) => (cond.k === "is" ? [cond.key] : []));
  const beside = found.filter((each) => each.end === start || each.start === end);
  const isNamed = ({ ds, field }: Key) =>
    beside.some(({ sense: noun }) => {
      if (noun.t === "field") return noun.key.ds === ds && noun.key.field === field;
      return noun.t === "rel" && noun.form === "noun" && noun.ds === ds;
    });
  const own = keysOf(sense);
  const rivals = found.filter((each) => each.start === start && each.end === end);
  const isNamedElsewhere = rivals.some((each) => keysOf(each.sense).some(isNamed));
  return own.length > 0 && isNamedElsewhere && !own.some(isNamed);
}

/** The numbers that are said as such, and not as a part of a period: 2025 is no factor. */
function numbersOf(found: readonly Found[]): number[] {
  const periods = found.filter(({ sense: { t } }) => t === "window" || t === "windows" || t === "than");
  return found.flatMap(({ sense, start, end }) => {
    const isInside = periods.some((period) => period.start <= start && start < period.end);
    if (sense.t === "quantity" && typeof sense.value === "number")
      return [sense.value, sense.value * 100, ...(sense.upTo === undefined ? [] : [sense.upTo])];
    if (sense.t !== "number" || (isInside && end > start)) return [];
    return [sense.value, sense.value * 100];
  });
}
