import type { Problem } from "./model.ts";

const SHOWN = 20;

/** Problems as lines that people and language models can go through. */
export function listProblems(problems: readonly Problem[]): string {
  const lines = problems.slice(0, SHOWN).map(({ message, hint, file, line }) => {
    const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
    return `\n- ${place}${message}${hint === undefined ? "" : ` ${hint}`}`;
  });
  const more = problems.length > SHOWN ? `\n- … ${problems.length - SHOWN} more` : "";
  return lines.join("") + more;
}
