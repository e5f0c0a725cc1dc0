import type { Caller } from "../../registry/caller.ts";
import {
  ENGLISH_GLOSSARY,
  fold,
  foldGerman,
  GLOSSARY,
  phraseKey,
  stem,
  stemGerman,
} from "../agent/understand/languages/index.ts";
import type { ModelsServices, VisibleModel } from "../models/index.ts";
import { anyOf } from "./lexicon.ts";
import { pattern, type Reader, words, wordsIn } from "./reader.ts";

/** The words of instructions, English and German, and what is read off them. */

type Named<T> = readonly (readonly [RegExp, T])[];

const KIND = "(?:[- ]?(?:charts?|graphs?|plots?|diagrams?|diagramm~|views?|ansicht))?";
const chart = (source: string) =>
  words(`(?:(?:stacked|gestapelt~|horizontal~|simple|einfach~) )*(?:${source})${KIND}`);

export const CHARTS: Named<string> = [
  [chart("area|flächen(?:diagramm~)?|fläche"), "area"],
  [chart("columns?|säulen?(?:diagramm~)?"), "column"],
  [chart("bars?|balken(?:diagramm~)?"), "bar"],
  [chart("lines?|linien?(?:diagramm~)?|curve|kurven?(?:diagramm~)?"), "line"],
  [chart("pie|torten?(?:diagramm~)?|kreis(?:diagramm~)?|kuchen(?:diagramm~)?"), "pie"],
  [chart("donuts?|doughnuts?|ring(?:diagramm~)?"), "donut"],
  [chart("scatter|streu(?:diagramm~)?|punktwolke|punktdiagramm~"), "scatter"],
  [chart("heat ?maps?|wärmekarte"), "heatmap"],
  [chart("funnels?|trichter(?:diagramm~)?"), "funnel"],
  [chart("tree ?maps?|kacheldiagramm~|baumkarte"), "treemap"],
  [chart("gauges?|tachos?|tachometer"), "gauge"],
  [
    chart(
      "(?:big |large |große |single )?(?:number )?(?:tiles?|kpis?(?:[- ](?:tiles?|cards?|kachel))?|cards?|kacheln?|kennzahl~)|(?:single|big|large) (?:numbers?|values?|figures?)|(?:große|einzelne) zahl",
    ),
    "singletext",
  ],
  [chart("(?:data ?)?(?:tables?|grids?)|tabellen?"), "datagrid2"],
];

const AS = "(?:(?:as|als|in|into|to|with|mit) )?(?:(?:an?|eine?n?|the) )?";
const FILE = "(?:[- ]?(?:files?|datei|format|attachment|anhang|tabelle|sheet))?";
const FORMATS: Named<string> = [
  [words(`${AS}pdfs?${FILE}`), "pdf"],
  [words(`${AS}(?:images?|pictures?|pngs?|screenshots?|bild(?:er)?)${FILE}|als (?:eine )?grafik`), "image"],
  [words(`${AS}(?:csvs?|excel|xlsx?|spreadsheet)${FILE}`), "csv"],
  [words(`${AS}json${FILE}`), "json"],
  [words(`${AS}parquet${FILE}`), "parquet"],
];

/** As what sort of file something is wanted. */
export function takeFormat(reader: Reader): string | undefined {
  return reader.oneOf(FORMATS);
}

const EACH =
  "(?:am|by|per|each|every|a|an|in a|within a|over the|pro|je|jede[nsr]?|nach|im|in der|in einer|an einem|einer|auf|in)";
const grain = (nouns: string, adverbs: string, compound: string) =>
  new RegExp(
    `${words(`${EACH} (?:(?:single|calendar|einzelnen) )?(?:${nouns})|(?:on an? )?(?:${adverbs})(?: basis)?|(?:${nouns}) by (?:${nouns})`).source}|(?<!\\p{L})(?:${compound})-?(?=\\p{L}{4})`,
    "iu",
  );

/** Each period: its names, its adverbs, and how words begin that have it in them. */
const PERIODS = [
  ["day", "days?|tage?n?", "daily|täglich~|tageweise", "tages"],
  ["week", "weeks?|(?:kalender)?wochen?", "weekly|wöchentlich~|wochenweise", "wochen(?!end|tag)"],
  ["month", "months?|monate?n?", "monthly|monatlich~|monatsweise", "monats"],
  ["quarter", "quarters?|quartale?n?", "quarterly|quartalsweise|vierteljährlich~", "quartals"],
  ["year", "years?|jahre?n?", "yearly|annual(?:ly)?|jährlich~", "jahres"],
] as const;

