import { LIMITS } from "../limits.ts";
import { structureMarkdown } from "./plain-text.ts";
import type { Block, Piece, ReadDocument, StructuredText } from "./read-document.ts";

/** A stretch of the text that goes into one piece as a whole. */
interface Span {
  start: number;
  end: number;
  tokens: number;
  page: number | undefined;
  /** The lines that head a table, repeated above its later rows. */
  head?: string;
  isHeading?: boolean;
}

const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** About as many words and marks as a model would count: four letters each, or one sign of a script that has no letters. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4 + wide);
}

/**
 * Cuts a text into pieces of about the same size, along its structure: a heading begins a piece, paragraphs and rows
 * stay whole where they fit, and what has to be cut inside a section begins with the end of what was before.
 */
export function split({ text, blocks, pages, notes }: StructuredText): ReadDocument {
  const pieces: Piece[] = [];
  const path: { level: number; title: string }[] = [];
  const points = new CodePoints(text);
  let section: Span[] = [];
  // A heading with nothing below it goes with the one that follows.
  let hasBody = false;
  const flush = (): void => {
    const titlePath = path.map(({ title }) => title);
    for (const { content, start, page } of cut(text, section))
      pieces.push({ content, titlePath, page: page ?? null, start: points.at(start) });
    section = [];
    hasBody = false;
  };
  for (const block of blocks) {
    if (block.kind === "heading") {
      if (hasBody) flush();
      const level = block.level ?? 1;
      while (path.length > 0 && (path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({
        level,
        title: (block.title ?? text.slice(block.start, block.end)).slice(0, TITLE_CHARACTERS),
      });
    }
    hasBody ||= block.kind !== "heading";
    // One by one: a long paragraph has more spans than one call takes arguments.
    for (const span of spansOf(text, block)) section.push(span);
  }
  flush();
  const kept = pieces.slice(0, LIMITS.knowledge.chunks);
  const isCut = kept.length < pieces.length;
  const more = isCut ? [`Only the first ${kept.length} passages are searched.`] : [];
  return { text, chunks: kept, pages, notes: [...notes, ...more] };
}

const TITLE_CHARACTERS = 300;

function* cut(
  text: string,
  spans: readonly Span[],
): Generator<{ content: string; start: number; page?: number | undefined }> {
  let open: Span[] = [];
  let tokens = 0;
  for (const span of spans) {
    const isFull = open.length > 0 && tokens + span.tokens > LIMITS.knowledge.chunkTokens;
    // What is quoted of a piece is cited with its page, so that a piece has one.
    const isTurned = open.at(-1)?.page !== span.page && open.some(({ isHeading }) => !isHeading);
    if (isFull || isTurned) {
      yield pieceOf(text, open);
      open = isTurned ? [] : overlapOf(text, open, span);
      tokens = open.reduce((sum, each) => sum + each.tokens, 0);
    }
    open.push(span);
    tokens += span.tokens;
  }
  if (open.length > 0) yield pieceOf(text, open);
}

function pieceOf(
  text: string,
  spans: readonly Span[],
): { content: string; start: number; page?: number | undefined } {
  const first = spans[0] as Span;
  const last = spans.at(-1) as Span;
  const body = text.slice(first.start, last.end).trim();
  const content = first.head === undefined ? body : `${first.head}\n${body}`;
  return { content, start: first.start, page: last.page };
}

/** The last sentences before the cut; rows have their heads instead. */
function overlapOf(text: string, spans: readonly Span[], next: Span): Span[] {
  if (next.head !== undefined) return [];
  const last = spans.at(-1) as Span;
  const room = LIMITS.knowledge.overlapTokens;
  const sentences = sentencesOf(text, last.start, last.end, last.page);
  const kept: Span[] = [];
  let tokens = 0;
  for (const sentence of sentences.reverse()) {
    if (tokens + sentence.tokens > room) break;
    kept.unshift(sentence);
    tokens += sentence.tokens;
  }
  return kept;
}

function spansOf(text: string, block: Block): Span[] {
  const { start, end, page, kind } = block;
  const tokens = estimateTokens(text.slice(start, end));
  const whole = { start, end, page, tokens, isHeading: kind === "heading" };
  if (whole.tokens <= LIMITS.knowledge.chunkTokens / 2) return [whole];
  if (kind === "paragraph") return sentencesOf(text, start, end, page);
  const lines = linesOf(text, start, end, page);
  return kind === "table" ? withHead(text, lines) : lines;
}

/** The first line of a table, and the rule below it where it has one. */
function withHead(text: string, lines: readonly Span[]): Span[] {
  const textOf = ({ start, end }: Span) => text.slice(start, end);
  const second = lines[1];
  const hasRule = second !== undefined && /^[\s|:=+-]+$/.test(textOf(second));
  const heads = lines.slice(0, hasRule ? 2 : 1);
  const head = heads.map(textOf).join("\n");
  // A head that is as large as its rows is none.
  if (estimateTokens(head) > LIMITS.knowledge.chunkTokens / 4) return [...lines];
  return lines.map((line, i) => (i < heads.length ? line : { ...line, head }));
}

const SENTENCE_END = /[.!?…][)"'”’»]*\s+|[。！？]|\n/g;
/** What has no end in sight is cut anywhere. */
const SPAN_CHARACTERS = 1_000;

export function sentencesOf(text: string, start: number, end: number, page?: number): Span[] {
  const spans: Span[] = [];
  const body = text.slice(start, end);
  let from = 0;
  for (const match of body.matchAll(SENTENCE_END)) {
    const to = match.index + match[0].length;
    if (isAbbreviation(body, from, match.index, match[0])) continue;
    spans.push(...bounded(text, start + from, start + to, page));
    from = to;
  }
  if (from < body.length) spans.push(...bounded(text, start + from, end, page));
  return spans;
}

/** "Dr. Who", "z. B. so", "e.g. this", "1. Mai": a short word or a number before the full stop ends no sentence. */
function isAbbreviation(body: string, from: number, at: number, mark: string): boolean {
  if (!mark.startsWith(".")) return false;
  const next = body[at + mark.length] ?? "";
  const word = /(\S+)$/.exec(body.slice(Math.max(from, at - 20), at))?.[1] ?? "";
  if (next !== "" && next === next.toLowerCase() && next !== next.toUpperCase()) return true;
  return /^(?:\p{L}|\p{Lu}\p{Ll}|\d{1,2}|Prof|Mr|Mrs|Ms|St|Nr|No|Abs|Art|bzw|ca|vgl|etc|vs|Inc|Ltd|Co|Jr|Sr|Str|Tel|Fig|Abb|(?:\p{L}\.)+\p{L})$/u.test(
    word.replace(/^[("'„“]/, ""),
  );
}

function linesOf(text: string, start: number, end: number, page: number | undefined): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const found = text.indexOf("\n", from);
    const to = found === -1 || found >= end ? end : found + 1;
    spans.push(...bounded(text, from, to, page));
    from = to;
  }
  return spans;
}

function bounded(text: string, start: number, end: number, page: number | undefined): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    let to = Math.min(end, from + SPAN_CHARACTERS);
    if (to < end) {
      const space = text.slice(from, to).lastIndexOf(" ");
      if (space > 0) to = from + space + 1;
      // A character of two halves stays whole.
      else if (/[\ud800-\udbff]/.test(text[to - 1] ?? "")) to -= 1;
    }
    spans.push({ start: from, end: to, page, tokens: estimateTokens(text.slice(from, to)) });
    from = to;
  }
  return spans;
}

/** Positions in code points, asked for in rising order. */
class CodePoints {
  readonly #text: string;
  #units = 0;
  #points = 0;

  constructor(text: string) {
    this.#text = text;
  }

  at(units: number): number {
    if (units < this.#units) {
      this.#units = 0;
      this.#points = 0;
    }
    for (; this.#units < units; this.#points += 1)
      this.#units += (this.#text.codePointAt(this.#units) ?? 0) > 0xffff ? 2 : 1;
    return this.#points;
  }
}

/** Pieces that follow each other as one text again: what the next one repeats of the one before is said once. */
export function joinOverlapping(pieces: readonly { content: string }[]): string {
  return pieces.reduce((joined, { content }) => {
    if (joined === "") return content;
    for (let length = Math.min(joined.length, content.length, OVERLAP_CHARACTERS); length > 0; length--)
      if (joined.endsWith(content.slice(0, length))) return joined + content.slice(length);
    return `${joined}\n\n${content}`;
  }, "");
}

/** What one piece repeats of another is not longer. */
const OVERLAP_CHARACTERS = 8 * LIMITS.knowledge.overlapTokens;

/** The pieces of a text that came as one, along its headings if it has any. */
export function splitText(text: string): readonly Piece[] {
  return split(structureMarkdown(text.replace(/\r\n?/g, "\n"))).chunks;
}
