/** Bounds on the files of a semantic model. Units come last in the name. */
export const FORMAT_LIMITS = {
  /** Files that are read together. */
  files: 2_000,
  /** Largest single file. */
  fileBytes: 2 * 1024 * 1024,
  /** All files that are read together. */
  totalBytes: 8 * 1024 * 1024,
  /** Words, signs and line breaks of all files together: reading one takes a few microseconds. */
  tokens: 400_000,
  /** Values of a file after its aliases have been followed. */
  values: 200_000,
  /** Characters of a file after its aliases have been followed. */
  characters: 8 * 1024 * 1024,
  /** Deepest nesting of a file. */
  depth: 40,
  /** Longest name of a model. */
  modelNameCharacters: 100,
  /** Longest name of anything else. */
  nameCharacters: 200,
  /** Problems that are listed for one model or for the files as a whole; the rest is counted. */
  problems: 200,
  /** Changes that are printed; the rest is counted. */
  printedChanges: 200,
} as const;
