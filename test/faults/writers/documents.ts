import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { KilledServer, Writer } from "../killed-server.ts";

const WRITERS = 3;
/** Each section is a passage: three documents are enough for an index to be sealed. */
const SECTIONS = 700;
const SEARCHED_AT_ONCE = 8;

/**
 * Documents, killed while they are read, embedded and put into sealed segments: each one that was acknowledged is found
 * afterwards, and none is found twice.
 */
export class DocumentsWriter implements Writer {
  readonly #server: KilledServer;
  readonly #documents = new Map<number, "acknowledged" | "unanswered">();
  #base = 0;
  #lastNumber = 0;
  #verified = 0;
  #sealed = 0;

  constructor(server: KilledServer) {
    this.#server = server;
  }

  async write(stop: AbortSignal): Promise<void> {
    if (this.#base === 0) {
      const made = await this.#server.resultOf<{ knowledge_base_id: number }>("create_knowledge_base", {
        name: "Files",
      });
      this.#base = made.knowledge_base_id;
    }
    await Promise.all(Array.from({ length: WRITERS }, () => this.#add(stop)));
  }

  async autopsy(): Promise<void> {
    const folder = join(this.#server.kenning.dataFolder, "retrieval");
    const segments = existsSync(folder) ? readdirSync(folder) : [];
    this.#sealed += segments.filter((name) => name.endsWith(".index")).length;
  }

  async verify(isAll: boolean): Promise<void> {
    await this.#untilAllRead();
    const numbers = [...this.#documents.keys()].filter((number) => isAll || number > this.#verified);
    this.#verified = this.#lastNumber;
    for (let at = 0; at < numbers.length; at += SEARCHED_AT_ONCE)
      await Promise.all(numbers.slice(at, at + SEARCHED_AT_ONCE).map((number) => this.#settle(number)));
  }

  report(): string {
    return `${this.#documents.size} documents found once each; a sealed segment was there ${this.#sealed} times`;
  }

  async #add(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      this.#lastNumber += 1;
      const number = this.#lastNumber;
      this.#documents.set(number, "unanswered");
      const file = { file_name: `number-${number}.md`, content: textOf(number) };
      try {
        await this.#server.resultOf("add_document", { knowledge_base_id: this.#base, ...file });
        this.#documents.set(number, "acknowledged");
      } catch {
        return;
      }
    }
  }

  async #untilAllRead(): Promise<void> {
    const unread = async () => {
      const { documents } = await this.#server.resultOf<{ documents: { index_status: string }[] }>(
        "list_documents",
        { limit: 200, knowledge_base_id: this.#base },
      );
      return documents.filter(({ index_status }) => index_status !== "success").length;
    };
    await expect.poll(unread, { timeout: 180_000, interval: 500 }).toBe(0);
  }

  async #settle(number: number): Promise<void> {
    const { records } = await this.#server.resultOf<{ records: { content: string }[] }>("search_documents", {
      query: mark(number),
      max_results: 20,
    });
    const found = records.filter(({ content }) => content.includes(mark(number))).length;
    if (this.#documents.get(number) === "acknowledged") expect([number, found]).toEqual([number, 1]);
    else if (found === 0) this.#documents.delete(number);
    else this.#documents.set(number, "acknowledged");
  }
}

function textOf(number: number): string {
  const sections = Array.from(
    { length: SECTIONS },
    (_, n) => `## Part ${n}\n\nThe lamp ${n} of number ${number}.`,
  );
  sections[number % SECTIONS] += ` Its mark is ${mark(number)}.`;
  return sections.join("\n\n");
}

function mark(number: number): string {
  return `mark${number}end`;
}
