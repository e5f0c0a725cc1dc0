/** About how many characters a value has as JSON, without writing it; counting ends when it is more than `most`. */
export function jsonSize(value: unknown, most: number): number {
  const waiting: object[] = [];
  const sizeOf = (item: unknown): number => {
    if (typeof item === "string") return item.length + 3;
    if (typeof item === "object" && item !== null) waiting.push(item);
    return 6;
  };
  let size = sizeOf(value);
  for (let next = waiting.pop(); next !== undefined && size <= most; next = waiting.pop()) {
    if (Array.isArray(next)) for (const item of next) size += sizeOf(item);
    else for (const name in next) size += name.length + 3 + sizeOf(next[name as keyof typeof next]);
  }
  return size;
}
