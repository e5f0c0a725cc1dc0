export {
  type DetectedFile,
  FILE_TYPES,
  type FileImport,
  type FileOptions,
  type FileType,
  type ImportedFile,
  type ImportProgress,
} from "./file-import.ts";
export { type FileImports, type FileImportsOptions, openFileImports } from "./import-file.ts";
