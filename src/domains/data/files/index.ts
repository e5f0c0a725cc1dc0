export {
  FILE_TYPES,
  type FileOptions,
  type ImportedFile,
  type ImportProgress,
} from "./file-import.ts";
export { type FileImports, openFileImports } from "./import-file.ts";
