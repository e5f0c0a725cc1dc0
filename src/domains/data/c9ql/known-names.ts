import { isPlain, WORD_CHARACTER } from "./keywords.ts";

/** Finds known names in a text that could not be read as plain words: `Sub-Category`, `Terms and Conditions`. */
export interface KnownNames {
  /** The longest known name that stands at this offset, with the length of its text. */
  at(text: string, offset: number): { name: string; length: number } | undefined;
}

/** Names with the same first character, by their text in lower case; and their lengths, longest first. */
interface Bucket {
  names: Map<string, string>;
  lengths: number[];
}

export function knownNames(names: Iterable<string>): KnownNames | undefined {
  const buckets = new Map<string, Bucket>();
  for (const name of names) {
    const key = name.toLowerCase();
    // A name whose length changes in lower case cannot be cut out of the text by its length.
    if (name.trim() === "" || isPlain(name) || key.length !== name.length) continue;
    const bucket = buckets.get(key[0] as string) ?? { names: new Map(), lengths: [] };
    buckets.set(key[0] as string, bucket);
    if (!bucket.names.has(key)) bucket.names.set(key, name);
  }
  if (buckets.size === 0) return undefined;
  for (const bucket of buckets.values()) {
    bucket.lengths = [...new Set([...bucket.names.keys()].map((key) => key.length))].sort((a, b) => b - a);
  }
  return { at: (text, offset) => find(buckets, text, offset) };
}

function find(buckets: ReadonlyMap<string, Bucket>, text: string, offset: number) {
  const bucket = buckets.get((text[offset] as string).toLowerCase());
  if (bucket === undefined || joins(text, offset - 1, offset)) return undefined;
  for (const length of bucket.lengths) {
    const written = text.slice(offset, offset + length);
    const key = written.toLowerCase();
    if (written.length !== length || joins(text, offset + length - 1, offset + length)) continue;
    const name = bucket.names.get(key);
    if (name !== undefined) return { name, length };
  }
  return undefined;
}

/** Whether two neighbouring characters belong to one word. */
function joins(text: string, left: number, right: number): boolean {
  if (left < 0 || right >= text.length) return false;
  return WORD_CHARACTER.test(text[left] as string) && WORD_CHARACTER.test(text[right] as string);
}
