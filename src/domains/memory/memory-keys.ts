import { randomInt } from "node:crypto";
import { LIMITS } from "./limits.ts";

const WORDS = 6;
const SLUG_CHARACTERS = 48;
const SUFFIX_CHARACTERS = 5;
const LETTERS: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  æ: "ae",
  ø: "o",
  ł: "l",
};
/** Little words that say nothing about what it is. */
const LITTLE = new Set(
  "a an the of and or for to in on at is are was der die das des dem den ein eine und oder von zu im ist".split(
    " ",
  ),
);

/** An id that people can read: what it is about and the month, such as `memory_qm_training_mandatory_2026_05`. */
export function readableKey(prefix: "memory" | "doc", text: string, now: Date): string {
  const month = now.toISOString().slice(0, 7).replace("-", "_");
  const slug = slugOf(text);
  return [prefix, ...(slug === "" ? [] : [slug]), month].join("_");
}

/** `memory_address_v1` becomes `memory_address_v2`, and what has no number `…_v2`. */
export function nextKey(key: string, version: number): string {
  const [, stem = key, number] = /^(.*)_v(\d{1,6})$/.exec(key) ?? [];
  const next = Math.max(version + 1, number === undefined ? 0 : Number(number) + 1);
  return `${stem.slice(0, LIMITS.memory.idCharacters - 20)}_v${next}`;
}

/** For an id that is taken. */
export function withSuffix(key: string): string {
  const suffix = Array.from({ length: SUFFIX_CHARACTERS }, () => randomInt(36).toString(36)).join("");
  return `${key.slice(0, LIMITS.memory.idCharacters - SUFFIX_CHARACTERS - 1)}_${suffix}`;
}

/** What a text is about, in a few plain words joined by `_`; empty where it has none. */
export function slugOf(text: string): string {
  const plain = text
    .slice(0, 500)
    .toLowerCase()
    .replace(/[äöüßæøł]/g, (letter) => LETTERS[letter] ?? "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "");
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter((word) => !LITTLE.has(word)).slice(0, WORDS);
  let slug = "";
  for (const word of telling) {
    if (slug.length + word.length > SLUG_CHARACTERS) break;
    slug += slug === "" ? word : `_${word}`;
  }
  return slug || (telling[0] ?? "").slice(0, SLUG_CHARACTERS);
}
