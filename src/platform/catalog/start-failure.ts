import { AppError } from "../../kernel/errors.ts";

/** How a program of PostgreSQL ended. */
export interface Ending {
  code?: number | null | undefined;
  signal?: string | null | undefined;
  /** What the system said where it could not even be run. */
  error?: NodeJS.ErrnoException;
}

const ROOM = /No space left on device|Disk quota exceeded/i;

/** What to do about what PostgreSQL says, by its words. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /^its program/,
    "Install Kenning's packages again: remove node_modules and start, or reinstall the package or image.",
  ],
  [
    /No space left on device|Disk quota exceeded/i,
    "Make room on the disk of KENNING_HOME, then start again.",
  ],
  [
    /Read-only file system/i,
    "The storage of KENNING_HOME can only be read: mount it so that it can be written.",
  ],
  [
    /Permission denied|wrong ownership|invalid permissions|must be owned/i,
    "Run Kenning as the user who owns KENNING_HOME, or give that folder to this user.",
  ],
  [
    /could not (map|allocate|create) .*shared memory|Cannot allocate memory|out of memory/i,
    "There is not enough memory: free some, or lower shared_buffers in postgresql.conf.",
  ],
  [
    /configuration file|invalid value for parameter|unrecognized configuration parameter/i,
    "Correct postgresql.conf in the database's folder.",
  ],
  [
    /checkpoint record|control file|incompatible with server|incorrect checksum|invalid (magic number|data)|not a valid data directory|no such database|invalid page|could not (open|read|access|locate) (file|directory)|PG_VERSION/i,
    "The database's files are damaged or incomplete: put back a backup of KENNING_HOME.",
  ],
];

/** What went wrong, in PostgreSQL's own words where it has some; and how it ended where it has none. */
export function reasonOf(text: string, { code, signal, error }: Ending): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  // The first cause may be followed by what came of it.
  const told =
    lines.find((line) => ROOM.test(line)) ??
    lines.findLast((line) => /FATAL|PANIC|(?<!no )error:/.test(line)) ??
    lines.at(-1);
  if (told !== undefined) return told.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, "").replace(/\.$/, "");
  if (error !== undefined) return `its program cannot be run (${error.code ?? error.message})`;
  // A file without anything in it is an empty script to the system, which does nothing and does it well.
  if (code === 0) return "its program did nothing, as an empty or damaged file does";
  if (signal === "SIGKILL") return "it was killed, as the system does when memory runs out";
  return `it ended at once, with ${signal ?? `code ${code}`} and without a word`;
}

/** What to do next. */
export function adviceOn(reason: string, otherwise: string): string {
  return ADVICE.find(([words]) => words.test(reason))?.[1] ?? otherwise;
}

/** The server could not start; `isPassing` says that waiting may help. */
export class StartFailure extends AppError {
  readonly isPassing: boolean;

  constructor(reason: string, hint: string, isPassing: boolean) {
    super("unavailable", `The embedded database did not start: ${reason}.`, { hint });
    this.isPassing = isPassing;
  }

  static fromLog(log: string, logFile: string, ending: Ending): StartFailure {
    const reason = reasonOf(log, ending);
    const where = `Its log is ${logFile}.`;
    const advice = adviceOn(reason, "");
    return new StartFailure(
      reason,
      advice === "" ? where : `${advice} ${where}`,
      /pre-existing shared memory block|lock file .* already exists/.test(log),
    );
  }
}
