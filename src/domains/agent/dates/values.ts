/** What the chart is made of: words and numbers at the bottom, periods above them, findings on top. */

export type Unit =
  | "hour"
  | "day"
  | "workday"
  | "week"
  | "workweek"
  | "weekend"
  | "fortnight"
  | "month"
  | "quarter"
  | "half"
  | "year"
  | "decade"
  | "century";

export type Grain = "day" | "week" | "month" | "quarter" | "year";

/** A half-open stretch of wall-clock time in milliseconds; null is open. */
export interface Span {
  from: number | null;
  to: number | null;
}

/** A stretch with both ends. */
export interface Closed {
  from: number;
  to: number;
}

export interface Step {
  unit: Unit;
  n: number;
  fiscal?: boolean | undefined;
}

export type Part = "early" | "mid" | "late" | "start" | "end";

/**
 * A period that has a name. Either it is fixed, or it lacks something (mostly its year) that a neighbour may still
 * give; what nobody gave is chosen when it is resolved.
 */
export interface Period {
  t: "time";
  unit: Unit | "season";
  fixed?: Closed;
  year?: number;
  fiscal?: boolean | undefined;
  month?: number;
  day?: number;
  weekday?: number;
  /** Number of the quarter, half, week or season. */
  n?: number;
  holiday?: string;
  part?: Part;
  /** Said as so many periods before (negative) or after the present one. */
  away?: Step;
  /** Said as the last one, or as that of last year. */
  isLast?: boolean;
  /** May be something else than a date, as a bare 2025. */
  latent?: boolean;
  /** Hardly ever a date when it stands alone, as the word may. */
  weak?: boolean;
  /** Something before it shows that it is a date. */
  led?: boolean;
}

/** A finished window: nothing adds to it. */
export interface Window {
  t: "window";
  span: Span;
  unit: Period["unit"];
  fiscal?: boolean | undefined;
  ends?: [Closed, Closed];
  latent?: boolean;
  led?: boolean;
}

export interface Shift {
  grain: Grain;
  /** Negative: so many periods back. */
  by: number;
}

export interface Compare {
  t: "compare";
  /** From the window that is compared. */
  shift?: Shift;
  with?: Period | Window;
  /** Every period is compared with its predecessor. */
  series?: boolean;
}

export type Value =
  | { t: "word"; word: string }
  | { t: "int"; n: number; digits: number }
  | { t: "ord"; n: number }
  | { t: "unit"; unit: Unit; plural: boolean; fiscal?: boolean | undefined }
  | { t: "month"; month: number; weak: boolean }
  | { t: "duration"; steps: Step[] }
  | Period
  | Window
  | Compare
  | { t: "grain"; grain: Grain; fiscal?: true | undefined }
  | { t: "same"; unit: Unit }
  /** Looks like a date and is none, as the day of the week; or one that no calendar has, as 30 February. */
  | { t: "none"; absent?: true | undefined; latent?: boolean };

export type ValueOf<T extends Value["t"]> = Extract<Value, { t: T }>;
