/** A row is not wider: what stands further right is left out. */
const MOST_COLUMNS = 1_024;

/** A table that is open. A cell holds blocks like those of a document. */
interface OpenTable {
  rows: string[][][];
  cell: string[] | undefined;
  /** With another table inside it is there to place things, and no table of values. */
  isLayout: boolean;
}

/** A paragraph that waits until another one, which stands inside it, has ended. */
export interface HeldParagraph {
  text: string;
  isItem: boolean;
}

/** Collects paragraphs, headings and tables of whatever format as Markdown. */
export class MarkdownWriter {
  readonly #blocks: string[] = [];
  #paragraph = "";
  #isItem = false;
  /** The innermost last. */
  readonly #tables: OpenTable[] = [];

  text(text: string): void {
    this.#paragraph += text;
  }

  /** The paragraph that is open is an item of a list. */
  listItem(): void {
    this.#isItem = true;
  }

  heading(level: number, title: string): void {
    this.endParagraph();
    this.#paragraph = title;
    this.endParagraph(level);
  }

  /** Code, or anything else that stays as it is. */
  verbatim(text: string): void {
    this.endParagraph();
    if (text.trim() !== "") this.#target.push(`\`\`\`\n${text.replaceAll("```", "'''")}\n\`\`\``);
  }

  hold(): HeldParagraph {
    const held = { text: this.#paragraph, isItem: this.#isItem };
    this.#paragraph = "";
    this.#isItem = false;
    return held;
  }

  release({ text, isItem }: HeldParagraph): void {
    this.#paragraph = text;
    this.#isItem = isItem;
  }

  endParagraph(level?: number): void {
    const { text: collected, isItem } = this.hold();
    const text = collected
      .replace(/[ \t\u00a0]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .trim();
    if (text === "") return;
    if (level !== undefined && level >= 1)
      this.#target.push(`${"#".repeat(Math.min(6, level))} ${text.replace(/\s+/g, " ")}`);
    else if (isItem) this.#item(text);
    else this.#target.push(text);
  }

  beginTable(): void {
    this.endParagraph();
    this.#tables.push({ rows: [], cell: undefined, isLayout: false });
  }

  beginRow(): void {
    this.#tables.at(-1)?.rows.push([]);
  }

  beginCell(): void {
    this.endParagraph();
    const table = this.#tables.at(-1);
    if (table !== undefined) table.cell = [];
  }

  /** `times` where it stands for several cells side by side. */
  endCell(times = 1): void {
    this.endParagraph();
    const table = this.#tables.at(-1);
    const row = table?.rows.at(-1);
    if (table === undefined || row === undefined) return;
    const cell = table.cell ?? [];
    table.cell = undefined;
    for (let i = Math.min(times, MOST_COLUMNS - row.length); i > 0; i -= 1) row.push(cell);
  }

  /** Programs fill rows up with empty cells to the edge of the sheet. */
  endRow(): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) table.cell = undefined;
    const row = table?.rows.at(-1);
    while (row?.at(-1)?.length === 0) row.pop();
  }

  /** A table whose rows have one cell each is none: its paragraphs follow each other. */
  endTable(): void {
    this.endParagraph();
    const { rows: all = [], isLayout = false } = this.#tables.pop() ?? {};
    const rows = all.filter((row) => row.some((cell) => cell.length > 0));
    if (rows.length === 0) return;
    const isPlain = rows.every((row) => row.filter((cell) => cell.length > 0).length <= 1);
    const blocks = isLayout || isPlain ? rows.flat(2) : [tableOf(rows.map((row) => row.map(cellText)))];
    const around = this.#tables.findLast(({ cell }) => cell !== undefined);
    if (around !== undefined) around.isLayout = true;
    for (const block of blocks) this.#target.push(block);
  }

  take(): string {
    while (this.#tables.length > 0) this.endTable();
    this.endParagraph();
    return this.#blocks.splice(0).join("\n\n");
  }

  /** The cell that is open, or the document. */
  get #target(): string[] {
    return this.#tables.findLast(({ cell }) => cell !== undefined)?.cell ?? this.#blocks;
  }

  /** Items of one list hold together. */
  #item(text: string): void {
    const blocks = this.#target;
    const last = blocks.at(-1);
    const line = `- ${text}`;
    if (last?.startsWith("- ")) blocks[blocks.length - 1] = `${last}\n${line}`;
    else blocks.push(line);
  }
}

/** Content of a cell, in one line. */
function cellText(blocks: readonly string[]): string {
  const plain = blocks.map((block) => block.replace(/^(?:#{1,6}|-) /gm, ""));
  return plain.join(" ").replace(/\s+/g, " ").replaceAll("|", "\\|");
}

/** Rows as a table whose first row is its head. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, i) => row[i] ?? "").join(" | ")} |`;
  const [head = [], ...rest] = rows;
  return [line(head), `|${" --- |".repeat(width)}`, ...rest.map(line)].join("\n");
}