/** How long a period is: "per week", "weekly", and the beginning of "Wochenumsatz". */
export const GRAINS: Named<string> = PERIODS.map(([name, nouns, adverbs, start]) => [
  grain(nouns, adverbs, start),
  name,
]);
export const UNITS: Named<string> = PERIODS.map(([name, nouns, adverbs]) => [
  words(`${nouns}|${adverbs}`),
  name,
]);

/** A word by itself, or the beginning of one: "Gesamtumsatz". */
const compound = (source: string, head: string) =>
  new RegExp(`${words(source).source}|(?<!\\p{L})(?:${head})-?(?=\\p{L}{4})`, "iu");

export const AGGREGATES: Named<string> = [
  [words("(?:number|count|amount) of|how many|anzahl(?: der| an| von)?|wie ?viele"), "count"],
  [words("(?:unique|distinct|different|verschiedene~?|unterschiedliche~?)"), "distinct"],
  [
    compound(
      "average(?: of)?|avg|mean|on average|durchschnittlich~|durchschnitt(?: der| des)?|im schnitt|mittlere~?",
      "durchschnitts",
    ),
    "avg",
  ],
  [words("median(?: of)?"), "median"],
  [compound("total|sum(?: of)?|overall|summe(?: der| des)?|gesamte~?|insgesamt", "gesamt"), "sum"],
  [words("highest|maximum|max|largest|höchste~|maximal~?"), "max"],
  [words("lowest|minimum|min|smallest|niedrigste~|minimal~?"), "min"],
];

export interface Period {
  said: string;
  from: string;
  to?: string;
}

const UNIT = PERIODS.map(([, nouns]) => nouns).join("|");
const LETTER: Record<string, string> = { day: "d", week: "w", month: "m", quarter: "q", year: "y" };
const LEAD =
  "(?:(?:in|of|for|from|over|during|within|the|der|den|des|die|das|aus|im|seit|für|innerhalb|to|auf) )*";
const SOME = words(`${LEAD}(?:last|past|previous|letzten?|vergangenen?|vorigen) (\\d+|\\p{L}+) (${UNIT})`);
const THIS = words(
  `${LEAD}(?:this|current|dieses?[nr]?|laufenden?|aktuellen?) (${UNIT})(?: to date)?(?: so far)?|(year to date|ytd|seit jahresbeginn)`,
);
const LAST = words(`${LEAD}(?:last|previous|letzte[nsr]?|vorige[nsr]?|vergangene[nsr]?) (${UNIT})`);
const DAY = words(`${LEAD}(?:(today|heute)|(yesterday|gestern))`);
const YEAR = words(`(?:(since|seit|ab|from) )?${LEAD}(?:(?:the )?(?:year|jahr) )?((?:19|20)\\d\\d)`);
const QUARTER = words(`${LEAD}(?:q([1-4])|([1-4])\\. quartal) ((?:19|20)\\d\\d)`);

/** A stretch of time, as the bounds that C9QL has for it. */
export function takePeriod(reader: Reader): Period | undefined {
  const some = SOME.exec(reader.left);
  const count = countOf(some?.[1] ?? "");
  if (some !== null && count !== undefined) {
    reader.take(SOME);
    return { said: some[0], from: `$c9_today-${count}${LETTER[unitOf(some[2] as string)]}` };
  }
  const current = reader.take(THIS);
  if (current !== null)
    return { said: current[0], from: `$c9_this${current[1] === undefined ? "year" : unitOf(current[1])}` };
  const last = reader.take(LAST);
  if (last !== null) {
    const unit = unitOf(last[1] as string);
    return { said: last[0], from: `$c9_last${unit}`, to: `$c9_this${unit}` };
  }
  const day = reader.take(DAY);
  if (day !== null)
    return day[1] === undefined
      ? { said: day[0], from: "$c9_yesterday", to: "$c9_today" }
      : { said: day[0], from: "$c9_today" };
  const quarter = reader.take(QUARTER);
  if (quarter !== null) {
    const first = (Number(quarter[1] ?? quarter[2]) - 1) * 3;
    const start = (months: number) =>
      `'${new Date(Date.UTC(Number(quarter[3]), months, 1)).toISOString().slice(0, 10)}'`;
    return { said: quarter[0], from: start(first), to: start(first + 3) };
  }
  const year = reader.take(YEAR);
  if (year === null) return undefined;
  const from = { said: year[0], from: `'${year[2]}-01-01'` };
  return year[1] === undefined ? { ...from, to: `'${Number(year[2]) + 1}-01-01'` } : from;
}

