import type { VisibleModel } from "../visible-model.ts";
import { block, oneLine } from "./inline.ts";
import { about, datasetLine, metricLine, more, relationshipLine, words } from "./lines.ts";
import { type Page, pageOf, section } from "./pages.ts";
import { tableName } from "./sql-name.ts";

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
