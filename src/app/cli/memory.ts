import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Imported, importMemories } from "../../domains/memory/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { Progress } from "./progress.ts";
import { withData } from "./with-data.ts";

interface ImportInput {
  args: { file: string };
  options: { workspace: string; json: boolean };
}

const SHOWN_FAILURES = 20;

export async function importFile({ args, options }: ImportInput, terminal: Terminal): Promise<number> {
  const path = resolve(args.file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new AppError("not_found", `There is no file ${args.file}.`, {
      hint: "Check the path; it is taken from the working directory.",
    });
  const imported = await withData(async ({ memory, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const progress = new Progress(terminal);
    const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    return importMemories(memory, caller, lines, (done) =>
      progress.show(`${done} lines read`, undefined),
    ).finally(() => progress.end());
  });
  report(imported, options.json, terminal);
  return imported.stored + imported.present === 0 && imported.failed.length > 0 ? 1 : 0;
}

function report(imported: Imported, json: boolean, terminal: Terminal): void {
  const { stored, present, related, failed } = imported;
  if (json) {
    terminal.out(`${JSON.stringify(imported, null, 2)}\n`);
    return;
  }
  terminal.out(`${stored} memories were stored, ${present} were there already, ${related} relations made.`);
  terminal.out(failed.length > 0 ? ` ${failed.length} failed:\n` : "\n");
  for (const { line, reason } of failed.slice(0, SHOWN_FAILURES)) terminal.out(`  line ${line}: ${reason}\n`);
  if (failed.length > SHOWN_FAILURES) terminal.out(`  and ${failed.length - SHOWN_FAILURES} more\n`);
}
