import type {
  Comparison,
  Cond,
  DatePart,
  Grain,
  Hop,
  Key,
  Num,
  Order,
  Rel,
  Top,
  Window,
} from "../../query/semantic-query.ts";

/** A meaning that a stretch of the question can have by itself. */
export type Sense =
  /** Entities: a noun of the model, a named one, or what was made of them. */
  | {
      t: "rel";
      rel: Rel;
      ds: string;
      form: "noun" | "name" | "made";
      isTopped: boolean;
      isMany?: true;
      /** "different drugs": each name once. */
      isDistinct?: true;
      /** "three sales reps", of which it is still to be said which. */
      n?: number;
      /** Of what was sold: how many pieces, by this metric. */
      pieces?: string;
      /** What was done, the number that the author has for it, and what it was done in: each is one time. */
      verb?: { metric: string | null; times?: Key; isUsual?: "plain" | "doubtful" };
    }
  /** A field by its name, of nothing yet; a date also by what was done then. */
  | { t: "field"; key: Key; isDone?: true | undefined }
  /** Fields of entities: `population of Texas`. */
  | { t: "attr"; rel: Rel; ds: string; keys: Key[]; order?: Order[] }
  /** What is true of rows of a dataset. */
  | { t: "cond"; ds: string; cond: Cond }
  /** What can be said of entities: that they are linked to others, or first by a number. */
  | { t: "mod"; mod: Mod }
  /** A verb or preposition that links entities along some way. */
  | { t: "link"; paths: { from: string; path: Hop[] }[] }
  /** `largest`, `top 10`: of what is said by the noun, by an adjective or by a number. */
  | ({ t: "sup"; dim: string | null; isCount: boolean } & Place)
  /** First by a number: `largest population`, `most rivers`, `most revenue`. */
  | ({ t: "supby"; by: By } & Place)
  /** Numbers by keys. */
  | { t: "table"; table: TableSense }
  | { t: "window"; win: Window }
  | { t: "grain"; grain: Grain; isFiscal: boolean; isEvery?: true | undefined; isBare?: true }
  | { t: "number"; value: number; isPercent: boolean }
  /** "in minutes", "in million euros" */
  | { t: "unit"; unit: string; scale: number; said: string }
  /** `more than 60k`. */
  | ({ t: "quantity" } & Quantity)
  /** `by`, `per`, `each` with a key. */
  | {
      t: "by";
      keys: Key[];
      by: By | null;
      grain?: Grain | undefined;
      part?: DatePart | undefined;
      isPer?: true | undefined;
      isOpen?: true | undefined;
      /** "share of each channel" */
      isShare?: true | undefined;
      some?: { rel: Rel; ds: string } | undefined;
    }
  /** The only value of a field, such as the one country: fields of this name elsewhere mean the same. */
  | { t: "all"; field: string; value: string }
  /** What something is to another: `neighbouring states` of what follows. */
  | { t: "role"; rel: Rel; ds: string; paths: { from: string; path: Hop[] }[] }
  /** First by a number of theirs; that they bought the most is said of people only, that they sold best of things. */
  | ({ t: "firstby"; table: TableSense; of?: "people" | { pieces: string } | undefined } & Place)
  /** What numbers are told apart by: entities, values of a field, periods. */
  | { t: "group"; group: Group }
  /** The first groups by a number that is still to come. */
  | ({ t: "topgroup"; group: Group; per: Key[] } & Place)
  /** What one entity is worth, by the metric that says what it is worth on average. */
  | { t: "worth"; metric: string; ds: string }
  /** "spent more in 2025 …" than in another period. */
  | { t: "outdo"; table: TableSense; op: Comparison }
  | { t: "outdid"; table: TableSense; op: Comparison; than: Window }
  | { t: "than"; win: Window | null; cond: Cond | null; ds: string | null }
  | ({ t: "having"; table: TableSense; isOpen?: true; also?: Extract<Sense, { t: "having" }>[] } & Quantity)
  /** A part of a number, or of entities. */
  | { t: "share"; table: TableSense; rel: Rel | null; ds: string | null }
  /** Windows to compare, the newer first. */
  | { t: "windows"; wins: Window[] }
  /** "oldest first" */
  | { t: "order"; dir: "asc" | "desc"; dim: string }
  /** "never won" */
  | { t: "undone"; table: TableSense }
  | { t: "versus"; ds: string; cond: Cond; isAnd: boolean; isEach?: true | undefined }
  /** "Emma and …" */
  | { t: "namesand"; rel: Rel; ds: string; op: "and" | "or" | "versus" }
  /** "revenue and …", "refunds as a share of …" */
  | { t: "tableand"; table: TableSense; op: "beside" | "/" | "-" }
  /** "city and …" */
  | { t: "fields"; keys: Key[]; isOpen: boolean }
  /** "higher than Texas": by a field that is said before, or by their size. */
  | { t: "beyond"; arg: string; rel: Rel; ds: string }
  /** "days between the order and …" */
  | { t: "days"; start: Key; isOpen: boolean }
  | { t: "among"; ds: string; cond: Cond; key: Key }
  /** A word of grammar. */
  | { t: "op"; op: string; arg?: string };

