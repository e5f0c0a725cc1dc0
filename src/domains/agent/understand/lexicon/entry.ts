import type { Sense } from "../senses/fragment.ts";

/** What a phrase can mean. */
export interface Entry {
  sense: Sense;
  cost: number;
  /** What it is taken for, where nobody calls it so. */
  taken?: string;
  /** Only in its plural. */
  isOfMany?: true;
}

/** The entries of a phrase by their senses: hundreds of fields may have the same value. */
const bySense = new WeakMap<Entry[], Map<string, Entry>>();

export function put(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  if (key === "") return;
  const known = map.get(key) ?? [];
  const senses = bySense.get(known) ?? new Map<string, Entry>();
  const text = JSON.stringify(entry.sense);
  const same = senses.get(text);
  if (same !== undefined) {
    same.cost = Math.min(same.cost, entry.cost);
    return;
  }
  known.push(entry);
  map.set(key, known);
  bySense.set(known, senses.set(text, entry));
}