function unitOf(said: string): string {
  return UNITS.find(([unit]) => unit.test(said))?.[1] ?? "day";
}

export const MAIL = /[^\s@,;<>"“”„()]+@[^\s@,;<>"“”„()]+\.[a-z]{2,}/iu;
const MAILED =
  "(?:(?:and|und) )?(?:(?:send|mail|e-?mail|tell|notify|inform|write|schick~|sende|informier~|benachrichtig~)(?: (?:it|that|this|a|an|eine|die|das|es))* ?(?:mail|e-?mail|message|nachricht)?)? ?(?:(?:by|via|per) (?:e-?)?mail)? ?(?:(?:to|at|for|with|an|für|bei|mit) )?";

/** Mail addresses, with the words that lead to them. */
export function takeMails(reader: Reader): string[] {
  const address = MAIL.source;
  const list = new RegExp(`(?<![\\p{L}\\p{N}])${pattern(MAILED)}(${address})`, "iu");
  return reader.takeAll(list).map((found) => (found[1] as string).replace(/[.!?:]+$/, ""));
}

const AND_ME = words(
  "(?:and|und|sowie) (?:also |auch )?(?:to |an )?(?:me|myself|mich|mir)(?: (?:too|as well|auch))?",
);

const ME_AND = /(?<!\p{L})(?:me|mir|mich)(?!\p{L}).*(?<!\p{L})(?:and|und)\s+\S+@/iu;
const TO_MAIL = /(?<!\p{L})(?:to|an|at|for|für)\s+\S+@/iu;

/** Who is told: addresses, or whoever speaks. */
export function takeRecipients(reader: Reader, me: string): string[] {
  const isToo = reader.take(AND_ME) !== null || (ME_AND.test(reader.left) && !TO_MAIL.test(reader.left));
  const named = takeMails(reader);
  const own = words(
    "(?:(?:by|per|via) (?:e-?)?mail )?(?:(?:to|an|in|into) )?(?:my (?:own )?(?:inbox|e-?mail|mail|address|postfach)|mein(?:e|em|en)? (?:postfach|(?:e-?)?mail~|adresse)|myself|mir selbst|me|mich|mir|us|uns)(?: (?:by|per|via) (?:e-?)?mail)?",
  );
  const isMe = reader.take(own) !== null;
  reader.takeAll(words("(?:by|per|via) (?:e-?)?mail"));
  return isToo || (named.length === 0 && isMe) ? [...named, me] : named;
}

const OLD = new RegExp(
  `${words("(?:instead of|rather than|in place of|statt|anstatt|anstelle(?: von)?)").source}\\s+([^,;·]+?)(?=[,;·.!?]|$|\\s+(?:and|und|to|an|at|um|on|am)\\s)`,
  "iu",
);

/** What something else comes in the place of: it says nothing of what is wanted. */
export function takeOld(reader: Reader): string | undefined {
  return reader.take(OLD)?.[1];
}

/** At once, or once more. */
export const SOON = anyOf("now again");

const CALL =
  "(?:(?:and|und) )?(?:called|named|titled|entitled|namens|genannt|(?:call|name|title|nenn~) (?:it|them|this|that|sie|es|ihn|das|das (?:diagramm|dashboard))|(?:with|mit) (?:the |dem )?(?:name|title|titel|namen)|(?:name|title|titel|überschrift|heading) ?:)";
const QUOTED = `["“„»«'‘]([^"”“„»«]+?)["”“»«'’](?![\\p{L}\\p{N}])`;
const CALLED = new RegExp(
  `${words(CALL).source}[\\s·]+(?:${QUOTED}|([^·]+?)(?=\\s+(?:with|that|which|when|if|wenn|falls|mit|das|der|die|showing|containing|to|for|on|auf|an|für|and|und)(?!\\p{L})|[,:·]|[.!?]*\\s*$))`,
  "isu",
);

/** What something is to be called, in quotation marks or not. */
export function takeName(reader: Reader): string | undefined {
  const found = reader.take(CALLED);
  return (found?.[1] ?? found?.[2])?.trim();
}

