export { looksLikeBase64 } from "./base64.ts";
export { excerptOf, megabytes } from "./excerpts.ts";
export {
  ElementSplitter,
  type JsonElement,
  type JsonKind,
  JsonScanner,
  type JsonVisitor,
} from "./json-scanner.ts";
export { hasSignature, isPlainText, magicOf } from "./magic.ts";
export { entryStream, type Relation, readRelations, readXmlEntry, relationIn } from "./office-parts.ts";
export { ReceivedFiles } from "./received-files.ts";
export { emptyFile, type FileSource, headOf, readSource, type SourceFile } from "./source.ts";
export { type PlainFile, unpack } from "./unpack.ts";
export { localName, type XmlEvents, XmlStream } from "./xml-stream.ts";
export { fileChunks, type ZipEntry, type ZipErrors, ZipFile } from "./zip.ts";
