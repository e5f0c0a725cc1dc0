import { AppError } from "../../../kernel/errors.ts";
import { clip, nearest } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { VisibleDataset, VisibleModel } from "../visible-model.ts";
import {
  about,
  block,
  datasetLine,
  fieldLine,
  metricLine,
  more,
  oneLine,
  relationshipLine,
  tableName,
  words,
} from "./lines.ts";

export const DIGEST_SCOPES = ["datasets", "relationships", "metrics"] as const;
export type DigestScope = (typeof DIGEST_SCOPES)[number];

export interface ModelDigest {
  markdown: string;
  page: number;
  /** Of the scope; without one, of the longest section. */
  pages: number;
  /** Items of the scope; without one, of all sections. */
  total: number;
}

/** Without a scope the model as a whole, with the first page of each section; `page` counts only with a scope. */
export function modelDigest(
  model: VisibleModel,
  { scope, page = 1, perPage }: { scope?: DigestScope; page?: number; perPage: number },
): ModelDigest {
  if (scope !== undefined) return sectionDigest(model, scope, page, perPage);
  const sections = DIGEST_SCOPES.map((each) => sectionDigest(model, each, 1, perPage));
  return {
    markdown: [head(model), ...sections.map(({ markdown }) => markdown)].join("\n\n"),
    page: 1,
    pages: Math.max(...sections.map(({ pages }) => pages)),
    total: sections.reduce((sum, { total }) => sum + total, 0),
  };
}

function head(model: VisibleModel): string {
  const { name, ai, datasets } = model;
  const [first] = datasets;
  return [
    `# ${words(oneLine(name), about(model))}`,
    ...block([ai.instructions ?? "", ...more(ai)].join("\n")),
    ...(ai.examples.length === 0 ? [] : ["Examples:", ...ai.examples.map((text) => `- ${oneLine(text)}`)]),
    ...(first === undefined ? [] : [`In SQL use bare dataset names: FROM ${tableName(first.name)}`]),
  ].join("\n");
}

function sectionDigest(model: VisibleModel, scope: DigestScope, page: number, perPage: number): ModelDigest {
  const next = `scope: "${scope}"`;
  const paged = <T>(all: readonly T[]) => pageOf(`the ${scope}`, all, page, perPage);
  const digest = <T>(heading: string, part: Page<T>, line: (item: T) => string): ModelDigest => ({
    markdown: section(heading, part, line, next),
    page,
    pages: part.pages,
    total: part.total,
  });
  switch (scope) {
    case "datasets":
      return digest(`## Datasets (${model.datasets.length})`, paged(model.datasets), datasetLine);
    case "relationships": {
      const { relationships } = model;
      const heading = `## Relationships (${relationships.length}${relationships.length === 0 ? "" : ", many-to-one"})`;
      return digest(heading, paged(relationships), (each) => relationshipLine(each, model));
    }
    case "metrics": {
      const { metrics } = model;
      const heading = `## Metrics (${metrics.length}${metrics.length === 0 ? "" : ", formulas to paste, not columns"})`;
      return digest(heading, paged(metrics), metricLine);
    }
  }
}

/** More names than these are no help in an error; the model's digest lists them. */
const NAMES_IN_ERROR_MAX = 30;

interface WantedDataset {
  name: string;
  page?: number;
}

interface DatasetsDigest {
  markdown: string;
  /** The pages that are in it, in the order in which they were asked for. */
  datasets: { name: string; page: number; pages: number; total: number }[];
}

/** Datasets with their fields, each with a page of its own. What is asked for twice comes once. */
export function datasetsDigest(
  model: VisibleModel,
  wanted: readonly WantedDataset[],
  { perPage }: { perPage: number },
): DatasetsDigest {
  if (wanted.length < 1 || wanted.length > LIMITS.models.datasetsPerCall) {
    throw new AppError(
      "bad_request",
      `Ask for 1 to ${LIMITS.models.datasetsPerCall} datasets in one call, not ${wanted.length}.`,
    );
  }
  const pages = new Map<string, { dataset: VisibleDataset; page: number }>();
  for (const { dataset, page } of found(model, wanted)) {
    pages.set(JSON.stringify([dataset.name, page]), { dataset, page });
  }
  const parts = [...pages.values()].map(({ dataset, page }) => datasetDigest(model, dataset, page, perPage));
  return {
    markdown: parts.map(({ markdown }) => markdown).join("\n\n"),
    datasets: parts.map(({ name, page, pages, total }) => ({ name, page, pages, total })),
  };
}

