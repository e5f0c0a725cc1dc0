/** Values of the brute force, and how they are compared. */
export type Value = string | number | null;

export function compared(a: Value, op: string, b: Value): boolean | null {
  if (a === null || b === null) return null;
  switch (op) {
    case "=":
      return a === b;
    case "<>":
      return a !== b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    default:
      return a >= b;
  }
}

export function isBefore(a: Value, b: Value, dir: "max" | "min"): boolean {
  return compared(a, dir === "max" ? ">" : "<", b) === true;
}

/** Whether somebody with these before them is among the first; with places left out, those that share one count once. */
export function isPlaced(better: Value[], { n, skip }: { n: number; skip?: number | undefined }): boolean {
  if (skip === undefined) return better.length < n;
  const place = new Set(better).size;
  return place >= skip && place < skip + n;
}

/** What is unknown comes last. */
export function ranksBefore(a: Value, b: Value, dir: "max" | "min"): boolean {
  if (a === null || b === null) return a !== null && b === null;
  return isBefore(a, b, dir);
}

/** The same day some months later; only first days of months are moved. */
export function moved(day: string, months: number): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  const date = new Date(Date.UTC(year, month - 1 + months, 1));
  return `${date.toISOString().slice(0, 7)}-${day.slice(8, 10)}`;
}
