import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import { AppError } from "../../../../kernel/errors.ts";

export interface CheckedFile {
  path: string;
  dev: number;
  ino: number;
}

/**
 * The real path of a file below one of the allowed folders, links followed. What lies elsewhere looks the same as
 * what does not exist: a datasource is no way to find out which files there are.
 */
export async function checkFile(path: string, folders: readonly string[]): Promise<CheckedFile> {
  if (folders.length === 0) {
    throw new AppError("forbidden", "This server reads no SQLite or DuckDB files.", {
      hint: "Its operator can name folders from which such files may be read.",
    });
  }
  if (!isAbsolute(path)) {
    throw new AppError("bad_request", "The path of the file must be absolute.", {
      hint: "Write it from the root, such as /data/shop.db.",
    });
  }
  const real = await realpath(path).catch(() => undefined);
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  const isBelow = allowed.some((folder) => folder !== undefined && real?.startsWith(withSlash(folder)));
  const info = isBelow ? await lstat(real!).catch(() => undefined) : undefined;
  if (info?.isFile()) return { path: real!, dev: info.dev, ino: info.ino };
  throw noSuchFile();
}

export function noSuchFile(): AppError {
  return new AppError("not_found", "There is no such file in the folders that this server may read.", {
    hint: "Check the path, and that its operator allows the folder.",
  });
}

function withSlash(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}
