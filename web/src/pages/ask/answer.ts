import type {
  ChartSpec,
  Clarification,
  Column,
  DataAnswer,
  DocumentsAnswer,
  Lineage,
  MemoryHits,
  ModelAnswer,
} from "../../api/tools.ts";

/** One answer, whoever gave it. */
export interface Answer {
  source: "model" | "data" | "documents" | "memory";
  id: string | null;
  outcome: "answer" | "clarify" | "refuse";
  narrative: string;
  columns: Column[];
  rows: unknown[][];
  rowCount: number;
  sql: string | null;
  reading: string | null;
  assumptions: string[];
  caveats: string[];
  chart: ChartSpec | null;
  lineage: Lineage | null;
  questions: Clarification[];
  citations: DocumentsAnswer["citations"];
  memories: MemoryHits["hits"];
  model: string | null;
  datasets: { id: number; name: string }[];
  mark: string | null;
}

const NOTHING: Answer = {
  source: "model",
  id: null,
  outcome: "answer",
  narrative: "",
  columns: [],
  rows: [],
  rowCount: 0,
  sql: null,
  reading: null,
  assumptions: [],
  caveats: [],
  chart: null,
  lineage: null,
  questions: [],
  citations: [],
  memories: [],
  model: null,
  datasets: [],
  mark: null,
};

export function ofModel({ charts, columns, ...answer }: ModelAnswer): Answer {
  const types = columns.map((name, at) => ({
    name,
    type: typeof answer.rows[0]?.[at] === "number" ? "DOUBLE" : "VARCHAR",
  }));
  return {
    ...NOTHING,
    ...answer,
    columns: types,
    chart: charts[0] === undefined ? null : inPlace(charts[0]),
    mark: answer.mark ?? null,
  };
}

const SIGNS: Record<string, string> = {
  "€": "money:EUR",
  $: "money:USD",
  "£": "money:GBP",
  CHF: "money:CHF",
};

/** What it shows stands above it already; parts of a whole are read as percentages, and money with its sign. */
function inPlace(chart: ChartSpec): ChartSpec {
  const [, name, unit = ""] = /^(.*) \(([^()]+)\)$/.exec(String(chart.yAxisLabel ?? "")) ?? [];
  const format = /^(fraction|Anteil)$/i.test(unit) ? "percent" : SIGNS[unit];
  return { ...chart, title: "", ...(format !== undefined && { yAxisLabel: name, formats: { y: format } }) };
}

export function ofData({ id, outcome, answer, query, fields, rows, totalRows, ...rest }: DataAnswer): Answer {
  const { reading, notes, questions, datasets, model } = rest;
  return {
    ...NOTHING,
    ...{ id, outcome, reading, questions, datasets, model },
    source: "data",
    narrative: answer,
    columns: fields,
    rows: rows.map((row) => fields.map(({ name }) => row[name])),
    rowCount: totalRows,
    sql: query,
    caveats: notes,
    chart: chartOf(fields, rows),
  };
}

export function ofDocuments({ answer, citations, notes, status }: DocumentsAnswer): Answer {
  return {
    ...NOTHING,
    source: "documents",
    outcome: status === "not_found" ? "refuse" : "answer",
    narrative: answer,
    citations,
    caveats: notes,
  };
}

export function ofMemory({ hits }: MemoryHits): Answer {
  return { ...NOTHING, source: "memory", memories: hits, narrative: "" };
}

const MOST_BARS = 40;

/** Answers over plain datasets come without a chart: one name and one number a row are bars, or a line along time. */
function chartOf(fields: Column[], rows: Record<string, unknown>[]): ChartSpec | null {
  const [first, second] = fields;
  if (fields.length !== 2 || first === undefined || second === undefined) return null;
  if (
    rows.length < 2 ||
    rows.length > MOST_BARS ||
    !rows.every((row) => typeof row[second.name] === "number")
  )
    return null;
  const isTime = /DATE|TIMESTAMP/i.test(first.type);
  return {
    type: isTime ? "line" : "bar",
    title: "",
    xAxisLabel: first.name,
    yAxisLabel: second.name,
    categories: rows.map((row) => String(row[first.name] ?? "")),
    series: [{ label: second.name, data: rows.map((row) => row[second.name]) }],
  };
}
