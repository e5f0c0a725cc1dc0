import { z } from "zod";
import { isAppError } from "../../../kernel/errors.ts";
import { type AssetsContext, callFrom, defineTool, pageOf } from "../define.ts";
import { LIMITS } from "../limits.ts";

const { everywhere: MOST } = LIMITS.search;

interface Found {
  id: string;
  title: string;
  url: string;
  text?: string;
}

/** Each source is a tool of its own, whose rights and limits hold; one that the caller may not use finds nothing. */
const SOURCES: readonly ((query: string, context: AssetsContext) => Promise<Found[]>)[] = [
  async (query, context) => {
    const found = await callFrom<{
      records: { content: string; title: string; document_id: number }[];
    }>(context, "search_documents", { query, max_results: MOST });
    return found.records.map(({ content, title, document_id: id }) => ({
      id: `document:${id}`,
      title,
      url: pageOf(context, "document", id),
      text: content,
    }));
  },
  async (query, context) => {
    const found = await callFrom<{ hits: { memory_id: string; title: string; content: string }[] }>(
      context,
      "recall",
      { query, k: MOST },
    );
    return found.hits.map(({ memory_id: id, title, content }) => ({
      id: `memory:${id}`,
      title,
      url: pageOf(context, "memory", id),
      text: content,
    }));
  },
  async (query, context) => {
    const found = await callFrom<{ results: { asset_type: string; id: number; name: string }[] }>(
      context,
      "search_assets",
      { query, limit: MOST },
    );
    return found.results.map(({ asset_type: type, id, name }) => ({
      id: `${type}:${id}`,
      title: name,
      url: pageOf(context, type, id),
    }));
  },
];

/** The first of the two tools by which research clients, such as ChatGPT's, read a server; `fetch` is the other. */
export const search = defineTool({
  name: "search",
  toolset: "data",
  title: "Search",
  description: "Documents, memories, datasets and dashboards by words and meaning.",
  permission: null,
  effect: "read",
  input: z.strictObject({ query: z.string().min(1).max(2_000) }),
  output: z.object({
    results: z.array(
      z.object({ id: z.string(), title: z.string(), url: z.string(), text: z.string().optional() }),
    ),
  }),

  async run({ query }, context) {
    const lists = await Promise.all(
      SOURCES.map((source) =>
        source(query, context).catch((error: unknown) => {
          if (isAppError(error) && error.code === "forbidden") return [];
          throw error;
        }),
      ),
    );
    return { results: interleaved(lists).slice(0, MOST) };
  },
});

/** Scores of different engines cannot be compared: the first of each list, then the second; a document once. */
function interleaved(lists: readonly Found[][]): Found[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const ranked = Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? []));
  const once = new Map<string, Found>();
  for (const found of ranked.flat()) if (!once.has(found.id)) once.set(found.id, found);
  return [...once.values()];
}
