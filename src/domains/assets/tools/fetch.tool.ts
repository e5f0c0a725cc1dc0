import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { type AssetsContext, callFrom, defineTool, pageOf } from "../define.ts";
import { LIMITS } from "../limits.ts";

interface Fetched {
  title: string;
  text: string;
  metadata?: Record<string, unknown>;
}

type Reader = (id: string, context: AssetsContext) => Promise<Fetched>;

const readDocument: Reader = async (id, context) => {
  const read = await callFrom<{ name: string; content: string; has_more: boolean; total_length: number }>(
    context,
    "read_document",
    { document_id: Number(id) },
  );
  const { name, content, has_more: isCut, total_length: characters } = read;
  const rest = context.say(
    `\n\n[The first ${content.length} of ${characters} characters; {tool:read_document} reads the rest.]`,
  );
  return { title: name, text: isCut ? content + rest : content, metadata: { characters } };
};

const readMemory: Reader = async (id, context) => {
  const { title, content, ...metadata } = await callFrom<Fetched & { content: string }>(
    context,
    "get_memory",
    { memory_id: id },
  );
  return { title, text: content, metadata: { ...metadata } };
};

/** Whatever else there is: what is known of it and, where it has rows, the first of them. */
async function readAsset(type: string, id: string, context: AssetsContext): Promise<Fetched> {
  const asset = { asset_type: type, asset_id: Number(id) };
  const { details } = await callFrom<{ details: Record<string, unknown> }>(context, "get_details", asset);
  const title = String(details.name ?? `${type} ${id}`);
  if (!context.assets.names("rows").includes(type)) return { title, text: JSON.stringify(details, null, 1) };
  const data = await callFrom<{ columns: { name: string }[]; rows: object[]; totalRows: number }>(
    context,
    "get_data",
    { [`${type}_id`]: Number(id), limit: LIMITS.search.fetchedRows },
  );
  const shown = data.rows.map((row) => JSON.stringify(row)).join("\n");
  const heading = `The first ${data.rows.length} of ${data.totalRows} rows:`;
  return { title, text: `${JSON.stringify(details, null, 1)}\n\n${heading}\n${shown}` };
}

/** Reads what `search` has found; the form of both is the one that research clients ask for. */
export const fetch = defineTool({
  name: "fetch",
  toolset: "data",
  title: "Fetch",
  description: "The text of what search found; of a dataset its columns and first rows.",
  permission: null,
  effect: "read",
  input: z.strictObject({ id: z.string() }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),

  async run({ id }, context) {
    const [, type = "", key = ""] = /^([a-z]+):(.+)$/s.exec(id) ?? [];
    const isNumber = /^\d{1,15}$/.test(key);
    if (type === "" || (type !== "memory" && !isNumber))
      throw new AppError("bad_request", `"${id.slice(0, 80)}" is no id of something that can be fetched.`, {
        hint: "Use an id as search gives it, such as document:12 or dataset:3.",
      });
    const read: Reader =
      type === "document" ? readDocument : type === "memory" ? readMemory : (k, c) => readAsset(type, k, c);
    return { id, url: pageOf(context, type, key), ...(await read(key, context)) };
  },
});
