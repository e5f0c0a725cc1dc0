/**
 * Names that can stand side by side in a dataset, where case does not count: a name that is taken or missing
 * gets a number.
 */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, index) => takeName(name, index, taken));
}

/** The name of the column at this place, beside those that are taken; it is taken itself then. */
export function takeName(name: string, place: number, taken: Set<string>): string {
  const wanted = name === "" ? `column_${place + 1}` : name;
  let free = wanted;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${wanted}_${number}`;
  taken.add(free.toLowerCase());
  return free;
}
