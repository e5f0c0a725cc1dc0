import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config.ts";
import { hasEmbeddedDatabase, homeProblem, nearestExisting } from "../home/home-folder.ts";
import { rootSecretFile } from "../home/root-secret.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

/** The data folder exists or can be made, is closed to others, and the database's user can reach it. */
export function checkHome({ storage: { home, databaseUrl } }: Config): Finding {
  const problem = homeProblem(home);
  if (problem !== null) return fail(problem.message, problem.hint ?? "");
  const existing = nearestExisting(home);
  const runsAsAnother = databaseUrl === null && process.getuid?.() === 0;
  const barrier = runsAsAnother ? firstBarrier(existing === home ? dirname(home) : existing) : null;
  if (barrier !== null) {
    const message = `The folder ${barrier} on the way to ${home} is closed to the user that the database runs as.`;
    return fail(
      message,
      "Set KENNING_HOME to a folder that other users can reach, such as /var/lib/kenning.",
    );
  }
  if (existing !== home) return ok(`${home} is made at the first start.`);
  const { mode } = statSync(home);
  if ((mode & 0o022) !== 0) {
    return fail(
      `Other users can write to ${home} (mode ${octal(mode)}).`,
      `Close it with: chmod go-w ${home}`,
    );
  }
  if ((mode & 0o044) !== 0) {
    return warn(
      `Other users can see what is in ${home} (mode ${octal(mode)}).`,
      `Close it with: chmod go-r ${home}`,
    );
  }
  return ok(`${home}, mode ${octal(mode)}.`);
}

/** The file from which all keys are derived is there, has something in it, and is closed to others. */
export function checkRootSecret({ storage: { home }, security: { jwtSecret } }: Config): Finding {
  if (jwtSecret !== null) return ok("All keys are derived from JWT_SECRET.");
  const file = rootSecretFile(home);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    if (!hasEmbeddedDatabase(home)) return ok(`${file} is made at the first start.`);
    const message = `${file} is missing, so nothing that was sealed with it can be read.`;
    return fail(message, "Restore it from a backup. Lost for good? See: kenning home adopt --help");
  }
  if (stat.size === 0) {
    const advice = "Restore it from a backup. Without one remove it, and see: kenning home adopt --help";
    return fail(`${file} is empty, so the server cannot start.`, advice);
  }
  if ((stat.mode & 0o077) !== 0) {
    return fail(
      `Other users can reach ${file} (mode ${octal(stat.mode)}).`,
      `Close it with: chmod 600 ${file}`,
    );
  }
  return ok(`${file}, mode ${octal(stat.mode)}.`);
}

/** The first folder from the root on that a stranger cannot pass. */
function firstBarrier(folder: string): string | null {
  const above = folder === dirname(folder) ? null : firstBarrier(dirname(folder));
  if (above !== null) return above;
  return (statSync(folder).mode & 0o001) === 0 ? folder : null;
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
