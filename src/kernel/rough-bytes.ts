const OF_ENTRY = 16;

/** About how much memory a value takes that is made of plain objects, lists and texts: enough to bound a cache by it. */
export function roughBytes(value: unknown): number {
  if (typeof value === "string" || value instanceof String) return OF_ENTRY + value.length;
  if (ArrayBuffer.isView(value)) return OF_ENTRY + value.byteLength;
  if (typeof value !== "object" || value === null) return OF_ENTRY;
  let bytes = OF_ENTRY;
  for (const name in value) bytes += OF_ENTRY + roughBytes((value as Record<string, unknown>)[name]);
  return bytes;
}
