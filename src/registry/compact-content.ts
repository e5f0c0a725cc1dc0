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
}

/** A file as an embedded resource, as text where it is one, or as a link; and what is to be known of it beside. */
export function compactFile(output: FileOutput): CompactResult {
  const { content_base64: base64 = "", ...facts } = output;
  if (output.download_url !== undefined) return linkedFile(output, output.download_url);
  const uri = `kenning://exports/${encodeURIComponent(output.file_name)}`;
  const isText = /^text\/|^application\/json\b/.test(output.mime_type);
  const body = isText ? { text: Buffer.from(base64, "base64").toString("utf8") } : { blob: base64 };
  const structured = { ...facts, file_uri: uri };
  return {
    content: [
      { type: "text", text: JSON.stringify(structured) },
      { type: "resource", resource: { uri, mimeType: output.mime_type, ...body } },
    ],
    structured,
  };
}

function linkedFile(output: FileOutput, uri: string): CompactResult {
  const link = { type: "resource_link", uri, name: output.file_name, mimeType: output.mime_type };
  return {
    content: [
      { type: "text", text: JSON.stringify(output) },
      { ...link, ...(output.bytes !== undefined && { size: output.bytes }) },
    ],
  };
}
