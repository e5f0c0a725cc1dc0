export const LIMITS = {
  blobs: {
    /** Longest key of a blob. */
    keyCharacters: 512,
    /** Longest part of a key between two slashes. */
    segmentCharacters: 200,
    /** Most parts of a key. */
    segments: 16,
  },
} as const;
