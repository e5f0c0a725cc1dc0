import { text } from "node:stream/consumers";
import type { Terminal } from "./cli/command.ts";
import { runCommandLine } from "./cli/command-line.ts";

/** How long something forgotten may keep the process alive after its work is done. */
const LINGER_MS = 2_000;

const terminal: Terminal = {
  out: (words) => void process.stdout.write(words),
  err: (words) => void process.stderr.write(words),
  readAll: () => text(process.stdin),
};

// A reader that has seen enough (`kenning user list | head -1`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  process.exitCode = await runCommandLine(process.argv.slice(2), terminal);
} catch (error) {
  process.exitCode = 1;
  const { reportFailure } = await import("./cli/failure.ts");
  await reportFailure(error, terminal);
}
setTimeout(() => process.exit(), LINGER_MS).unref();
