export interface NamedColumns {
  names: string[];
  /** Positions count from 1. */
  renamed: { position: number; from: string; to: string }[];
}

/**
 * Names that can stand side by side in a dataset, where case does not count. They are kept as they are; one that
 * is missing or taken gets a number.
 */
export function distinctNames(headers: readonly string[]): NamedColumns {
  const taken = new Set(headers.filter(hasName).map((name) => name.toLowerCase()));
  const given = new Set<string>();
  const lastNumber = new Map<string, number>();
  const renamed: NamedColumns["renamed"] = [];
  const names = headers.map((header, index) => {
    const isNamed = hasName(header);
    if (isNamed && !given.has(header.toLowerCase())) return keep(header);
    const stem = isNamed ? header : "column";
    let number = isNamed ? (lastNumber.get(header.toLowerCase()) ?? 1) + 1 : index + 1;
    while (taken.has(`${stem}_${number}`.toLowerCase())) number += 1;
    if (isNamed) lastNumber.set(header.toLowerCase(), number);
    const name = keep(`${stem}_${number}`);
    renamed.push({ position: index + 1, from: header, to: name });
    return name;
  });
  return { names, renamed };

  function keep(name: string): string {
    given.add(name.toLowerCase());
    taken.add(name.toLowerCase());
    return name;
  }
}

function hasName(header: string): boolean {
  return header.trim() !== "";
}
