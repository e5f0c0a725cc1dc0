import type {
  Comparison,
  Cond,
  Grain,
  Hop,
  Key,
  Num,
  Order,
  Rel,
  Top,
  Window,
} from "../query/semantic-query.ts";

/** A meaning that a stretch of the question can have by itself. */
export type Sense =
  /** Entities: a noun of the model, a named one, or what was made of them. */
  | { t: "rel"; rel: Rel; ds: string; form: "noun" | "name" | "made"; isTopped: boolean; isMany?: true }
  /** A field by its name, of nothing yet. */
  | { t: "field"; key: Key }
  /** Fields of entities: `population of Texas`. */
  | { t: "attr"; rel: Rel; ds: string; keys: Key[]; order?: Order[] }
  /** What is true of rows of a dataset. */
  | { t: "cond"; ds: string; cond: Cond }
  /** What can be said of entities: that they are linked to others, or first by a number. */
  | { t: "mod"; mod: Mod }
  /** A verb or preposition that links entities along some way. */
  | { t: "link"; paths: { from: string; path: Hop[] }[] }
  /** `largest`, `top 10`: of what is said by the noun, by an adjective or by a number. */
  | { t: "sup"; dir: "max" | "min"; dim: string | null; n: number | null; isCount: boolean }
  /** First by a number: `largest population`, `most rivers`, `most revenue`. */
  | { t: "supby"; dir: "max" | "min"; by: By; n: number | null }
  /** Numbers by keys. */
  | { t: "table"; table: TableSense }
  | { t: "window"; win: Window }
  | { t: "grain"; grain: Grain; isFiscal: boolean }
  | { t: "number"; value: number; isPercent: boolean }
  /** `more than 60k`. */
  | { t: "quantity"; op: Comparison; value: number }
  /** `by`, `per`, `each` with a key. */
  | { t: "by"; keys: Key[]; by: By | null; grain?: Grain }
  /** The only value of a field, such as the one country: fields of this name elsewhere mean the same. */
  | { t: "all"; field: string; value: string }
  /** What something is to another: `neighbouring states` of what follows. */
  | { t: "role"; rel: Rel; ds: string; paths: { from: string; path: Hop[] }[] }
  | { t: "firstby"; dir: "max" | "min"; n: number | null; table: TableSense }
  /** The first ones by a number that is still to come. */
  | { t: "topkeys"; key: Key; dir: "max" | "min"; n: number | null }
  | { t: "than"; win: Window | null; cond: Cond | null; ds: string | null }
  | { t: "topn"; rel: Rel; ds: string; dir: "max" | "min"; n: number | null }
  | { t: "some"; rel: Rel; ds: string; n: number }
  | { t: "having"; table: TableSense; op: Comparison; value: number }
  /** A part of a number, or of entities. */
  | { t: "share"; table: TableSense; rel: Rel | null; ds: string | null }
  /** Windows to compare, the newer first. */
  | { t: "windows"; wins: Window[] }
  /** "oldest first" */
  | { t: "order"; dir: "asc" | "desc"; dim: string }
  | { t: "versus"; ds: string; cond: Cond; isAnd: boolean }
  /** "Emma and …" */
  | { t: "namesand"; rel: Rel; ds: string }
  /** "revenue and …" */
  | { t: "tableand"; table: TableSense }
  | { t: "among"; ds: string; cond: Cond; key: Key }
  /** A word of grammar. */
  | { t: "op"; op: string; arg?: string };

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
      isOf?: true;
    }
  | { m: "first"; dir: "max" | "min"; by: By; n: number | null }
  | { m: "is"; ds: string; cond: Cond }
  | { m: "during"; win: Window }
  | { m: "all"; field: string; value: string }
  /** A field to be shown beside the name. */
  | { m: "show"; key: Key }
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
}

export interface Fragment {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
  /** Words that nothing was made of, by their place. */
  skipped: number[];
  notes: string[];
}
