export { FILE_TYPES, type FileOptions, type ImportedFile, type ImportProgress } from "./detect-format.ts";
export { type FileImports, openFileImports } from "./import-file.ts";