/** Which of the first ones: `n` of them, after `skip`. */
export interface Place {
  dir: "max" | "min";
  n: number | null;
  skip?: number | undefined;
}

/** What a number is compared with: another one, or the average of all. */
export interface Quantity {
  op: Comparison;
  value: number | "average";
  /** The other end of a range. */
  upTo?: number | undefined;
  /** What it was said to be measured in. */
  unit?: string | undefined;
  /** What it is compared by: "longer than 1000" is a length. */
  dim?: string | undefined;
  /** "twice", "5 times" */
  isTimes?: true | undefined;
}

export interface Group {
  keys: Key[];
  grain: Grain | null;
  isFiscal?: true | undefined;
  part?: DatePart | undefined;
  /** The entities that the groups are, where they are not all of them. */
  rel: Rel | null;
  ds: string | null;
  n: number | null;
  /** What was said of the groups, and holds of the numbers. */
  mods: Mod[];
}

export type By =
  | { k: "key"; key: Key }
  | { k: "num"; num: Num; table: TableSense | null }
  | { k: "count"; rel: Rel; ds: string; paths?: { from: string; path: Hop[] }[] };

export type Mod =
  | {
      m: "to";
      rel: Rel;
      ds: string;
      form: "noun" | "name" | "made";
      paths: { from: string; path: Hop[] }[] | null;
      not: boolean;
      isOf?: true | undefined;
      /** "orders, but no returns": said of whoever has the orders. */
      isBut?: true;
      /** It is what was done, counted in pieces by this metric. */
      pieces?: string;
    }
  | ({ m: "first"; by: By } & Place)
  | { m: "is"; ds: string; cond: Cond }
  /** "cities named Springfield": these entities themselves, and not what they belong to. */
  | { m: "named"; ds: string; cond: Cond }
  | { m: "during"; win: Window }
  | { m: "all"; field: string; value: string }
  /** Fields to be shown beside the name. */
  | { m: "show"; keys: Key[] }
  | { m: "weekdays"; days: string[] }
  /** "in square metres": how a number is written. */
  | { m: "unit"; key: Key }
  /** "in both 2024 and 2025" */
  | { m: "both"; wins: Window[] }
  /** "in every quarter of 2025": what they did, they did in as many periods. */
  | { m: "every"; grain: Grain; n: number; win: Window }
  /** "but not in 2025": the same did not happen then. */
  | { m: "notduring"; win: Window }
  /** A field of entities, as in `the height of the highest point of Texas`. */
  | { m: "attr"; rel: Rel; ds: string; key: Key };

export interface TableSense {
  cols: Num[];
  by: Key[];
  conds: Cond[];
  win: Window | null;
  top: Top | null;
  having: Cond | null;
  order: Order[];
  /** Said by a verb: those that won are those with a win. */
  isVerb?: true;
  /** The groups that were said with "per" or "each": averages are made over them. */
  per?: Key[];
}

export interface Fragment {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
  /** Words that nothing was made of, by their place. */
  skipped: number[];
  /** What it was put together from; a word's own meaning has no parts. */
  parts?: readonly [Fragment, Fragment];
  /** What some words were taken for, before that stood for something else. */
  leaf?: Leaf;
}

/** Words of a question with the meaning that they were taken for. */
export interface Leaf {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
  /** What the words are taken for where columns tell it and nobody says so. */
  taken?: string;
}

/** What a fragment was put together from. */
export function leavesOf({ parts, leaf }: Fragment): Leaf[] {
  if (parts !== undefined) return parts.flatMap(leavesOf);
  return leaf === undefined ? [] : [leaf];
}
