import { LIMITS } from "./limits.ts";

/** Begins with no dot: ".." is impossible and ".tmp" is ours. Ends with none: Windows would drop it. */
const SEGMENT = /^[A-Za-z0-9_](?:[A-Za-z0-9._=-]*[A-Za-z0-9_=-])?$/;

export function isBlobKey(key: string): boolean {
  const segments = key.split("/");
  const { keyCharacters, segmentCharacters } = LIMITS.blobs;
  return (
    key.length <= keyCharacters &&
    segments.length <= LIMITS.blobs.segments &&
    segments.every((segment) => segment.length <= segmentCharacters && SEGMENT.test(segment))
  );
}

/** The parts of a key. Keys come from our own code, so a bad one is a bug and not an expected failure. */
export function keySegments(key: string): string[] {
  if (!isBlobKey(key)) throw new TypeError(`not a key of a blob: ${JSON.stringify(key.slice(0, 80))}`);
  return key.split("/");
}

export function prefixSegments(prefix: string): string[] {
  if (prefix === "") return [];
  if (!prefix.endsWith("/"))
    throw new TypeError(`not a prefix of blobs: ${JSON.stringify(prefix.slice(0, 80))}`);
  return keySegments(prefix.slice(0, -1));
}
