/** What a document may be, by the end of its name. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  txt: "text/plain",
  text: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  xml: "application/xml",
  html: "text/html",
  htm: "text/html",
  xhtml: "application/xhtml+xml",
  svg: "image/svg+xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xlsb: "application/vnd.ms-excel.sheet.binary.macroenabled.12",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  rtf: "application/rtf",
  epub: "application/epub+zip",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  msg: "application/vnd.ms-outlook",
  eml: "message/rfc822",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
};

/** A browser shows these without running anything in them. */
const PREVIEWABLE: ReadonlySet<string> = new Set([
  "application/pdf",
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "text/plain",
  "text/markdown",
  "text/csv",
]);

export function isPreviewable(mimeType: string): boolean {
  return PREVIEWABLE.has(mimeType);
}

export function mimeTypeOf(extension: string): string {
  return (Object.hasOwn(MIME_TYPES, extension) && MIME_TYPES[extension]) || "application/octet-stream";
}

/** In lower case and without its dot; empty where there is none. */
export function extensionOf(name: string): string {
  return /[^.]\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** Whether files with this ending are texts, and come as they are where they come inline. */
export function isTextual(extension: string): boolean {
  return /^text\/|json$|xml$|yaml$|^message\//.test(mimeTypeOf(extension));
}
