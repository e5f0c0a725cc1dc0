/** About as many bytes as the value takes as JSON. */
function sizeOfValue(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? JSON.stringify(value).length : 8;
}

export function sizeOfRow(row: readonly unknown[]): number {
  let size = 0;
  for (const value of row) size += sizeOfValue(value);
  return size;
}
