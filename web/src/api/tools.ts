/** What tools answer with, as far as the console shows it. The tools themselves say the rest. */

export interface Column {
  name: string;
  type: string;
}

export interface SearchResults {
  results: { asset_type: string; id: number; name: string; score: number }[];
}

export interface DatasetList {
  total: number;
  datasets: {
    id: number;
    name: string;
    description: string | null;
    rows: number | null;
    columns?: Column[];
    refreshed_at: string;
  }[];
}

export interface DashboardList {
  total: number;
  dashboards: {
    id: number;
    name: string;
    description: string | null;
    widget_count: number;
    url: string;
    changed_at: string;
    folder?: string;
  }[];
}

export interface AlertList {
  total: number;
  alerts: {
    id: number;
    name: string;
    dataset_id: number;
    state: "ok" | "pending" | "firing" | "recovering" | "error" | "paused";
    state_since: string;
    sentence: string | null;
    checked_at: string | null;
    last_error: string | null;
  }[];
}

export interface ModelList {
  models: { name: string; description: string | null; id: string; version: number }[];
}

export interface ChartSpec {
  type: string;
  title: string;
  [rest: string]: unknown;
}

export interface Lineage {
  datasets: { name: string; source: string }[];
  joins: { left: string; right: string; on: string[] }[];
  filters: { field: string; operator: string; value: unknown }[];
  timeWindow?: { start: string; end: string };
  grain: string;
  metrics: { name: string; definition: string }[];
  freshness: { dataset: string; refreshedAt: string }[];
}

export interface Clarification {
  question: string;
  suggestions: string[];
}

type Outcome = "answer" | "clarify" | "refuse";

/** Of ask_question and get_answer. */
export interface ModelAnswer {
  id: string;
  outcome: Outcome;
  model: string;
  narrative: string;
  columns: string[];
  rows: unknown[][];
  rowCount: number;
  sql: string | null;
  reading: string | null;
  assumptions: string[];
  charts: ChartSpec[];
  lineage: Lineage | null;
  caveats: string[];
  questions: Clarification[];
  mark?: string | null;
}

/** Of ask_data. */
export interface DataAnswer {
  id: string;
  outcome: Outcome;
  answer: string;
  query: string | null;
  fields: Column[];
  rows: Record<string, unknown>[];
  totalRows: number;
  datasets: { id: number; name: string }[];
  model: string | null;
  reading: string | null;
  notes: string[];
  questions: Clarification[];
}

export interface DocumentsAnswer {
  answer: string;
  status: "answered" | "uncertain" | "not_found";
  citations: { document_id: number; document: string; page: number | null; section: string; quote: string }[];
  notes: string[];
}

export interface MemoryHits {
  hits: {
    memory_id: string;
    title: string;
    content: string;
    score: number;
    source?: string | null;
    valid_from?: string;
    valid_to?: string | null;
  }[];
}

export interface RowsPage {
  columns: Column[];
  rows: Record<string, unknown>[];
  totalRows: number;
  returnedRows: number;
  note?: string;
}

export interface ColumnProfile extends Column {
  nulls?: number;
  min?: unknown;
  max?: unknown;
  distinct?: number;
}

export interface DatasetDetails {
  asset_type: string;
  details: {
    id: number;
    name: string;
    description: string | null;
    rows: number | null;
    columns: ColumnProfile[];
    bytes?: number;
    source?: { kind: string; detail?: Record<string, unknown> };
    [rest: string]: unknown;
  };
}

export interface ImportResult {
  dataset_id: number;
  dataset_name: string;
  version: number;
  total_rows: number | null;
  columns: Column[];
  rows_read: number;
  rows_rejected: number;
  rejected: { line: number; reason: string }[];
  detected: Record<string, unknown>;
  replaced?: unknown;
  notes: string[];
}

/** What a drawing says of its marks; `at` is where its categories stand. */
export type Hover =
  | {
      by: "category";
      axis: "x" | "y";
      guide: { top: number; bottom: number } | null;
      titles: string[];
      series: { name: string; colour: string; values: string[] }[];
      at?: number[];
    }
  | { by: "mark"; titles: string[]; lines: string[] };

export interface Drawn {
  width: number;
  height: number;
  light: string;
  dark: string;
  hover: Hover | null;
}
