import type { ContentBlock } from "./define-tool.ts";

/** A result as `/mcp` gives it, where no contract prints it: nothing in it twice that need not be. */
export interface CompactResult {
  content: string | ContentBlock[];
  /** What stands in `structuredContent`, where that is not the whole output. */
  structured?: Record<string, unknown>;
}

interface RowsOutput {
  columns: readonly (string | { name: string })[];
  rows: readonly Record<string, unknown>[];
}

/** Rows as JSON arrays, one a line, below the names of their columns: decision 0016 says what that saves. */
export function compactRows<Output extends RowsOutput>(output: Output): CompactResult {
  const names = output.columns.map((column) => (typeof column === "string" ? column : column.name));
  const lines = output.rows.map((row) => JSON.stringify(names.map((name) => row[name] ?? null)));
  const written = { rows: lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n]` };
  const fields = Object.entries(output)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${key === "rows" ? written.rows : JSON.stringify(value)}`);
  return { content: `{${fields.join(",")}}` };
}

interface FileOutput extends Record<string, unknown> {
  file_name: string;
  mime_type: string;
  content_base64?: string | undefined;
  download_url?: string | undefined;
  bytes?: number | undefined;
  files?: readonly Record<string, unknown>[] | undefined;
}

/** A file, or several, as embedded resources, as text where they are one, or as links, and what is to be known of them beside. */
export function compactFile(output: FileOutput): CompactResult {
  const files = output.files as readonly FileOutput[] | undefined;
  const structured =
    files === undefined ? withoutContent(output) : { ...output, files: files.map(withoutContent) };
  const isThere = ({ content_base64, download_url }: FileOutput) =>
    content_base64 !== undefined || download_url !== undefined;
  const all = files?.filter(isThere) ?? [output];
  return {
    content: [{ type: "text", text: JSON.stringify(structured) }, ...all.map(resourceOf)],
    structured,
  };
}

function withoutContent({ content_base64: base64, ...facts }: FileOutput): Record<string, unknown> {
  return base64 === undefined ? facts : { ...facts, file_uri: uriOf(facts.file_name as string) };
}

function resourceOf(file: FileOutput): ContentBlock {
  const { file_name, mime_type, content_base64: base64 = "", download_url: uri, bytes } = file;
  if (uri !== undefined) {
    const size = bytes === undefined ? {} : { size: bytes };
    return { type: "resource_link", uri, name: file_name, mimeType: mime_type, ...size };
  }
  const isText = /^text\/|^application\/json\b/.test(mime_type);
  const body = isText ? { text: Buffer.from(base64, "base64").toString("utf8") } : { blob: base64 };
  return { type: "resource", resource: { uri: uriOf(file_name), mimeType: mime_type, ...body } };
}

function uriOf(fileName: string): string {
  return `kenning://exports/${encodeURIComponent(fileName)}`;
}
