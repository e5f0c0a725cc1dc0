import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Child } from "../data/child.ts";

interface Hello {
  url: string;
  databaseUrl: string;
  home: string;
}

/** Kenning in a process of its own. */
export class Kenning {
  readonly #child: Child<Hello>;

  private constructor(child: Child<Hello>) {
    this.#child = child;
  }

  static async start(): Promise<Kenning> {
    return new Kenning(await Child.start<Hello>("../memory/kenning"));
  }

  get hello(): Hello {
    return this.#child.hello;
  }

  cpuMs(): number {
    return this.#child.cpuMs();
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  /** A new workspace, and a token for it. */
  async workspace(slug: string): Promise<string> {
    return (await this.#child.ask<{ token: string }>(`workspace ${slug}`)).token;
  }

  /** Resolves when every memory has its vector, with how long that took from now on. */
  async embedded(): Promise<number> {
    return (await this.#child.ask<{ ms: number }>("embedded")).ms;
  }

  /** What is stored from now on has vectors that are made up. */
  async makeUpVectors(): Promise<void> {
    await this.#child.ask("made-up");
  }

  /** By the command, as an operator does it. */
  async import(workspace: string, records: readonly object[]): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), "kenning-bench-import-"));
    const file = join(folder, "memories.jsonl");
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const started = performance.now();
    const { home, databaseUrl } = this.hello;
    const env = { ...process.env, KENNING_HOME: home, DATABASE_URL: databaseUrl };
    const words = ["memory", "import", file, "--workspace", workspace];
    const command = fork(new URL("../../bin/kenning", import.meta.url), words, { env, stdio: "inherit" });
    const [code] = (await once(command, "exit")) as [number];
    rmSync(folder, { recursive: true });
    if (code !== 0) throw new Error("the import failed");
    return performance.now() - started;
  }

  async call<T>(token: string, tool: string, args: object, path = "/api/mcp/v1"): Promise<T> {
    const response = await fetch(`${this.hello.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: args },
      }),
    });
    const { result, error } = (await response.json()) as {
      result?: { isError?: boolean; structuredContent: T };
      error?: object;
    };
    if (result === undefined || result.isError === true) throw new Error(JSON.stringify(error ?? result));
    return result.structuredContent;
  }
}
