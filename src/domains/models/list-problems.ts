import { clip } from "../../kernel/text.ts";
import { countOf, moreProblems } from "./format/report.ts";
import { LIMITS } from "./limits.ts";
import type { Problem } from "./model.ts";

const SHOWN = 20;

/** Problems as lines that people and language models can go through. */
export function listProblems(problems: readonly Problem[]): string {
  const lines = problems.slice(0, SHOWN).map(({ message, hint, file, line }) => {
    const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
    return `\n- ${place}${shorten(message)}${hint === undefined ? "" : ` ${shorten(hint)}`}`;
  });
  const more = problems.length > SHOWN ? `\n- … ${problems.length - SHOWN} more` : "";
  return lines.join("") + more;
}

/** What is worth an answer: so many problems, errors before warnings if not all of them, and no long SQL in them. */
export function boundProblems(
  problems: readonly Problem[],
  most: number = LIMITS.models.problems,
): Problem[] {
  const short = (problem: Problem): Problem => ({
    ...problem,
    message: shorten(problem.message),
    ...(problem.hint !== undefined && { hint: shorten(problem.hint) }),
  });
  if (problems.length <= most) return problems.map(short);
  const errors = problems.filter(({ severity }) => severity === "error");
  const listed = [...errors, ...problems.filter(({ severity }) => severity !== "error")].slice(0, most);
  const count = (some: readonly Problem[]) => some.reduce((sum, problem) => sum + countOf(problem), 0);
  const rest = count(problems) - count(listed);
  return [...listed.map(short), moreProblems(rest, errors.length > most ? "error" : "warning")];
}

function shorten(text: string): string {
  return clip(text, LIMITS.models.problemCharacters);
}
