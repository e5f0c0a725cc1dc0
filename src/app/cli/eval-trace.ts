import { z } from "zod";
import type { Trace } from "../../domains/agent/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { inPlaceOfItsOwn, type TestBed } from "./eval-place.ts";

interface Input {
  args: { question: string };
  options: TestBed & { "as-of": string | undefined };
}

/** Shows how a question is read, stage by stage, for whoever wonders why it is read so. */
export async function evalTrace({ args, options }: Input, terminal: Terminal): Promise<number> {
  const day = z.iso.date().optional().safeParse(options["as-of"]);
  if (!day.success) throw new AppError("bad_request", "--as-of is a date, such as 2026-03-31.");
  const traces = await inPlaceOfItsOwn(options, terminal, async ({ place, caller }) => {
    if (day.data !== undefined) place.setToday(new Date(`${day.data}T12:00:00Z`));
    return place.agent.datasetQuestions.trace(caller, args.question);
  });
  for (const trace of traces) printTrace(trace, terminal);
  return 0;
}

function printTrace({ datasets, words, readings, missing, unclear }: Trace, terminal: Terminal): void {
  terminal.out(`Over ${datasets.join(", ")}\n\nWords:\n`);
  for (const { text, isEmpty, meanings } of words) {
    const found = meanings.map(({ words: said, means, cost }) => `${said}: ${means} (${cost})`);
    terminal.out(`  ${text}${isEmpty ? " (says nothing here)" : ""}\n`);
    for (const meaning of found) terminal.out(`      ${meaning}\n`);
  }
  terminal.out("\nReadings, the best first:\n");
  if (readings.length === 0) terminal.out("  none\n");
  for (const { said, cost, loose, left } of readings) {
    const without = left.length === 0 ? "" : `, leaves out: ${left.join(", ")}`;
    terminal.out(`  ${said} (${cost}, ${loose} of it beside the words${without})\n`);
  }
  for (const word of missing) terminal.out(`\nMissing: ${word}\n`);
  for (const question of unclear) terminal.out(`\nTo be asked: ${question}\n`);
  terminal.out("\n");
}
