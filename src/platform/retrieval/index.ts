export { wordsIn } from "./lexical/analysis.ts";
export { fold, isStop, isUnspaced, languageOf, stemOf, withoutAsking } from "./lexical/languages.ts";
export { type Collection, Retrieval } from "./retrieval.ts";
export type {
  Entry,
  Filter,
  Hit,
  KeptVectors,
  Kind,
  Query,
  Source,
  Unembedded,
} from "./types.ts";