export function takeQuoted(reader: Reader): string | undefined {
  return reader
    .take(/["“„»«]([^"”“„»«]+?)["”“»«]|(?<![\p{L}\p{N}])['‘]([^'’]+)['’](?![\p{L}\p{N}])/u)
    ?.slice(1)
    .find((each) => each !== undefined)
    ?.trim();
}

const COUNTS: Record<string, number> = Object.fromEntries(
  [
    ["one", "eine", "einer", "einem", "einen", "ein"],
    ["two", "zwei", "couple"],
    ["three", "drei"],
    ["four", "vier"],
    ["five", "fünf"],
    ["six", "sechs"],
    ["seven", "sieben"],
    ["eight", "acht"],
    ["nine", "neun"],
    ["ten", "zehn"],
    ["eleven", "elf"],
    ["twelve", "zwölf"],
  ].flatMap((names, i) => names.map((name) => [name, i + 1])),
);
export const COUNT_WORDS = Object.keys(COUNTS).join("|");

export function countOf(said: string): number | undefined {
  return /^\d+$/.test(said) ? Number(said) : COUNTS[said.toLowerCase()];
}

export type Comparison = "<" | "<=" | ">" | ">=" | "=";
export interface Compared {
  comparison: Comparison;
  value: number;
}

export const NUMBER = `(-?\\d[\\d.,]*|${COUNT_WORDS}|zero|null)\\s*(k|m|thousand|million|mio\\.?|tsd\\.?|tausend|millionen)?(?![\\p{L}\\p{N}])`;
const AMOUNT = `(?:eur|€|\\$|£|einen? betrag von)?\\s*${NUMBER}\\s*(?:€|\\$|euros?|eur|dollars?|%|percent|prozent|hours?|stunden|h|punkte?n?|points?|stars?|sterne)?`;
const MOVES =
  "(?:(?:it|is|are|ist|sind|liegt|liegen|es|gibt) )?(?:(?:goes?|go|falls?|fall|drops?|drop|sinks?|rises?|rise|climbs?|gets?|dips?|comes?|come|jumps?|slips?) )?";
const COMPARED: Named<Comparison> = (
  [
    [
      "at least|no less than|not less than|reach~|hits?|(?:rises?|climbs?|up) to|mindestens|wenigstens|≥|>=",
      ">=",
    ],
    [
      "at most|no more than|not more than|(?:drops?|falls?|sinks?|goes|goes down|down) to|höchstens|≤|<=",
      "<=",
    ],
    [
      "below|under|beneath|less than|fewer than|lower than|smaller than|shorter than|unter|unterhalb(?: von)?|weniger als|geringer als|kleiner als|niedriger als|<",
      "<",
    ],
    [
      "above|over|beyond|past|more than|greater than|higher than|longer than|bigger than|larger than|exceed~|surpass~|tops|über|oberhalb(?: von)?|mehr als|höher als|größer als|länger als|>",
      ">",
    ],
    ["equals?|equal to|(?:is |ist )?(?:exactly|genau|gleich)|is|are|ist|sind|beträgt|=", "="],
  ] as const
).map(([said, sign]) => [
  new RegExp(
    `(?:(?<![\\p{L}\\p{N}])${pattern(MOVES)})?(?<![\\p{L}\\p{N}])(?:${pattern(said)})\\s*(?:als\\s+|the\\s+|than\\s+)?${AMOUNT}`,
    "iu",
  ),
  sign,
]);
/** In German the number may stand before the verb: "wenn der Umsatz 5000 Euro unterschreitet". */
const BEFORE: Named<Comparison> = (
  [
    ["überschreite~|übersteig~|or (?:more|higher|above)|oder mehr|und mehr", ">"],
    ["unterschreite~|or (?:less|fewer|lower|below)|oder weniger", "<"],
    ["erreich~", ">="],
  ] as const
).map(([said, sign]) => [
  new RegExp(`(?:auf\\s+|die\\s+)?${AMOUNT}\\s+(?:\\p{L}+\\s+)??(?:${pattern(said)})(?!\\p{L})`, "iu"),
  sign,
]);
const NONE = words("(?:there (?:is|are) )?(?:no|not a single|zero|nobody|niemand|keine?[nr]?)(?= \\p{L})");

/** "drop below 50": the comparison and the number. */
export function takeComparison(reader: Reader): Compared | undefined {
  for (const [expression, comparison] of [...BEFORE, ...COMPARED]) {
    const found = reader.take(expression);
    if (found !== null) {
      const isOrSo = / or | oder | und /i.test(found[0]) && comparison !== "=";
      return {
        comparison: isOrSo ? (`${comparison[0]}=` as Comparison) : comparison,
        value: numberOf(found[1] as string, found[2]),
      };
    }
  }
  return reader.take(NONE) === null ? undefined : { comparison: "<", value: 1 };
}

export function numberOf(digits: string, scale = ""): number {
  const counted = countOf(digits);
  // 1.000 and 1,000 are both a thousand; 1.5 and 1,5 one and a half.
  const plain = /^(?:zero|null)$/i.test(digits)
    ? "0"
    : digits
        .replace(/[.,](?=\d{3}(?:\D|$))/g, "")
        .replace(",", ".")
        .replace(/\.$/, "");
  const factor = /^(m|mil|mio)/i.test(scale) ? 1e6 : /^(k|t)/i.test(scale) ? 1e3 : 1;
  return (counted ?? Number(plain)) * factor;
}

const CACHED_WORDS = 50_000;

/** A cache: each reading of a sentence looks up the same words for the same columns of every dataset. */
function cached<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= CACHED_WORDS) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}

