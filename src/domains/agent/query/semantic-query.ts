/**
 * What a question means, before anybody thinks of SQL. Rules produce this, and everything after it (SQL, checks,
 * narrative, lineage) is read off it. Names are those of the model's datasets, fields and metrics.
 */
export type Ask =
  /** Entities of one dataset, each once. */
  | {
      k: "list";
      rel: Rel;
      show: Key[];
      order?: Order[] | undefined;
      limit?: number;
      /** What is shown is wanted once, and not for each entity. */
      distinct?: true | undefined;
    }
  /** Numbers by keys; without keys it is one row. */
  | {
      k: "table";
      by: Key[];
      cols: Num[];
      scope?: Scope | undefined;
      having?: Cond | undefined;
      top?: Top | undefined;
      order?: Order[] | undefined;
      /** The first rows in that order, which goes by a key. */
      limit?: number | undefined;
      /** Periods of the first time key without any rows are shown as well. */
      fill?: boolean | undefined;
    };

export type Grain = "day" | "week" | "month" | "quarter" | "year";
export type DatePart = "weekday" | "hour" | "month";
export type Literal = string | number | boolean;
export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** One step along a link: `one` from its `from` to its `to`, `many` back. */
export interface Hop {
  link: string;
  dir: "one" | "many";
  /** What it is called, where several links lead to the same dataset. */
  as?: string;
  /** It is a noun for whoever is there: a manager. */
  isNoun?: true;
}

export interface Key {
  ds: string;
  field: string;
  /** The last links on the way to `ds`, where there are several ways. */
  path?: Hop[];
  bucket?: Grain;
  /** The date was named, and is not the one that numbers go by without a word. */
  isNamed?: true;
  fiscal?: boolean | undefined;
  /** The day of the week of a date, whichever week it is in; or the hour, or the month. */
  part?: DatePart;
  /** How many days a date is after another one of the same row, or of what it belongs to. */
  since?: Key;
}

/** Half-open; null is open. `on` is the date meant; without it the default of what is measured. */
export interface Window {
  from: string | null;
  to: string | null;
  on?: Key;
  said: string;
}

/** Entities or rows of one dataset. */
export type Rel =
  | { k: "all"; ds: string }
  | { k: "where"; in: Rel; if: Cond }
  /** What `from` reaches along the path. */
  | { k: "via"; from: Rel; path: Hop[] }
  /** The first `n` by a number, after the first `skip`. */
  | {
      k: "top";
      in: Rel;
      by: Num | Key;
      dir: "max" | "min";
      n: number;
      skip?: number | undefined;
      per?: Key[] | undefined;
      ties: "keep" | "cut";
    }
  | { k: "set"; op: "union" | "intersect" | "minus"; a: Rel; b: Rel };

/** True or false of one row, or of one group in `having`. */
export type Cond =
  | { k: "and" | "or"; of: Cond[] }
  | { k: "not"; of: Cond }
  /** `all`: each of the values, in rows of one entity; of a single row it is one of them. */
  | { k: "is"; key: Key; values: Literal[]; match: "equal" | "contains"; all?: true | undefined }
  | { k: "null"; key: Key }
  | { k: "during"; win: Window }
  | { k: "cmp"; a: Num | Key; op: Comparison; b: Num | Key }
  /** Whether the row of `at` (this row's own, or one it belongs to) reaches one of `to`. Without a path: is one of them. */
  | { k: "link"; at: string; path: Hop[]; to: Rel; count?: { op: Comparison; n: number } };

export type Aggregate = "count" | "distinct" | "sum" | "avg" | "median" | "min" | "max" | "only";

/** Which rows a number is made of; `whole` leaves the group that it stands in. */
export interface Scope {
  if?: Cond;
  win?: Window;
  whole?: boolean;
}

/** A number, in the context of a row, a group or the whole. */
export type Num =
  | { k: "lit"; v: number; unit?: string }
  /** The one end that a period has, against which a date is held. */
  | { k: "day"; win: Window }
  | { k: "field"; key: Key }
  | { k: "metric"; name: string; scope?: Scope }
  /** `in` is a closed set; `path` goes from this row. */
  | { k: "agg"; fn: Aggregate; of?: Key; in?: Rel; path?: Hop[]; scope?: Scope }
  /** An aggregate of aggregates: of `of` for each of `per`. */
  | { k: "each"; fn: Aggregate; of: Num; per: Key[]; scope?: Scope; having?: Cond }
  | { k: "calc"; op: "+" | "-" | "*" | "/" | "growth"; a: Num; b: Num }
  /** The same number some periods earlier. */
  | { k: "lag"; of: Num; n: number; grain: Grain }
  | { k: "running"; of: Num };

export interface Order {
  by: Num | Key;
  dir: "asc" | "desc";
}

export interface Top {
  n: number;
  /** How many come before: the second one is the first after one. */
  skip?: number | undefined;
  by: Num;
  dir: "max" | "min";
  per?: Key[] | undefined;
  ties: "keep" | "cut";
}

export function isKey(value: Num | Key): value is Key {
  return !("k" in value);
}

/** The dataset whose entities these are. */
export function datasetOf(rel: Rel, end: (path: Hop[]) => string): string {
  switch (rel.k) {
    case "all":
      return rel.ds;
    case "where":
    case "top":
      return datasetOf(rel.in, end);
    case "via":
      return end(rel.path);
    case "set":
      return datasetOf(rel.a, end);
  }
}
