import { clip } from "../../kernel/text.ts";
import type { Terminal } from "./command.ts";
import type { Line } from "./eval-questions.ts";

/** Wrong answers that are listed. */
const LISTED = 50;

/** Answers that look right and are not come first: they are what a model must not do. */
export function printReport(lines: readonly Line[], terminal: Terminal): { judged: number; right: number } {
  const judged = lines.filter(({ verdict }) => verdict !== "unknown");
  const wrong = judged
    .filter(({ verdict, outcome }) => verdict === "wrong" && outcome === "answer")
    .toSorted((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0));
  if (wrong.length > 0) {
    terminal.out(`Answered, but wrong: ${ratio(wrong.length, judged.length)}\n`);
    for (const line of wrong.slice(0, LISTED)) terminal.out(`  ${describe(line)}\n`);
    if (wrong.length > LISTED) terminal.out(`  and ${wrong.length - LISTED} more\n`);
  }
  if (judged.length > 0) {
    terminal.out("\nRight by kind:\n");
    const kinds = [...new Set(judged.map(({ kind }) => kind))].sort();
    for (const kind of kinds)
      printKind(
        judged.filter((line) => line.kind === kind),
        kind,
        terminal,
      );
    if (kinds.length > 1) printKind(judged, "in all", terminal);
  }
  terminal.out(`\nOutcomes: ${outcomes(lines)}\n`);
  printTimes(lines, terminal);
  return { judged: judged.length, right: judged.filter(({ verdict }) => verdict === "right").length };
}

export function printTimes(lines: readonly { ms: number }[], terminal: Terminal): void {
  const times = lines.map(({ ms }) => ms).toSorted((a, b) => a - b);
  terminal.out(`Time: p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms\n`);
}

function printKind(lines: readonly Line[], kind: string, terminal: Terminal): void {
  const right = lines.filter(({ verdict }) => verdict === "right").length;
  terminal.out(`  ${kind}: ${ratio(right, lines.length)}\n`);
}

function describe({ id, question, confidence, reading }: Line): string {
  return `${id} (${confidence ?? 0}) ${clip(question, 120)} — understood as: ${clip(reading ?? "", 160)}`;
}

function outcomes(lines: readonly Line[]): string {
  const counts = Map.groupBy(lines, ({ outcome }) => outcome);
  return [...counts].map(([outcome, those]) => `${outcome} ${those.length}`).join(", ") || "none";
}

export function ratio(part: number, whole: number): string {
  return `${part} of ${whole}${whole === 0 ? "" : ` (${((part / whole) * 100).toFixed(1)} %)`}`;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
