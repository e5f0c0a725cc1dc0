/** What other slices read words with; apart from the slice's own index, which a thread would load whole. */
export { ENGLISH_GLOSSARY } from "./english/glossary.ts";
export { GLOSSARY } from "./german/glossary.ts";
export { foldGerman, stemGerman } from "./german/stem.ts";
export { fold, phraseKey, stem } from "./words.ts";
