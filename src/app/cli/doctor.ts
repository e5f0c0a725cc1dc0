import { loadConfig } from "../config.ts";
import { examine, type NamedFinding } from "../doctor.ts";
import type { Terminal } from "./command.ts";

/** Exit code 1 when something is broken; a warning alone is no failure. */
export async function doctor(
  { json, deep }: { json: boolean; deep: boolean },
  terminal: Terminal,
): Promise<number> {
  const findings = await examine(loadConfig(), { isDeep: deep });
  terminal.out(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(lines).join(""));
  return findings.some(({ status }) => status === "fail") ? 1 : 0;
}

function lines({ name, status, message, advice }: NamedFinding): string {
  const line = `${status.padEnd(4)}  ${name.padEnd(10)}  ${message}\n`;
  return advice ? `${line}${" ".repeat(18)}-> ${advice}\n` : line;
}
