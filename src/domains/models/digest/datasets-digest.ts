import { clip } from "../../../kernel/clip.ts";
import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { LIMITS } from "../limits.ts";
import type { VisibleDataset, VisibleModel } from "../visible-model.ts";
import { block } from "./inline.ts";
import { about, fieldLine, more, words } from "./lines.ts";
import { pageOf, section } from "./pages.ts";
import { tableName } from "./sql-name.ts";

/** More names than these are no help in an error; the model's digest lists them. */
const NAMES_IN_ERROR_MAX = 30;

export interface WantedDataset {
  name: string;
  page?: number;
}

export interface DatasetsDigest {
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
