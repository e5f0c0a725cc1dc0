import type { JsonValue } from "../../platform/analytics/index.ts";
import type { Subject } from "../../platform/drawing/index.ts";
import type { Compiled } from "./compile/compile.ts";
import type { Ask } from "./query/semantic-query.ts";
import type { Clarification, Reading } from "./understand/reading.ts";

/** What became of a question. */
export type Outcome = "answer" | "clarify" | "refuse";

export interface Answer {
  outcome: Outcome;
  /** The model that was asked, by its name. */
  model: string;
  /** What a person reads: the answer, or why there is none. */
  narrative: string;
  columns: string[];
  /** The engine's types, in the order of the columns. */
  types: string[];
  rows: JsonValue[][];
  /** How many there are, also of those beyond what is read for a question. */
  totalRows: number;
  sql: string | null;
  /** How the question was understood. */
  reading: string | null;
  /** What was chosen where the question left it open. */
  assumptions: string[];
  /** From 0 to 1. */
  confidence: number | null;
  charts: ChartSpec[];
  /** What a client that can show pictures is shown. */
  picture?: Subject | undefined;
  lineage: Lineage | null;
  /** What was run; null where nothing was. */
  query?: AskedQuery | null;
  /** Words of the question that are values of the data, or may be: they are kept in no audit event. */
  concealed?: readonly string[];
  /** It continues what was asked before, or answers what was asked back. */
  isContinued?: true;
  caveats: string[];
  /** What has to be known first. */
  questions: Clarification[];
  /** The queries that suggestions among them say in words. */
  offered?: AskedQuery[];
}

/** How a question was understood, and when. */
export interface AskedQuery {
  ask: Ask;
  said: string;
  /** What clocks showed to whoever asked. */
  now: string;
  timeZone: string;
  /** It means the same to whoever asks it: nothing of it comes from preferences or from a question before it. */
  isPlain: boolean;
  /** Why it does not, where that is not the reason. */
  why?: string;
}

/** The rows of one reading. */
export interface Result {
  reading: Reading;
  compiled: Compiled;
  /** The engine's types, in the order of the columns. */
  types: string[];
  rows: JsonValue[][];
  /** How many there are, also of those beyond what is read for a question. */
  totalRows: number;
}

/** A chart as the contract of the agent endpoint describes it. */
export interface ChartSpec {
  type: "bar" | "line" | "pie" | "scatter";
  title: string;
  xAxisLabel?: string | undefined;
  yAxisLabel?: string | undefined;
  categories?: string[] | undefined;
  series?: { label: string; data: number[] }[] | undefined;
  slices?: { label: string; value: number }[] | undefined;
  points?: { x: number; y: number; label?: string | undefined }[] | undefined;
  layout?: "vertical" | "horizontal" | undefined;
}

/** Where an answer comes from, in the form of the same contract; `sql` and what follows is ours. */
export interface Lineage {
  datasets: { name: string; source: string }[];
  joins: { left: string; right: string; on: string[] }[];
  filters: { field: string; operator: string; value: unknown }[];
  /** Both days belong to it. */
  timeWindow?: { start: string; end: string } | undefined;
  grain: string;
  sql: string;
  metrics: { name: string; definition: string }[];
  /** When the rows behind the answer were changed last. */
  /** Of live datasets: when they were asked. */
  freshness: { dataset: string; refreshedAt: string; live?: boolean }[];
  reading: string;
  assumptions: string[];
}
