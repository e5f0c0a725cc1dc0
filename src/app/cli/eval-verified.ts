import { type CheckedQuestion, checkVerified } from "../../domains/agent/index.ts";
import { clip } from "../../kernel/text.ts";
import type { Terminal } from "./command.ts";
import { printTimes, ratio } from "./eval.ts";
import { Progress } from "./output.ts";
import { untilStopped, withData } from "./with-services.ts";

interface Input {
  options: { workspace: string; model: string | undefined };
}

/** Checks the verified questions of published models; 1 when a model cannot answer one of them any more. */
export async function evalVerified({ options }: Input, terminal: Terminal): Promise<number> {
  const progress = new Progress(terminal);
  const reports = await withData(async ({ agent: { agent, verified }, models: { models }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const all =
      options.model === undefined
        ? await models.published(caller)
        : [await models.requirePublished(caller, { name: options.model })];
    return untilStopped(async (signal) => {
      const checked: { model: string; lines: CheckedQuestion[] }[] = [];
      for (const model of all) {
        const lines: CheckedQuestion[] = [];
        const pairs = await verified.list(model.record.id);
        for (const pair of pairs) {
          lines.push(await checkVerified(pair, { agent, caller, model, signal }));
          progress.show(model.record.name, lines.length / pairs.length);
        }
        if (lines.length > 0) checked.push({ model: model.record.name, lines });
      }
      return checked;
    }).finally(() => progress.end());
  });
  if (reports.length === 0) {
    terminal.err("There are no verified questions yet: they come from answers that people mark as right.\n");
  }
  for (const { model, lines } of reports) printVerified(model, lines, terminal);
  return reports.some(({ lines }) => lines.some(({ failure }) => failure !== null)) ? 1 : 0;
}

function printVerified(model: string, lines: readonly CheckedQuestion[], terminal: Terminal): void {
  const failed = lines.filter(({ failure }) => failure !== null);
  const otherwise = lines.filter(({ failure, otherwise }) => failure === null && otherwise !== null);
  terminal.out(`${model}\n`);
  if (failed.length > 0) terminal.out(`Not answered any more: ${ratio(failed.length, lines.length)}\n`);
  for (const { question, failure } of failed) {
    terminal.out(`  ${clip(question, 120)} — ${oneLine(failure)}\n`);
  }
  if (otherwise.length > 0)
    terminal.out(`Read otherwise by the rules: ${ratio(otherwise.length, lines.length)}\n`);
  for (const { question, reading, otherwise: other } of otherwise) {
    terminal.out(`  ${clip(question, 120)} — verified as: ${clip(reading, 160)}; ${oneLine(other)}\n`);
  }
  const fine = lines.length - failed.length - otherwise.length;
  terminal.out(`As verified: ${ratio(fine, lines.length)}\n`);
  printTimes(lines, terminal);
}

function oneLine(text: string | null): string {
  return clip((text ?? "").replaceAll(/\s+/g, " "), 200);
}
