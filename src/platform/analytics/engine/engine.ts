import { mkdir } from "node:fs/promises";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { lazily } from "../../../kernel/concurrency.ts";
import { quoteList, quoteText } from "../../../kernel/sql-text.ts";
import { asEngineError, isReopened } from "./engine-errors.ts";

/** Everything here runs inside a sandboxed process. */
interface EngineSettings {
  memoryMb: number;
  threads: number;
  /** For what does not fit into memory; a folder that is this engine's alone, relative to the working folder. */
  spillFolder: string;
  spillMb: number;
  /** The only files and folders that it may touch. */
  files?: readonly string[];
  folders?: readonly string[];
  /** Optimisers to do without, as DuckDB calls them. */
  withoutOptimisers?: readonly string[];
}

/**
 * An engine that reaches only what it was given. The order matters: DuckDB takes no new paths once access is
 * off, and nothing at all can be set once the configuration is locked, which `lock` does.
 */
export async function openEngine(settings: EngineSettings): Promise<DuckDBInstance> {
  await mkdir(settings.spillFolder, { recursive: true });
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(settings.threads),
    memory_limit: `${settings.memoryMb}MiB`,
    temp_directory: settings.spillFolder,
    max_temp_directory_size: `${settings.spillMb}MiB`,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_persistent_secrets: "false",
    extension_directory: settings.spillFolder,
    // The operating system keeps files in memory already, and gives that memory back.
    enable_external_file_cache: "false",
  });
  await withConnection(instance, async (connection) => {
    await connection.run(
      `SET allowed_paths = ${quoteList(settings.files ?? [])};
       SET allowed_directories = ${quoteList(settings.folders ?? [])};
       SET enable_external_access = false;
       SET GLOBAL parquet_metadata_cache = true;
       SET GLOBAL TimeZone = 'UTC';
       SET GLOBAL disabled_optimizers = ${quoteText((settings.withoutOptimisers ?? []).join(","))};`,
    );
  });
  return instance;
}

export async function lock(instance: DuckDBInstance): Promise<void> {
  await withConnection(instance, (connection) => connection.run("SET lock_configuration = true"));
}

/** After an error of its own an engine refuses everything, and has to be opened anew. */
export async function isBroken(instance: DuckDBInstance): Promise<boolean> {
  try {
    await withConnection(instance, (connection) => connection.run("SELECT 1"));
    return false;
  } catch {
    return true;
  }
}

export async function withConnection<T>(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.disconnectSync();
  }
}

/** An engine that is opened when it is needed, and anew when an error broke it. */
export class LastingEngine {
  readonly #open: () => Promise<DuckDBInstance>;
  #current: () => Promise<DuckDBInstance>;

  constructor(open: () => Promise<DuckDBInstance>) {
    this.#open = open;
    this.#current = lazily(open);
  }

  instance(): Promise<DuckDBInstance> {
    return this.#current();
  }

  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const instance = await this.instance();
    try {
      return await withConnection(instance, work);
    } catch (error) {
      await this.mend(instance);
      throw error;
    }
  }

  /** The same for work that others do at the same time: what failed because of them is done once more. */
  async share<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    try {
      return await this.use(work);
    } catch (error) {
      if (!isReopened(asEngineError(error))) throw error;
      return this.use(work);
    }
  }

  /** After an error: connections of others keep a broken engine until they are closed, and new ones get a new one. */
  async mend(instance: DuckDBInstance): Promise<void> {
    const current = this.#current;
    if ((await current()) !== instance || !(await isBroken(instance)) || this.#current !== current) return;
    this.#current = lazily(this.#open);
    instance.closeSync();
  }
}