/** The forms by which a word is looked up: its own stem, and what else it is called, in English. */
export const formsOf = cached((said): readonly string[] => [...new Set([keyOf(said), ...glossesOf(said)])]);

function glossesOf(said: string): string[] {
  const german = GLOSSARY.get(stemGerman(foldGerman(said))) ?? [];
  const english = [said, ...german.map(({ norms }) => norms)].flatMap(
    (each) => ENGLISH_GLOSSARY.get(phraseKey(each)) ?? [],
  );
  return [...german, ...english].map(({ norms }) => norms.split(" ").map(stem).join(" "));
}

/** The stems of a text's words. */
export const keyOf = cached((text) => {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/[_-]/g, " ");
  return wordsIn(spaced)
    .map((word) => stem(fold(word)))
    .join(" ");
});

/** The same, whatever the order of the words is. */
export const sortedKeyOf = cached((text) => keyOf(text).split(" ").toSorted().join(" "));

/** What is spoken of. */
export const BOARD = words("(?:dash)?boards?|dashboards?|übersicht(?:en|sseite)?|overview|cockpit");
export const WIDGET = words(
  "widgets?|charts?|graphs?|grafik~|diagrams?|diagramm~|tiles?|kacheln?|visuali[sz]ations?|figures?",
);

/** What a word of a model's author stands for: a column, or the rows of the dataset. */
export interface Alias {
  column: string | null;
  aggregate?: string;
}

export type Aliases = ReadonlyMap<string, Alias>;

/** The author's words of all published models that a caller may use, by the name of the dataset. */
export async function aliasesFor(
  caller: Caller,
  models: ModelsServices["models"],
): Promise<ReadonlyMap<string, Aliases>> {
  const found = new Map<string, Map<string, Alias>>();
  if (!caller.permissions.includes("ontologies:read")) return found;
  for (const published of await models.published(caller)) {
    const seen = await models.see(caller, published);
    for (const { source, of, names, alias } of [...ofFields(seen), ...ofMetrics(seen)]) {
      const known = found.get(source) ?? new Map<string, Alias>();
      for (const name of names) if (keyOf(name) !== keyOf(of)) known.set(keyOf(name), alias);
      found.set(source, known);
    }
  }
  return found;
}

interface Said {
  source: string;
  /** What it is called by itself. */
  of: string;
  names: string[];
  alias: Alias;
}

const sourceOf = (source: string) => source.split(".").at(-1) ?? source;

function ofFields({ datasets }: VisibleModel): Said[] {
  return datasets.flatMap(({ source, name, ai, fields }) => [
    {
      source: sourceOf(source),
      of: sourceOf(source),
      names: [name, ...ai.synonyms],
      alias: { column: null },
    },
    ...fields.flatMap(({ name: field, label, sql, ai: { synonyms } }) => {
      const column = sql === null ? field : /^"?(\w+)"?$/.exec(sql)?.[1];
      if (column === undefined) return [];
      const names = [field, ...(label === null ? [] : [label]), ...synonyms];
      return [{ source: sourceOf(source), of: column, names, alias: { column } }];
    }),
  ]);
}

/** Metrics that are one aggregate of one column; others no chart of a dataset can show. */
function ofMetrics({ datasets, metrics }: VisibleModel): Said[] {
  return metrics.flatMap(({ name, sql, ai: { synonyms } }) => {
    const found = /^(sum|avg|min|max|count)\s*\(\s*"?(\w+)"?\."?(\w+)"?\s*\)$/i.exec(sql.trim());
    const dataset = datasets.find((each) => each.name === found?.[2]);
    const field = dataset?.fields.find((each) => each.name === found?.[3]);
    if (found === null || dataset === undefined || field === undefined) return [];
    const aggregate = (found[1] as string).toLowerCase();
    const column = field.sql === null ? field.name : (/^"?(\w+)"?$/.exec(field.sql)?.[1] ?? null);
    const alias =
      aggregate === "count" ? { column: null } : { column, ...(aggregate !== "sum" && { aggregate }) };
    return [{ source: sourceOf(dataset.source), of: column ?? "", names: [name, ...synonyms], alias }];
  });
}
