import type { ChildProcess } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { processesOn } from "../support/processes.ts";
import type { ToolResult } from "../support/rpc.ts";

/** A server in a process of its own that can be killed and started again, and a token for it. */
export class KilledServer {
  readonly kenning: CommandLine;
  readonly database: TestDatabase;
  readonly #env: Record<string, string>;
  #token = "";
  #running!: Awaited<ReturnType<CommandLine["serve"]>>;

  private constructor(kenning: CommandLine, database: TestDatabase, env: Record<string, string>) {
    this.kenning = kenning;
    this.database = database;
    this.#env = { DATABASE_URL: database.url, ...env };
  }

  /** Not started yet. */
  static async make(env: Record<string, string> = {}): Promise<KilledServer> {
    // A database of its own, so that what the catalog knows can be compared with what lies in the folders.
    const server = new KilledServer(await CommandLine.open(), await createTestDatabase(), env);
    // The model has been built already; a server that is killed meanwhile would begin again each time.
    mkdirSync(server.kenning.dataFolder);
    mkdirSync(inject("modelsFolder"), { recursive: true });
    symlinkSync(inject("modelsFolder"), join(server.kenning.dataFolder, "models"));
    const who = ["--workspace", "acme"];
    const call = (...words: string[]) => server.kenning.call(words, { env: server.#env });
    await call("workspace", "create", "acme");
    await call("user", "create", "w@example.com", ...who, "--role", "admin");
    const made = await call("token", "create", "--user", "w@example.com", ...who, "--kind", "api");
    server.#token = made.out.trim();
    return server;
  }

  async start(): Promise<void> {
    this.#running = await this.kenning.serve(this.#env);
  }

  get child(): ChildProcess {
    return this.#running.child;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** And waits until nothing of it is left. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#running.stopped;
    await expect.poll(() => processesOn(this.kenning.dataFolder), { timeout: 60_000 }).toEqual([]);
  }

  async remove(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#running.stopped;
    await this.database.drop();
    this.kenning.remove();
  }

  async call(name: string, args: object): Promise<ToolResult> {
    const response = await fetch(`${this.kenning.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.#token}` },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    });
    const { result, error } = (await response.json()) as { result?: ToolResult; error?: { message: string } };
    if (result === undefined) throw new Error(`no result: ${response.status} ${error?.message}`);
    return result;
  }

  /** What a tool gave; fails with the text of its error. */
  async resultOf<T>(name: string, args: object): Promise<T> {
    const result = await this.call(name, args);
    if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
    return result.structuredContent as T;
  }
}

/** Writes until told to stop or until the server is gone, and then looks at what is left of it. */
export interface Writer {
  write(stop: AbortSignal): Promise<unknown>;
  /** While the server is dead. */
  autopsy?(): Promise<void>;
  /** What was written since the last kill, or all of it. */
  verify(isAll: boolean): Promise<void>;
  /** What came of it. */
  report(): string;
}