function datasetDigest(model: VisibleModel, dataset: VisibleDataset, page: number, perPage: number) {
  const { name, ai, fields } = dataset;
  const table = tableName(name);
  const part = pageOf(`the fields of ${table}`, fields, page, perPage);
  // What helps to find it (size, keys, synonyms) stands in the model's digest; whoever asks for page 2 has read page 1.
  const heading =
    page > 1
      ? [`## ${table}`]
      : [
          `## ${words(table, about({ ...dataset, ai: { ...ai, synonyms: [] } }))}`,
          ...block([ai.instructions ?? "", ...more(ai)].join("\n")),
        ];
  const next = `name: ${JSON.stringify(name)}`;
  const line = (field: (typeof fields)[number]) => fieldLine(field, dataset, model);
  const markdown = section(heading.join("\n"), part, line, next);
  return { markdown, name, page, pages: part.pages, total: part.total };
}

function found({ datasets }: VisibleModel, wanted: readonly WantedDataset[]) {
  const named = wanted.map(({ name, page = 1 }) => ({ name, page, dataset: lookUp(datasets, name) }));
  const unknown = named.filter(({ dataset }) => dataset === undefined).map(({ name }) => name);
  if (unknown.length > 0) throw noSuchDatasets([...new Set(unknown)], datasets);
  return named.map(({ dataset, page }) => ({ dataset: dataset as VisibleDataset, page }));
}

/** By its name, also in the quotes in which the digest shows it, or in another case if there is only one such. */
function lookUp(datasets: VisibleDataset[], name: string): VisibleDataset | undefined {
  const exact = datasets.find((dataset) => dataset.name === name || tableName(dataset.name) === name);
  if (exact !== undefined) return exact;
  const [similar, ...others] = datasets.filter(
    (dataset) => dataset.name.toLowerCase() === name.toLowerCase(),
  );
  return others.length === 0 ? similar : undefined;
}

function noSuchDatasets(unknown: string[], datasets: VisibleDataset[]): AppError {
  const names = datasets.map(({ name }) => name);
  const meant = [...new Set(unknown.flatMap((name) => nearest(name, names) ?? []))];
  const hints = [
    ...(meant.length === 0 ? [] : [`Did you mean ${meant.map(tableName).join(", ")}?`]),
    names.length > NAMES_IN_ERROR_MAX
      ? `It has ${names.length} datasets; the model's digest lists them (scope: "datasets").`
      : `Its datasets: ${names.map(tableName).join(", ")}.`,
  ];
  const list = unknown.map((name) => tableName(clip(name))).join(", ");
  const what = unknown.length === 1 ? "dataset" : "datasets";
  return new AppError("not_found", `This model has no ${what} ${list}.`, { hint: hints.join(" ") });
}

interface Page<T> {
  items: T[];
  /** Counts from 1. */
  page: number;
  pages: number;
  /** Items on all pages. */
  total: number;
  /** Items on the pages after this one. */
  left: number;
}

/** One page of a list. An empty list has one empty page. */
function pageOf<T>(what: string, all: readonly T[], page: number, perPage: number): Page<T> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  if (!Number.isInteger(page) || page < 1 || page > pages) {
    const count = pages === 1 ? "1 page" : `${pages} pages`;
    throw new AppError("bad_request", `There is no page ${page}: ${what} fill ${count}.`, {
      hint: pages === 1 ? "Ask for page 1." : `Ask for a page from 1 to ${pages}.`,
      data: { pages },
    });
  }
  const items = all.slice((page - 1) * perPage, page * perPage);
  return { items, page, pages, total: all.length, left: Math.max(0, all.length - page * perPage) };
}

/** A section: its heading with what there is, its lines, and how to get the next page if there is one. */
function section<T>(
  heading: string,
  { items, page, pages, left }: Page<T>,
  line: (item: T) => string,
  next: string,
): string {
  return [
    page === 1 ? heading : `${heading} page ${page} of ${pages}`,
    ...items.map((item) => `- ${line(item)}`),
    ...(left === 0 ? [] : [`${left} more: ${next}, page: ${page + 1}`]),
  ].join("\n");
}
