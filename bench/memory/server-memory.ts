import { mkdtempSync, rmSync, writeFileSync } from "node:fs";

import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Fact } from "./facts.ts";

/** `@modelcontextprotocol/server-memory` on the same facts, over stdio as it is meant to be used. */
export class ServerMemory {
  readonly #client: Client;
  readonly #folder: string;

  private constructor(client: Client, folder: string) {
    this.#client = client;
    this.#folder = folder;
  }

  static async start(facts: readonly Fact[]): Promise<ServerMemory> {
    const folder = mkdtempSync(join(tmpdir(), "kenning-bench-peer-"));
    const file = join(folder, "memory.jsonl");
    const entities = facts.map(({ memory_id, tags, content }) => ({
      type: "entity",
      name: memory_id,
      entityType: tags[0],
      observations: [content],
    }));
    const relations = facts.flatMap(({ memory_id, relations: all }) =>
      all.map(({ rel_type, to }) => ({ type: "relation", from: memory_id, to, relationType: rel_type })),
    );
    writeFileSync(file, [...entities, ...relations].map((line) => JSON.stringify(line)).join("\n"));
    const main = import.meta.resolve("@modelcontextprotocol/server-memory/package.json");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(dirname(fileURLToPath(main)), "dist/index.js")],
      env: { MEMORY_FILE_PATH: file },
      stderr: "ignore",
    });
    const client = new Client({ name: "bench", version: "1" });
    await client.connect(transport);
    return new ServerMemory(client, folder);
  }

  async create(name: string, observation: string): Promise<void> {
    const entities = [{ name, entityType: "note", observations: [observation] }];
    await this.#client.callTool({ name: "create_entities", arguments: { entities } });
  }

  /** It looks for one text as a whole, so that a word of the question is what finds something. */
  async search(query: string): Promise<void> {
    const word = query.split(" ")[2] ?? query;
    await this.#client.callTool({ name: "search_nodes", arguments: { query: word } });
  }

  async stop(): Promise<void> {
    await this.#client.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
