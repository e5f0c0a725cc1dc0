import { existsSync, readFileSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LIMITS } from "../../surfaces/http/limits.ts";
import type { Config } from "../config.ts";
import { nearestExisting } from "../home/home-folder.ts";
import { diskProblem } from "../home/storage.ts";
import { type Finding, fail, ok, sizeText, warn } from "./check.ts";

const ROOT = join(import.meta.dirname, "../../..");
const GIB = 2 ** 30;
const NODE_WANTED = { major: 24, minor: 7 };

/** Older releases neither strip types without a warning nor hash passwords. */
export function checkNode(_config: Config, version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewEnough =
    major > NODE_WANTED.major || (major === NODE_WANTED.major && minor >= NODE_WANTED.minor);
  const wanted = `${NODE_WANTED.major}.${NODE_WANTED.minor}`;
  if (isNewEnough) return ok(`Node ${version}.`);
  return fail(
    `Node ${version} is older than ${wanted}.`,
    `Start Kenning by bin/kenning, or install Node ${wanted} or newer.`,
  );
}

/** The installed packages are those that this version was tested with. */
export function checkPackages(): Finding {
  const { dependencies } = readJson<{ dependencies: Record<string, string> }>(join(ROOT, "package.json"));
  const installed = Object.entries(dependencies).map(([name, wanted]) => ({
    name,
    wanted,
    found: installedVersion(name),
  }));
  const wrong = installed.filter(({ wanted, found }) => found !== wanted);
  if (wrong.length > 0) {
    const list = wrong
      .map(({ name, wanted, found }) => `${name} ${found ?? "missing"} instead of ${wanted}`)
      .join(", ");
    return warn(`Not the versions that belong together: ${list}.`, "Run npm install in Kenning's folder.");
  }
  const engines = ["@modelcontextprotocol/server", "hono", "pg", "pg-boss"];
  return ok(
    `${engines.map((name) => `${name} ${dependencies[name]}`).join(", ")}; all ${installed.length} as locked.`,
  );
}

function installedVersion(name: string): string | null {
  // A package that npm installed for others may lie further up.
  for (let folder = ROOT; ; folder = dirname(folder)) {
    const file = join(folder, "node_modules", name, "package.json");
    if (existsSync(file)) return readJson<{ version: string }>(file).version;
    if (folder === dirname(folder)) return null;
  }
}

/** A full disk stops the database in the middle of its work. */
export async function checkDisk({ storage }: Config): Promise<Finding> {
  const folder = nearestExisting(storage.home);
  const stats = await statfs(folder);
  const { bavail, bsize, blocks, files, ffree } = stats;
  const free = bavail * bsize;
  const room = files > 0 ? `, with room for ${ffree.toLocaleString("en")} files` : "";
  const message = `${sizeText(free)} of ${sizeText(blocks * bsize)} are free at ${folder}${room}.`;
  const short = diskProblem(stats, LIMITS.server);
  if (short !== undefined)
    return fail(`${message} ${short}`, "Free some space; the server takes nothing until then.");
  if (free < GIB / 4) return fail(message, "Free some space, or move KENNING_HOME to a larger disk.");
  return free < 2 * GIB ? warn(message, "Free some space before it runs out.") : ok(message);
}

/** Tokens, sessions and audit all compare times; a clock that is behind makes new tokens look old and old ones new. */
export function checkClock(_config: Config, now: Date = new Date()): Finding {
  const installedAt = statSync(join(ROOT, "package.json")).mtime;
  const text = `${now.toISOString().slice(0, 19)}Z`;
  if (now < installedAt) {
    const message = `It is ${text} by this clock, but Kenning was installed later, at ${installedAt.toISOString()}.`;
    return fail(message, "Set the clock, for example by switching NTP on.");
  }
  return ok(`It is ${text}, time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
