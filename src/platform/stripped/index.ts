import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const PACKAGES = join(import.meta.dirname, "../../../node_modules");
/** Where nobody writes who could not change the code itself. */
const FOLDER = join(PACKAGES, ".cache/stripped");
const STRIP = join(import.meta.dirname, "strip.ts");
const LOADER = join(import.meta.dirname, "load-stripped.ts");
const IMPORTS = /^(?:import|export)(?! type\b)[^;]*?"(\.[^"]+\.ts)"/gm;

interface StrippedFile {
  /** Made of its text, so that a file that has changed has another one. */
  name: string;
  text: string;
}

const flagsOf = new Map<string, Promise<string[]>>();

/**
 * Flags of Node for a process or a thread of our own that begins with these files: it gets them without their types,
 * as kept from an earlier start, because Node's compiler for types takes as long to start as all the rest. Without
 * the flags it does the same more slowly.
 */
export async function strippedFlags(...entries: readonly string[]): Promise<string[]> {
  const key = entries.join("\n");
  const [flag, loader] = (await flagsOf.get(key)) ?? [];
  if (flag !== undefined && loader !== undefined && existsSync(fileURLToPath(loader))) return [flag, loader];
  const flags = prepare(entries).catch(() => []);
  flagsOf.set(key, flags);
  return flags;
}

async function prepare(entries: readonly string[]): Promise<string[]> {
  // An installed package has no types left; and processes may read where packages are, not where none are.
  if (extname(import.meta.filename) !== ".ts" || !existsSync(PACKAGES)) return [];
  const files = new Map<string, StrippedFile>();
  for (const entry of [LOADER, ...entries]) collect(entry, files);
  const missing = [...files.values()].filter(({ name }) => !existsSync(join(FOLDER, name)));
  if (missing.length > 0) await strip(missing);
  if (!isOurs()) return [];
  return ["--import", pathToFileURL(join(FOLDER, files.get(LOADER)!.name)).href];
}

/** A file and what it imports, each with the name that its text gives it. */
function collect(path: string, files: Map<string, StrippedFile>): void {
  if (files.has(path)) return;
  const text = readFileSync(path, "utf8");
  const hash = createHash("sha256").update(`${process.version}\n${text}`).digest("hex");
  files.set(path, { name: path === LOADER ? `loader-${hash}.mjs` : `${hash}.mjs`, text });
  for (const [, specifier] of text.matchAll(IMPORTS)) collect(join(dirname(path), specifier!), files);
}

async function strip(files: readonly StrippedFile[]): Promise<void> {
  const child = spawn(process.execPath, ["--no-warnings", STRIP], { stdio: ["pipe", "ignore", "ignore"] });
  const ended = once(child, "exit");
  child.stdin.on("error", () => undefined).end(JSON.stringify({ folder: FOLDER, files }));
  const [code] = await ended;
  if (code !== 0) throw new Error("the types could not be stripped");
}

/** Nobody else can have written what is in the folder. */
function isOurs(): boolean {
  const user = process.geteuid?.();
  const { uid, mode } = statSync(FOLDER);
  return user === undefined || (uid === user && (mode & 0o022) === 0);
}
