/** A row is not wider: what stands further right is left out. */
const MOST_COLUMNS = 1_024;

/** Collects paragraphs, headings and tables of whatever format as Markdown. */
export class MarkdownWriter {
  readonly #blocks: string[] = [];
  #paragraph = "";
  #isItem = false;
  /** Rows of the tables that are open, the innermost last. */
  readonly #tables: string[][][] = [];
  #cell: string[] | undefined;

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
    if (text.trim() !== "") this.#blocks.push(`\`\`\`\n${text.replaceAll("```", "'''")}\n\`\`\``);
  }

  endParagraph(level?: number): void {
    const text = this.#paragraph
      .replace(/[ \t\u00a0]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .trim();
    const isItem = this.#isItem;
    this.#paragraph = "";
    this.#isItem = false;
    if (text === "") return;
    if (this.#cell !== undefined) this.#cell.push(text);
    else if (level !== undefined && level >= 1) this.#heading(level, text);
    else if (isItem) this.#item(text);
    else this.#blocks.push(text);
  }

  beginTable(): void {
    this.endParagraph();
    this.#tables.push([]);
    this.#cell = undefined;
  }

  beginRow(): void {
    this.#tables.at(-1)?.push([]);
  }

  beginCell(): void {
    this.endParagraph();
    this.#cell = [];
  }

  /** `times` where it stands for several cells side by side. */
  endCell(times = 1): void {
    this.endParagraph();
    const text = (this.#cell ?? []).join(" ").replace(/\s+/g, " ").replaceAll("|", "\\|");
    this.#cell = undefined;
    const row = this.#tables.at(-1)?.at(-1);
    for (let i = 0; i < Math.min(times, MOST_COLUMNS - (row?.length ?? 0)); i += 1) row?.push(text);
  }

  /** Programs fill rows up with empty cells to the edge of the sheet. */
  endRow(): void {
    this.#cell = undefined;
    const row = this.#tables.at(-1)?.at(-1);
    while (row?.at(-1) === "") row.pop();
  }

  endTable(): void {
    const rows = (this.#tables.pop() ?? []).filter((row) => row.some((cell) => cell !== ""));
    this.#cell = undefined;
    if (rows.length > 0) this.#blocks.push(tableOf(rows));
  }

  take(): string {
    this.endParagraph();
    return this.#blocks.splice(0).join("\n\n");
  }

  #heading(level: number, text: string): void {
    this.#blocks.push(`${"#".repeat(Math.min(6, level))} ${text.replace(/\s+/g, " ")}`);
  }

  /** Items of one list hold together. */
  #item(text: string): void {
    const last = this.#blocks.at(-1);
    const line = `- ${text}`;
    if (last?.startsWith("- ")) this.#blocks[this.#blocks.length - 1] = `${last}\n${line}`;
    else this.#blocks.push(line);
  }
}

/** Rows as a table whose first row is its head. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, i) => row[i] ?? "").join(" | ")} |`;
  const [head = [], ...rest] = rows;
  return [line(head), `|${" --- |".repeat(width)}`, ...rest.map(line)].join("\n");
}
