import {
  chmod,
  chown,
  constants,
  copyFile,
  link,
  mkdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../kernel/errors.ts";
import type { OsUser } from "../sandbox/index.ts";
import { isInPlace, ownedTempPath } from "../temp/index.ts";

/**
 * A folder beside the working folders of sandboxed processes, from which one of them reads what lies there: by
 * a path relative to its own folder, because it may not be able to enter the folders above. Files are there as
 * second names (hard links), so nothing is copied, a file that is deleted elsewhere stays readable here until
 * the folder goes, and the process can neither write nor list anything that it was not given.
 */
export class LinkedFolder {
  readonly folder: string;
  readonly #reader: OsUser;

  private constructor(folder: string, reader: OsUser) {
    this.folder = folder;
    this.#reader = reader;
  }

  /** In a folder of names that say whose they are, which is swept after a crash. */
  static async make(tempFolder: string, reader: OsUser): Promise<LinkedFolder> {
    const linked = new LinkedFolder(ownedTempPath(tempFolder), reader);
    await linked.makeFolder("");
    return linked;
  }

  /** False when somebody removed the folders of temporary files under the running server. */
  get isInPlace(): boolean {
    return isInPlace(this.folder);
  }

  async makeFolder(name: string): Promise<void> {
    const folder = join(this.folder, name);
    await mkdir(folder, { mode: 0o700 });
    if (this.#reader === undefined) return;
    await chown(folder, 0, this.#reader.gid);
    await chmod(folder, 0o710);
  }

  /** The path of something in the folder, as the process has to say it. */
  pathOf(name: string): string {
    return `../${basename(this.folder)}/${name}`;
  }

  /**
   * Puts one of our own files into the folder, which makes it readable for the group of the process. Where files
   * have no second names, the process has to find the first one.
   */
  async put(path: string, name: string): Promise<string> {
    try {
      if (this.#reader !== undefined) {
        const { gid, mode } = await stat(path);
        if (gid !== this.#reader.gid) await chown(path, 0, this.#reader.gid);
        if ((mode & 0o777) !== 0o640) await chmod(path, 0o640);
      }
      return (await tryLink(path, join(this.folder, name))) ? this.pathOf(name) : path;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "ENOENT" ? partMissing(error) : error;
    }
  }

  /** Puts a file of somebody else into the folder without changing who may read it. */
  async lend(path: string, name: string): Promise<string> {
    const place = join(this.folder, name);
    const { mode } = await stat(path);
    const isOpen = this.#reader === undefined || (mode & 0o004) !== 0;
    if (!isOpen || !(await tryLink(path, place))) {
      await copyFile(path, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await this.#open(place);
    }
    return this.pathOf(name);
  }

  /** Puts a file into the folder that is not needed elsewhere any more. */
  async take(path: string, name: string): Promise<string> {
    const place = join(this.folder, name);
    await rename(path, place).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EXDEV") throw error;
      await copyFile(path, place, constants.COPYFILE_EXCL);
      await rm(path);
    });
    await this.#open(place);
    return this.pathOf(name);
  }

  async write(bytes: Uint8Array, name: string): Promise<string> {
    const place = join(this.folder, name);
    await writeFile(place, bytes, { flag: "wx", mode: 0o600 });
    await this.#open(place);
    return this.pathOf(name);
  }

  async clear(name: string): Promise<void> {
    await rm(join(this.folder, name), { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #open(place: string): Promise<void> {
    if (this.#reader === undefined) return;
    await chown(place, 0, this.#reader.gid);
    await chmod(place, 0o640);
  }
}

function partMissing(cause: unknown): AppError {
  return new AppError("unavailable", "The server's storage lacks a part of this data.", {
    hint: "Whoever runs the server finds what is missing by: kenning doctor",
    data: { reason: "part_missing" },
    cause,
  });
}

/** Another file system has no second names for our files, and some have none at all. */
async function tryLink(path: string, place: string): Promise<boolean> {
  try {
    await link(path, place);
    return true;
  } catch (error) {
    if (["EXDEV", "EPERM", "EMLINK", "ENOTSUP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return false;
    throw error;
  }
}
