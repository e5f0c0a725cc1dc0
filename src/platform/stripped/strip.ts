/**
 * Run as a program of its own, because stripping warns that it is experimental: writes the texts on standard input
 * without their types into the folder that is named there, too.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** Each change of a file leaves its former text behind. */
const MOST_FILES = 4_000;

const { folder, files } = JSON.parse(readFileSync(0, "utf8")) as {
  folder: string;
  files: { name: string; text: string }[];
};
mkdirSync(folder, { recursive: true, mode: 0o700 });
// Whoever misses a file that is gone strips it itself; nobody could do without a loader that he was told of.
const kept = readdirSync(folder).filter((name) => !name.startsWith("loader-"));
if (kept.length > MOST_FILES) for (const name of kept) rmSync(join(folder, name), { force: true });
for (const { name, text } of files) {
  const half = join(folder, `${name}.${process.pid}`);
  writeFileSync(half, stripTypeScriptTypes(text), { mode: 0o600 });
  renameSync(half, join(folder, name));
}
